//! The one check command, and the one that records snapshots anew.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::build_time::build_time;
use crate::command::{Outcome, answers, cargo, root, run};
use crate::faults;
use crate::source::Tree;
use crate::tidy;

/// What is tested beside the default features. CUDA has a build of its own: without it, what tests say of devices is another thing.
const FEATURES: &str = "latten/serde,latten/ndarray";

/// All that CI runs; the first failure ends it. What needs builds of its own runs beside the rest, so that two cores have work all the time.
///
/// # Errors
/// The line that says which step failed.
pub fn check() -> Outcome {
    let start = Instant::now();
    run(&mut cargo("fmt --all --check"))?;
    println!("\n== cargo xtask tidy");
    check_tidy()?;
    let elsewhere = Beside::start("check-elsewhere")?;
    check_here()?;
    elsewhere.finish()?;
    println!("\n== cargo xtask build-time");
    build_time(false)?;
    println!("\nxtask: all checks passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Lints, tests, pages and packages for this machine, without CUDA.
fn check_here() -> Outcome {
    run(&mut cargo(&format!("clippy --locked --workspace --all-targets --features {FEATURES} -- -D warnings")))?;
    run(&mut cargo(&format!("test --locked --workspace --features {FEATURES}")))?;
    run(&mut cargo(&format!(
        "clippy --locked --package latten-core --package latten-elements --lib --profile test --features {WITHIN} -- -D warnings"
    )))?;
    run_examples()?;
    replay_lower_levels()?;
    each_feature()?;
    run(cargo("doc --locked --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))?;
    package()
}

/// CUDA, other processors, and the workspace of the benchmarks.
///
/// # Errors
/// The line that says which step failed.
pub fn check_elsewhere() -> Outcome {
    // Without a GPU: on a stand-in for the driver, which needs g++, and by NVIDIA's compiler, which pip installs below target. Where these
    // are missing the tests say so; CI sets REQUIRE_STANDIN and REQUIRE_NVRTC, which make that a failure.
    run(&mut as_it_stands("test --locked --package latten --features cuda --lib --test cuda"))?;
    // The tests inside of these two. They are the whole crates once more; by themselves (`test = false` in their manifests), so that nothing
    // else compiles them a second time.
    run(&mut as_it_stands(&format!("test --locked --package latten-core --package latten-elements --features {WITHIN} --lib")))?;
    run(&mut as_it_stands("run --locked --quiet --features cuda --example cuda_tour"))?;
    run(&mut precompiled())?;
    peers()?;
    other_targets()
}

/// Cargo with the core and its elements as they stand, which are compiled four times faster: where what they do is asked, and others have most
/// of the work.
fn as_it_stands(arguments: &str) -> Command {
    let mut command = cargo(arguments);
    for package in ["core", "elements"] {
        command.arg("--config").arg(format!("profile.dev.package.latten-{package}.opt-level=0"));
    }
    command
}

/// The core's features, for the tests inside of it: none of them asks what isn't there.
const WITHIN: &str = "latten-core/ndarray,latten-core/cuda";

/// A command of xtask that runs at the same time, in a folder of outputs of its own. What it prints comes when it has ended.
struct Beside {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl Beside {
    fn start(name: &'static str) -> Outcome<Self> {
        let fault = |error| format!("`cargo xtask {name}` can't start: {error}");
        let (target, log) = (target().join(name), target().join(format!("{name}.log")));
        let output = File::create(&log).map_err(fault)?;
        let mut command = Command::new(std::env::current_exe().map_err(fault)?);
        command.arg(name).env("CARGO_TARGET_DIR", target).stdin(Stdio::null());
        command.stdout(output.try_clone().map_err(fault)?).stderr(output);
        // A group, so that a failure here ends all that it has begun.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        println!("\n== cargo xtask {name}, beside what follows");
        Ok(Self { name, child: command.spawn().map_err(fault)?, log })
    }

    /// Waits for its end, and shows what it printed.
    fn finish(mut self) -> Outcome {
        let status = self.child.wait();
        println!("\n== cargo xtask {}, which ran beside", self.name);
        print!("{}", fs::read_to_string(&self.log).unwrap_or_default());
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("`cargo xtask {}` failed ({status})", self.name)),
            Err(error) => Err(format!("`cargo xtask {}` can't be waited for: {error}", self.name)),
        }
    }
}

impl Drop for Beside {
    /// Does nothing to one that has ended.
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            if cfg!(unix) {
                let _ = Command::new("kill").args(["--", &format!("-{}", self.child.id())]).status();
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// The facade with nothing, and with each of its features alone, and the tests and examples that have a feature's name.
fn each_feature() -> Outcome {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|error| format!("Cargo.toml can't be read: {error}"))?;
    for feature in features(&manifest).iter().filter(|feature| *feature != "default") {
        let test = if root().join("tests").join(format!("{feature}.rs")).exists() { format!("--test {feature}") } else { String::new() };
        let examples = examples()?
            .iter()
            .filter(|name| name.starts_with(&format!("{feature}_")))
            .map(|name| format!("--example {name} "))
            .collect::<String>();
        let selected = format!("--package latten --lib {test} {examples} --no-default-features --features {feature}");
        run(&mut cargo(&format!("clippy --locked {selected} -- -D warnings")))?;
    }
    run(&mut cargo("clippy --locked --package latten --lib --no-default-features -- -D warnings"))
}

/// The names in a manifest's table of features.
fn features(manifest: &str) -> Vec<String> {
    let table = manifest.lines().skip_while(|line| *line != "[features]").skip(1).take_while(|line| !line.starts_with('['));
    table.filter_map(|line| line.split_once(" = ")).filter(|(name, _)| !name.starts_with('#')).map(|(name, _)| name.to_owned()).collect()
}

/// Where cargo puts what it builds.
fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), Into::into)
}

/// A program of the workspace that `cargo test --workspace` has built.
fn built(path: &[&str]) -> Command {
    let mut command = Command::new(path.iter().fold(target().join("debug"), |folder, name| folder.join(name)));
    command.current_dir(root());
    command
}

/// The names of the examples.
fn examples() -> Outcome<Vec<String>> {
    let entries = fs::read_dir(root().join("examples")).map_err(|error| format!("examples can't be read: {error}"))?;
    let mut names: Vec<String> =
        entries.flatten().filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".rs").map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

/// Examples that only measure.
const MEASURING: [&str; 4] = ["file_speed", "pairs", "pauses", "small"];

/// Runs the examples that aren't tests: each looks at its own results.
fn run_examples() -> Outcome {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).map_err(|error| format!("Cargo.toml can't be read: {error}"))?;
    let is_test =
        |name: &str| manifest.split("\n\n").any(|table| table.contains(&format!("name = \"{name}\"")) && table.contains("test = true"));
    for name in examples()?.iter().filter(|name| !MEASURING.contains(&name.as_str()) && !name.starts_with("cuda_") && !is_test(name)) {
        run(&mut built(&["examples", name]))?;
    }
    Ok(())
}

/// The recorded cases as older processors of this kind compute them; other kinds have one level.
fn replay_lower_levels() -> Outcome {
    let levels: &[&str] = if cfg!(target_arch = "x86_64") { &["baseline", "avx2"] } else { &[] };
    for level in levels {
        run(built(&["conformance"]).arg("tests/conformance/cases").env("LATTEN_LEVEL", level))?;
    }
    Ok(())
}

/// The program that measures latten beside others: that it is well-formed, and that all sides of each row give the same numbers.
fn peers() -> Outcome {
    let folder = root().join("benches").join("peers");
    run(cargo("fmt --check").current_dir(&folder))?;
    for step in ["clippy --locked --all-targets -- -D warnings", "run --locked --quiet -- --sketch"] {
        run(cargo(step).current_dir(&folder).env("CARGO_PROFILE_DEV_DEBUG", "0").env_remove("CARGO_TARGET_DIR"))?;
    }
    Ok(())
}

/// The processor on which recorded cases are replayed where it can be emulated.
const EMULATED: &str = "aarch64-unknown-linux-gnu";
/// Where Debian's and Ubuntu's compiler for it has its C library.
const EMULATED_ROOT: &str = "/usr/aarch64-linux-gnu";

/// That other processors and systems have what they need, and no warnings, as far as their standard library is installed.
fn other_targets() -> Outcome {
    let installed = answers(Command::new("rustup").args(["target", "list", "--installed"])).unwrap_or_default();
    let is_installed = |target: &str| installed.lines().any(|line| line == target);
    let tools = [["qemu-aarch64", "--version"], ["aarch64-linux-gnu-gcc", "--version"]];
    let missing = tools.iter().find(|[tool, version]| answers(Command::new(tool).arg(version)).is_none());
    for target in [EMULATED, "wasm32-unknown-unknown"] {
        if !is_installed(target) {
            println!("\n== not run: the check for {target}; to have it: rustup target add {target}");
        } else if target == EMULATED && missing.is_none() {
            run(&mut emulated())?;
        } else {
            run(cargo(&format!("check --locked --package latten --target {target} --target-dir target/others"))
                .env("RUSTFLAGS", "-D warnings"))?;
        }
    }
    if let Some([missing, _]) = missing {
        println!("\n== not run: the recorded cases on aarch64, because {missing} isn't installed");
    }
    Ok(())
}

/// Replays the recorded cases as another processor computes them.
fn emulated() -> Command {
    let variable = |name: &str| format!("CARGO_TARGET_{}_{name}", EMULATED.to_uppercase().replace('-', "_"));
    let mut command = cargo(&format!(
        "run --locked --release --package conformance --target {EMULATED} --target-dir target/others -- tests/conformance/cases"
    ));
    command.env("RUSTFLAGS", "-D warnings");
    command.env(variable("LINKER"), "aarch64-linux-gnu-gcc").env(variable("RUNNER"), format!("qemu-aarch64 -L {EMULATED_ROOT}"));
    command
}

/// That what would be published is packed, and compiles from what was packed and nothing else: as a workspace of the packages as they come out
/// of their archives. Cargo's own verification builds each of them, and the core three times.
///
/// # Errors
/// The line that says what failed.
pub fn package() -> Outcome {
    let packages = root().join("target").join("packages");
    if packages.exists() {
        fs::remove_dir_all(&packages).map_err(|error| format!("{} can't be removed: {error}", packages.display()))?;
    }
    run(&mut cargo(
        "package --locked --workspace --exclude conformance --exclude models --exclude renamed --exclude ui-tests --exclude xtask \
         --allow-dirty --no-verify --target-dir target/packages",
    ))?;
    let (archives, unpacked) = (packages.join("package"), packages.join("unpacked"));
    let fault = |error| format!("what was packed can't be looked at: {error}");
    fs::create_dir_all(&unpacked).map_err(fault)?;
    let mut manifest = String::from("[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n");
    for archive in fs::read_dir(&archives).map_err(fault)?.flatten().map(|entry| entry.path()) {
        let stem = archive.file_stem().unwrap_or_default().to_string_lossy();
        if let (true, Some((name, _))) = (archive.extension().is_some_and(|extension| extension == "crate"), stem.rsplit_once('-')) {
            run(Command::new("tar").arg("xzf").arg(&archive).arg("-C").arg(&unpacked))?;
            manifest.push_str(&format!("{name} = {{ path = \"{stem}\" }}\n"));
        }
    }
    fs::write(unpacked.join("Cargo.toml"), manifest).map_err(fault)?;
    // The versions of others that are tested here.
    fs::copy(root().join("Cargo.lock"), unpacked.join("Cargo.lock")).map_err(fault)?;
    // What they depend on is checked already.
    run(cargo(&format!("check --workspace --features {FEATURES},latten/cuda")).current_dir(&unpacked).env("CARGO_TARGET_DIR", target()))
}

/// A program with kernels in it, which its build has compiled: of a few operations, for two kinds of GPUs, by the NVRTC that the tests before
/// have installed.
fn precompiled() -> Command {
    let mut command = as_it_stands("test --locked --features precompiled --test precompiled");
    command.env("LATTEN_CUDA_OPS", "add exp fills").env("LATTEN_CUDA_ARCHS", "80 90");
    let installed = target().join("tmp").join("nvrtc");
    if installed.exists() && std::env::var_os("LATTEN_NVRTC").is_none() {
        command.env("VIRTUAL_ENV", installed);
    }
    command
}

/// Prints the faults of the repository's text.
///
/// # Errors
/// If there are any.
pub fn check_tidy() -> Outcome {
    let tree = Tree::read(&root()).map_err(|error| format!("the repository can't be read: {error}"))?;
    let text = |path: &str| fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"));
    // What `cargo xtask mutants` plants names lines, which change.
    let unplanted = faults::listed().into_iter().filter_map(|mutant| text(&mutant.path).and_then(|text| mutant.planted(&text)).err());
    let faults: Vec<String> = tidy::check(&tree).iter().map(ToString::to_string).chain(unplanted).collect();
    for fault in &faults {
        println!("fault: {fault}");
    }
    match faults.len() {
        0 => {
            println!("{} files are tidy", tree.files.len());
            Ok(())
        }
        count => Err(format!("`cargo xtask tidy` failed (faults: {count})")),
    }
}

/// Records every snapshot anew: what rustc says in ui-tests, and the golden files of all other tests.
///
/// # Errors
/// If a test fails for another reason than its snapshot.
pub fn bless() -> Outcome {
    run(cargo("test --package ui-tests").env("TRYBUILD", "overwrite"))?;
    run(cargo("test --workspace --exclude ui-tests").env("UPDATE_GOLDEN", "1"))?;
    run(cargo("test --features cuda --test cuda text").env("UPDATE_GOLDEN", "1"))?;
    println!("\nxtask: recorded. Read `git diff` like prose before it is committed.");
    Ok(())
}
