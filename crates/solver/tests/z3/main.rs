//! The whole stack on the real z3: `make test` installs it in `tools/z3`.

mod determinism;
mod floats;
mod limits;
mod reals;

use labrys_solver::{ProcessConfig, StackConfig, find_z3, z3_version};

/// The default configuration; without z3 the tests fail here, and say how to get it.
fn config() -> StackConfig {
    let z3 = find_z3().expect("these tests need z3: `make test` puts it into tools/z3, or set LABRYS_Z3");
    assert!(z3.is_file(), "{} is not there (LABRYS_Z3?)", z3.display());
    StackConfig::new(ProcessConfig::z3(0))
}

#[test]
fn its_version_is_read() {
    let path = config().process.executable;
    let version = z3_version(&path).expect("z3 says its version");
    assert!(version.split('.').count() >= 3, "{version}");
}
