//! What goes wrong with a device is an error that says what, and the CPU goes on: each in a process of its own, on a stand-in that fails as
//! it is told. And faults that are planted into kernels, which the tests in `on_device` must find.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs};

use latten::cuda::inspect::Kernels;
use latten::elementwise::Target;
use latten::elementwise::{Params, apply};
use latten::tensor::DynTensor;
use latten::{DType, Device, Op, RawTensor, Result, fuse};

use crate::stand_in::{is_here, passes, run};

/// What the process is to find in an error.
const EXPECTED: &str = "LATTEN_TEST_EXPECTED";

fn attempt() -> Result<Vec<latten::Scalar>> {
    let x = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?.to_device("cuda".parse()?)?;
    apply(Op::Add, &[(&x).into(), (&x).into()], &Params::none())?.scalars()
}

#[test]
fn is_an_error() -> Result<()> {
    let Ok(expected) = env::var(EXPECTED) else { return Ok(()) };
    for _ in 0..2 {
        let error = attempt().expect_err(&expected);
        assert!(error.message().contains(&expected), "{error}");
    }
    let x = RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?;
    assert_eq!(apply(Op::Add, &[(&x).into(), (&x).into()], &Params::none())?.scalars()?, [2.0, 4.0].map(latten::Scalar::Float));
    Ok(())
}

/// A hook that is called for a product makes one, too.
#[test]
fn is_warned_of_products() -> Result<()> {
    if env::var(EXPECTED).is_err() {
        return Ok(());
    }
    static HEARD: AtomicUsize = AtomicUsize::new(0);
    // Few results are latten's own with cuBLAS, too.
    let product = || -> Result<Vec<latten::Scalar>> {
        let x = RawTensor::from_vec(vec![0.5_f32; 80 * 80], &[80, 80])?.to_device("cuda".parse()?)?;
        latten::product::matmul(&x, &x, Target::New)?.scalars()
    };
    latten::warning::set_hook(Some(Box::new(move |text| {
        assert!(text.starts_with("products are computed without cuBLAS: "), "{text}");
        product().expect("a product in a hook");
        HEARD.fetch_add(1, Ordering::Relaxed);
    })));
    assert_eq!(product()?, vec![latten::Scalar::Float(20.0); 80 * 80]);
    assert_eq!(HEARD.load(Ordering::Relaxed), 1, "it is said once");
    Ok(())
}

#[test]
fn a_cublas_that_cannot_start_is_a_warning() {
    if let (false, Ok(folder)) = (is_here(), crate::stand_in::folder()) {
        let cublas = ("LATTEN_CUBLAS", folder.to_str().expect("a path that is text"));
        passes("failures::is_warned_of_products", &[cublas, ("STANDIN_FAIL", "cublasCreate_v2=3"), (EXPECTED, "")]);
    }
}

#[test]
fn without_a_driver_the_error_says_so() {
    if is_here() || latten::cuda::is_available() {
        return;
    }
    assert_eq!(latten::cuda::device_count(), 0);
    let error = RawTensor::empty(&[1], &[1], DType::F32, Device::parse("cuda").expect("a device")).expect_err("no device");
    let known = ["Found no NVIDIA driver on your system", "No CUDA GPUs are available"];
    assert!(known.iter().any(|known| error.message().starts_with(known)), "{error}");
}

#[test]
fn failures_of_the_driver_are_errors() {
    if is_here() {
        return;
    }
    for (variables, expected) in [
        (&[("STANDIN_DEVICES", "0")][..], "No CUDA GPUs are available"),
        (&[("STANDIN_VERSION", "11000")], "The NVIDIA driver on your system is too old (found version 11.0)"),
        (&[("STANDIN_FAIL", "cuInit=999")], "CUDA error: unknown error (cuInit)"),
        (&[("STANDIN_FAIL", "cuDevicePrimaryCtxRetain=2")], "CUDA error: out of memory"),
        (&[("STANDIN_FAIL", "cuMemAllocAsync=2")], "CUDA out of memory. Tried to allocate 8 bytes. GPU 0 has a total capacity of 4.00 GiB"),
        (&[("STANDIN_FAIL", "cuMemcpyHtoDAsync_v2=1")], "CUDA error: invalid argument"),
        (&[("STANDIN_FAIL", "cuModuleLoadData=200")], "CUDA error: device kernel image is invalid"),
        (&[("STANDIN_FAIL", "cuLaunchKernel=719")], "CUDA error: unspecified launch failure"),
        (&[("STANDIN_FAIL", "cuStreamSynchronize=719@2")], "CUDA error: unspecified launch failure"),
        (&[("STANDIN_CXXFLAGS", "-not-an-option"), ("LATTEN_CUDA_CACHE", "")], "NVRTC failed: NVRTC_ERROR_COMPILATION"),
    ] {
        let mut variables = variables.to_vec();
        variables.push((EXPECTED, expected));
        passes("failures::is_an_error", &variables);
    }
}

#[test]
fn without_nvrtc_the_error_says_so() {
    if is_here() {
        return;
    }
    // The driver alone.
    let Ok(folder) = crate::stand_in::folder() else { return println!("not run: there is no stand-in") };
    let alone = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("driver-alone");
    fs::create_dir_all(&alone).expect("target is writable");
    fs::copy(folder.join("libcuda.so"), alone.join("libcuda.so")).expect("target is writable");
    let alone = alone.display().to_string();
    // A toolkit of this machine's own would be found.
    if !PathBuf::from("/usr/local/cuda").exists() {
        let none = [
            ("LD_LIBRARY_PATH", alone.as_str()),
            ("CUDA_HOME", ""),
            ("CUDA_PATH", ""),
            ("VIRTUAL_ENV", ""),
            ("LATTEN_NVRTC", ""),
            ("LATTEN_CUDA_CACHE", ""),
        ];
        passes("failures::is_an_error", &[&none[..], &[(EXPECTED, "NVRTC, the compiler of CUDA kernels, isn't installed")]].concat());
    }
}

/// What `a_kernel_is_made_once` says: how many modules were compiled, and how many came from disk.
pub(crate) fn counts(folder: &str) -> Option<(usize, usize)> {
    let output = run("on_device::a_kernel_is_made_once", &[("LATTEN_CUDA_CACHE", folder)])?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let (_, counts) = text.split_once("counts (").expect("the test says it");
    let (counts, _) = counts.split_once(')').expect("the test says it");
    let (compiled, loaded) = counts.split_once(", ").expect("two numbers");
    Some((compiled.parse().expect("a number"), loaded.parse().expect("a number")))
}

#[test]
fn compiled_kernels_are_kept_and_spoilt_ones_made_again() {
    if is_here() {
        return;
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{}", std::process::id()));
    let name = folder.display().to_string();
    let Some(first) = counts(&name) else { return };
    assert_eq!((first, counts(&name)), ((1, 0), Some((0, 1))), "compiled first, then loaded");
    let spoil = |spoilt: &dyn Fn(Vec<u8>) -> Vec<u8>| {
        for file in fs::read_dir(&folder).expect("it was made").flatten() {
            let bytes = fs::read(file.path()).expect("it was written");
            fs::write(file.path(), spoilt(bytes)).expect("it is writable");
        }
        assert_eq!(counts(&name), Some((1, 0)), "a file that isn't whole is made again");
        assert_eq!(counts(&name), Some((0, 1)), "and whole then");
    };
    spoil(&|bytes| bytes[..bytes.len() / 2].to_vec());
    spoil(&|mut bytes| {
        let last = bytes.len() - 100;
        bytes[last] ^= 1;
        bytes
    });
    spoil(&|_| Vec::new());
    // Whole, but nothing that the driver takes, or nothing at all. The hash is of the key, which is the file's name, the length and the module.
    for module in [&b"no module at all, but of some length"[..], b""] {
        let [file] = &fs::read_dir(&folder).expect("it was made").flatten().collect::<Vec<_>>()[..] else { panic!("one file") };
        let key = u128::from_str_radix(file.file_name().to_str().expect("a text"), 16).expect("a number");
        let length = (module.len() as u64).to_le_bytes();
        let hash = latten::cuda::inspect::hash(&[&key.to_le_bytes(), &length, module]).to_le_bytes();
        spoil(&|bytes| [&bytes[..16], &length, &hash, module].concat());
    }
    fs::remove_dir_all(folder).expect("it is there");
}

/// Writes the pack that the next test names to a program without a compiler.
#[test]
fn writes_a_pack() -> Result<()> {
    let Ok(file) = env::var("LATTEN_TEST_PACK") else { return Ok(()) };
    let capability = latten::cuda::device_properties(0)?.capability;
    let add = Kernels::of(Op::Add)?.only("add__f32_f32_").pack(capability)?;
    fs::write(file, add).expect("target is writable");
    Ok(())
}

#[test]
fn needs_a_pack_only() -> Result<()> {
    if env::var_os("LATTEN_CUDA_PACK").is_none() {
        return Ok(());
    }
    assert_eq!(attempt()?, [2.0, 4.0].map(latten::Scalar::Float));
    assert_eq!(latten::cuda::inspect::counts(0)?, (0, 1));
    Ok(())
}

/// In a process of its own, where nobody else loads kernels.
#[test]
fn an_expression_is_one_kernel() -> Result<()> {
    if !is_here() {
        passes("failures::an_expression_is_one_kernel", &[]);
        return Ok(());
    }
    let x = DynTensor::from(RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?).cuda()?;
    let sum = fuse!((x * x + 1) / (x + 0.5));
    let (compiled, loaded) = latten::cuda::inspect::counts(0)?;
    assert_eq!((compiled + loaded, sum.to_string().as_str()), (1, "tensor([1.3333, 2.0000], device='cuda:0')"));
    Ok(())
}

/// What an expression computes is known from its first call on: later ones write no text, whatever their numbers and shapes are.
#[test]
fn the_text_of_an_expression_is_written_once() -> Result<()> {
    if !is_here() {
        passes("failures::the_text_of_an_expression_is_written_once", &[]);
        return Ok(());
    }
    let tensor = |dtype| -> Result<DynTensor> { DynTensor::from(RawTensor::from_vec(vec![1.0_f32, 2.0], &[2])?.to_dtype(dtype)?).cuda() };
    let texts = latten::cuda::inspect::texts;
    let (x, y) = (tensor(DType::F32)?, tensor(DType::F16)?);
    let of = |x: &DynTensor, number: f64| fuse!((x * x + number) / (x + 0.5));
    let mut out = x.zeros_like();
    let before = texts();
    let first = of(&x, 1.0);
    let one = texts();
    assert!(one > before);
    let second = of(&x, 3.0);
    let wide = of(&x.reshape([2, 1])?.expand([2, 3])?.erase(), 1.0);
    // Written elsewhere, it is the same.
    fuse!(out = (x * x + 5.0) / (x + 0.25));
    assert_eq!(texts(), one, "the same recipe");
    assert_eq!((first.to_string(), wide.raw().sizes()), ("tensor([1.3333, 2.0000], device='cuda:0')".into(), &[2, 3][..]));
    assert_eq!(second.to_string(), "tensor([2.6667, 2.8000], device='cuda:0')");
    assert_eq!(out.to_string(), "tensor([4.8000, 4.0000], device='cuda:0')");
    let halves = of(&y, 1.0);
    assert!(texts() > one, "another dtype is another kernel");
    assert_eq!(halves.dtype(), DType::F16);
    let other = fuse!((x + x + 1.0) / (x + 0.5));
    assert_eq!(other.to_string(), "tensor([2., 2.], device='cuda:0')");
    let known = texts();
    // Operations of the table and users' own have no text either, the second time.
    for _ in 0..2 {
        drop(&x + &y);
    }
    let once = texts();
    assert!(once > known);
    drop(&x + &y);
    assert_eq!(texts(), once);
    Ok(())
}

#[test]
fn a_pack_takes_the_place_of_the_compiler() {
    if is_here() {
        return;
    }
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("pack-{}", std::process::id())).display().to_string();
    passes("failures::writes_a_pack", &[("LATTEN_TEST_PACK", &file)]);
    // A compiler that fails.
    let variables = [("LATTEN_CUDA_PACK", file.as_str()), ("STANDIN_CXXFLAGS", "-not-an-option"), ("LATTEN_CUDA_CACHE", "")];
    passes("failures::needs_a_pack_only", &variables);
    let _ = fs::remove_file(file);
}

#[test]
fn planted_faults_are_found() {
    if is_here() {
        return;
    }
    let objects = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("planted-{}", std::process::id()));
    fs::create_dir_all(&objects).expect("target is writable");
    let kept = objects.display().to_string();
    for (fault, test) in [
        ("i < a.count; i += threads=>i <= a.count; i += threads", "on_device::every_layout_is_walked"),
        ("pack < packs;=>pack + 1 < packs;", "on_device::every_layout_is_walked"),
        ("rest - above * a.axes=>rest - 0 * a.axes", "on_device::every_layout_is_walked"),
        ("const u32 packs = a.vectors ? a.count / V : 0;=>const u32 packs = a.count / V;", "on_device::every_layout_is_walked"),
        ("= of_warp; }\n    __syncthreads();=>= of_warp; }", "on_device::reductions_are_those_of_the_cpu"),
        ("of_thread(own, lane + step)=>of_thread(own, lane)", "on_device::reductions_are_those_of_the_cpu"),
        ("rest < a.chunk ? rest : a.chunk=>a.chunk", "on_device::reductions_are_those_of_the_cpu"),
        ("a.winners[far] == i + 1=>a.winners[far] != 0", "indexing::of_several_values"),
        ("(index < 0 ? index + a.sizes[k] : index)=>index", "indexing::by_indices_and_masks"),
        ("index >= a.sizes[k]=>index > a.sizes[k]", "indexing::along_a_dimension"),
        ("u32 row = a.counts[chunk];=>u32 row = 0;", "indexing::by_indices_and_masks"),
        ("(y.index < x.index && !is_more(x.value, y.value))=>false", "on_device::reductions::long_reductions_are_cut_into_parts"),
        ("times(squared_parts(apart), =>times(apart, ", "on_device::reductions::long_reductions_are_cut_into_parts"),
        (
            "if (lane >= step) { own = B::combine(before, own); }=>own = B::combine(before, own);",
            "on_device::reductions::long_rows_are_cut_into_parts",
        ),
        ("= *from; }\n        }\n        __syncthreads();=>= *from; }\n        }", "on_device::reductions::long_rows_are_cut_into_parts"),
        ("__syncthreads();\n        const i64 step=>const i64 step", "on_device::reductions::long_rows_are_cut_into_parts"),
        ("earlier < part; =>earlier + 1 < part; ", "on_device::reductions::long_rows_are_cut_into_parts"),
        ("if (warp < thread / WARP) { left=>{ left", "on_device::reductions::long_rows_are_cut_into_parts"),
        ("return of_thread(of_warp, 0);=>return of_thread(own, 0);", "on_device::reductions::scans_softmax_and_medians_of_every_dtype"),
        ("middle -= counts[byte];=>middle -= 1;", "on_device::reductions::long_rows_are_cut_into_parts"),
        (
            "// Nobody loads the next before all have used this one.\n            __syncthreads();=>",
            "on_device::products::products_that_round_stay_near",
        ),
        ("m < a.m && n < a.n=>n < a.n", "on_device::products::products_that_round_stay_near"),
        ("rest < a.chunk ? rest : a.chunk=>a.chunk", "on_device::products::long_sums_of_products_are_cut_into_parts"),
        (
            "if (lane >= step) { own = B::combine(before, own); }=>own = B::combine(before, own);",
            "indexing::sorting::every_dtype_is_sorted",
        ),
        ("other == own && k < j=>other == own && k > j", "indexing::sorting::every_dtype_is_sorted"),
        ("base[thread] = next - start, next += count;=>base[thread] = next - start;", "indexing::sorting::every_dtype_is_sorted"),
        ("counts[part] = start; }=>}", "indexing::sorting::every_dtype_is_sorted"),
        ("j <= chosen.place=>j < chosen.place", "indexing::sorting::every_dtype_is_sorted"),
        ("= passed + before;=>= before;", "indexing::sorting::every_dtype_is_sorted"),
        ("if (i == 0 || a.places[i - 1] != a.places[i]) {=>{", "indexing::sorting::what_meets"),
        ("a.places[first + step] == place; step *= 2=>step < 4; step *= 2", "indexing::sorting::what_meets"),
        ("end - k >= ABREAST;=>end - k > 0;", "indexing::sorting::what_meets"),
        ("&& a.order[k] < part_end=>", "indexing::sorting::what_meets"),
        ("static_cast<u32 *>(a.near)[i] = (u32)far=>static_cast<u32 *>(a.near)[i] = (u32)near", "indexing::sorting::what_meets"),
        ("(bits + 0x7fff + ((bits >> 16) & 1)) >> 16=>(bits + 0x8000) >> 16", "on_device::every_conversion_is_that_of_the_cpu"),
    ] {
        // Which order of threads shows a missing barrier isn't known before.
        let found = ["forward", "reverse", "shuffle"].iter().any(|order| {
            let output =
                run(test, &[("STANDIN_PLANT", fault), ("STANDIN_ORDER", order), ("LATTEN_CUDA_CACHE", ""), ("STANDIN_OBJECTS", &kept)]);
            output.is_none_or(|output| !output.status.success())
        });
        assert!(found, "nobody found `{fault}`");
    }
    let _ = fs::remove_dir_all(objects);
}
