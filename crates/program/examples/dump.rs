//! Prints the program in an IR or bitcode file.

fn main() {
    for path in std::env::args_os().skip(1) {
        match labrys_program::Program::from_ir_file(path.as_ref()) {
            Ok(program) => print!("{}", program.display()),
            Err(error) => eprintln!("{error}"),
        }
    }
}
