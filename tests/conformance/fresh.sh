#!/bin/sh
# Replays cases that were never seen: fresh.sh FOLDER_OF_THE_GENERATOR FIRST_SEED LAST_SEED CASES_AN_AREA [options of the replayer]
# PYTHON names a Python that has torch and numpy.
set -eu
generator=$1 first=$2 last=$3 count=$4
shift 4
cases=$(mktemp -d)
trap 'rm -rf "$cases"' EXIT
for seed in $(seq "$first" "$last"); do
    "${PYTHON:-python3}" "$generator/gen_cases.py" --seed "$seed" --n "$count" --out "$cases/" >/dev/null
done
cargo run --release --quiet -p conformance -- "$cases" "$@"
