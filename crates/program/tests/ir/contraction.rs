//! Fused operations of the arena against those of the machine code.

use std::path::Path;
use std::process::Command;

use labrys_program::Program;

/// clang-22's output for an example of the repository with fast-math on a processor with FMA.
fn clang(example: &str, mode: &[&str]) -> Vec<u8> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(example).with_extension("c");
    let mut command = Command::new("clang-22");
    command.args(["--target=x86_64-linux-gnu", "-O3", "-ffast-math", "-mavx2", "-mfma"]);
    let output = command.args(mode).args(["-o", "-"]).arg(source).output().expect("clang-22 runs");
    assert!(output.status.success(), "{example}");
    output.stdout
}

#[test]
fn as_many_products_are_fused_as_the_machine_code_fuses() {
    let mut total = 0;
    for example in ["turbine1", "turbine3", "jetengine", "carbongas", "odometer"] {
        let assembly = String::from_utf8(clang(example, &["-S"])).expect("assembly is text");
        let machine = assembly.lines().filter(|line| line.trim_start().starts_with("vfm") || line.contains("\tvfnm"));
        let mut program = Program::from_bytes(&clang(example, &["-emit-llvm", "-c"]), example).expect("bitcode");
        let (fused, machine) = (program.fuse_contractions(), machine.count());
        assert_eq!(fused, machine, "{example}");
        total += fused;
    }
    assert!(total >= 10, "{total}");
}
