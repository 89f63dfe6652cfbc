"""Files of tensors: latten beside PyTorch, safetensors and numpy, in turns, on the same machine within the same minutes.

    cargo build --release --example file_speed
    python benches/peers/files_side.py target/release/examples/file_speed [MEBIBYTES]

Each side writes a checkpoint of 100 float32 tensors (of npy: one array) into a folder of its own and reads it back, five times; both do so
in turns, eight times, and the least time of each counts. Files come from the page cache, so it is copying that is measured, not the disk.
"save" makes a file that wasn't there, "save over a file" replaces one: latten's by a new one that takes its name, the peers' by emptying it
first, so that a crash loses both. "save, synced" waits for the disk, which no peer does: it stands beside the peer's save and fsync.
The ratio is the peer's time over latten's: more than 1 is faster than the peer.
"""
import os
import subprocess
import sys
import tempfile
import time

import numpy as np
import safetensors.torch
import torch

TENSORS, ROUNDS, TURNS = 100, 5, 8
NAMES = ("save", "save over a file", "save, synced", "load", "load, mapped")


def best(work, before=lambda: None):
    times = []
    for _ in range(ROUNDS):
        before()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def mapped(path):
    with safetensors.safe_open(path, framework="pt") as f:
        return {k: f.get_tensor(k) for k in f.keys()}


def peers(folder, mebibytes, form):
    count = (mebibytes << 20) // 4
    path = os.path.join(folder, f"peer.{form}")
    state = {f"layers.{n}.weight": torch.full((count // TENSORS,), n + 0.5) for n in range(TENSORS)}
    array = np.full(count, 1.5, dtype=np.float32)

    def synced(save):
        save()
        with open(path, "rb") as file:
            os.fsync(file.fileno())

    ways = {
        "pt": [lambda: torch.save(state, path), lambda: torch.load(path, weights_only=True), lambda: torch.load(path, weights_only=True, mmap=True)],
        "safetensors": [lambda: safetensors.torch.save_file(state, path), lambda: {k: v.clone() for k, v in mapped(path).items()}, lambda: mapped(path)],
        "npy": [lambda: np.save(path, array), lambda: np.load(path), lambda: np.load(path, mmap_mode="c")],
    }
    save, load, load_mapped = ways[form]

    def remove():
        if os.path.exists(path):
            os.remove(path)

    times = [best(save, remove), best(save), best(lambda: synced(save), remove), best(load), best(load_mapped)]
    return {(form, what): ms for what, ms in zip(NAMES, times)}


def latten(program, folder, mebibytes, form):
    text = subprocess.run([program, folder, str(mebibytes), form], check=True, capture_output=True, text=True).stdout
    rows = [line.split("; ") for line in text.splitlines()]
    return {(form, what): float(ms) for form, what, ms in rows}


def main():
    program, mebibytes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    print(f"torch {torch.__version__.split('+')[0]}, numpy {np.__version__}, safetensors {safetensors.__version__}; {mebibytes} MiB, {os.cpu_count()} cores")
    print("| format | | latten, ms | peer, ms | ratio |\n|---|---|---|---|---|")
    for form in ("pt", "safetensors", "npy"):
        own, other = {}, {}
        for turn in range(TURNS):
            with tempfile.TemporaryDirectory() as folder:
                sides = [lambda: (own, latten(program, folder, mebibytes, form)), lambda: (other, peers(folder, mebibytes, form))]
                for side in sides if turn % 2 == 0 else sides[::-1]:
                    into, times = side()
                    for key, ms in times.items():
                        into[key] = min(ms, into.get(key, ms))
        for (_, what), ms in own.items():
            peer = other[form, what]
            print(f"| {form} | {what} | {ms:.1f} | {peer:.1f} | {peer / ms:.2f} |", flush=True)


if __name__ == "__main__":
    main()
