//! Programs compiled by clang: run by the processor, and as bitcode.

use std::path::Path;
use std::process::Command;

use labrys_program::Program;
use libloading::Library;

use crate::generator::{INPUTS, PRELUDE};

/// Bytes of a record of inputs: sixteen for each.
pub const RECORD: usize = 16 * INPUTS.len();

/// What is declared for symbolic execution: a path tells its trace by the name of the object that it asks for last.
const SYMBOLIC: &str = r#"
void reach_error(void);
void klee_make_symbolic(void *, u64, const char *);
static void tell(void) {
    char name[20] = "trace ", byte;
    for (int i = 0; i < 13; i++) name[6 + i] = (char)('A' + (trace >> 5 * i) % 32);
    klee_make_symbolic(&byte, 1, name);
}
"#;

/// The parameters of a program.
pub fn parameters() -> String {
    INPUTS.map(|(name, kind)| format!("{} {name}", kind.c())).join(", ")
}

/// What runs the program `pN`: natively by a record of inputs, symbolically by parameters.
pub fn callers(number: usize) -> String {
    let (parameters, names) = (parameters(), INPUTS.map(|(name, _)| name).join(", "));
    let reads: Vec<String> = INPUTS
        .iter()
        .enumerate()
        .map(|(place, (name, kind))| {
            format!("{} {name}; memcpy(&{name}, record + {}, {});", kind.c(), 16 * place, kind.bytes())
        })
        .collect();
    format!(
        "#ifdef SYMBOLIC\nvoid check{number}({parameters}, u64 expected) {{ p{number}({names}); if (hash != expected) reach_error(); }}\n\
         void follow{number}({parameters}) {{ p{number}({names}); tell(); }}\n#else\n\
         void run{number}(const unsigned char *record, u64 *result) {{ {} p{number}({names}); fesetround(FE_TONEAREST); result[0] = trace; result[1] = hash; }}\n#endif\n",
        reads.join(" ")
    )
}

type Run = unsafe extern "C" fn(*const u8, *mut u64);

/// Programs 0, 1, … of one file.
pub struct Programs {
    library: Library,
    pub bitcode: Program,
    // The library's file must outlive it.
    _folder: tempfile::TempDir,
}

/// A record at an address that is a multiple of 16.
#[repr(align(16))]
struct Record([u8; RECORD]);

/// What a native run showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    pub trace: u64,
    pub hash: u64,
}

impl Shown {
    /// The name by which a path tells its trace.
    pub fn name(self) -> String {
        let letters = (0..13).map(|i| char::from(b'A' + (self.trace >> (5 * i) & 31) as u8));
        format!("trace {}", letters.collect::<String>())
    }
}

impl Programs {
    pub fn compile(texts: &[String]) -> Programs {
        let folder = tempfile::tempdir().unwrap();
        let (source, object, bitcode) =
            (folder.path().join("p.c"), folder.path().join("p.so"), folder.path().join("p.bc"));
        let text = format!("{PRELUDE}\n#ifdef SYMBOLIC\n{SYMBOLIC}\n#endif\n{}", texts.concat());
        std::fs::write(&source, text).unwrap();
        compile(&["-shared", "-fPIC", "-lm"], &source, &object);
        compile(&["-DSYMBOLIC", "-c", "-emit-llvm", "-g"], &source, &bitcode);
        // SAFETY: the object was just made from our own source and has no initialisers.
        let library = unsafe { Library::new(&object) }.unwrap();
        Programs { library, bitcode: Program::from_bitcode_file(&bitcode).unwrap(), _folder: folder }
    }

    /// Runs a program.
    pub fn run(&self, number: usize, record: &[u8; RECORD]) -> Shown {
        let record = Record(*record);
        let mut result = [0; 2];
        // SAFETY: a function of this signature that stays within its memory; the rounding mode is restored.
        unsafe {
            let run = self.library.get::<Run>(format!("run{number}")).unwrap();
            run(record.0.as_ptr(), result.as_mut_ptr());
        }
        Shown { trace: result[0], hash: result[1] }
    }
}

fn compile(flags: &[&str], source: &Path, product: &Path) {
    let mut command = Command::new("clang-22");
    command.args(["-w", "-O0"]).arg(source).args(flags).arg("-o").arg(product);
    let result = command.output().unwrap();
    let kept = || std::fs::read_to_string(source).unwrap_or_default();
    assert!(result.status.success(), "{}\n{command:?}\n{}", kept(), String::from_utf8_lossy(&result.stderr));
}
