//! With the feature `cuda`, writes the device functions of all operations and folds from the tables (`latten_kernel::device`), for the
//! run time to put kernels around. With the feature `precompiled` it compiles those too: `build/precompiled.rs`.

#[cfg(feature = "precompiled")]
#[path = "build/precompiled.rs"]
mod precompiled;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    #[cfg(feature = "cuda")]
    {
        let folder = std::path::PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR")).join("cuda");
        std::fs::create_dir_all(&folder).expect("OUT_DIR is writable");
        let functions = latten_kernel::device::functions().unwrap_or_else(|mistake| panic!("{mistake}"));
        std::fs::write(folder.join("functions.rs"), latten_kernel::device::expression(&functions)).expect("OUT_DIR is writable");
        #[cfg(feature = "precompiled")]
        precompiled::write(&functions, &folder);
    }
}
