//! The driver loop: C generated for a signature and compiled once, loaded by the workers.
//!
//! For each input record it loads the arguments, copies memory parameters into the output record (so that what the
//! callee leaves there is the output), zeroes the vector registers, calls, and reads the status of SSE and x87. Status
//! is cleared only where a watched bit is set; control registers are restored where the callee changed them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use labrys_program::{Access, FloatType, ParameterType, Pointee, ResultType, ScalarType, Signature, StructType};

use crate::NativeError;
use crate::shared::OUTPUT_HEADER;

/// How long compiling the loop may take.
const COMPILE_LIMIT: Duration = Duration::from_secs(60);

/// What stands in the unused lanes of vector registers when the code under test is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// Zeros.
    Zeros,
    /// 1.0f in every 32-bit lane.
    Ones,
}

/// A compiled driver loop. The shared object lies in the folder given to [`Driver::compile`].
#[derive(Clone, Debug)]
pub struct Driver {
    library: PathBuf,
}

impl Driver {
    /// Generates and compiles the loop for `signature` in `folder`.
    ///
    /// # Errors
    ///
    /// Where neither clang-22 nor cc can compile it, or the folder cannot be written.
    pub fn compile(signature: &Signature, folder: &Path) -> Result<Driver, NativeError> {
        let source = folder.join("labrys-driver.c");
        let library = folder.join("labrys-driver.so");
        std::fs::write(&source, generate(signature))
            .map_err(|error| NativeError::System { what: "cannot write the driver loop", source: error })?;
        let mut failure = None;
        for compiler in ["clang-22", "cc"] {
            match compile(compiler, &source, &library) {
                Ok(()) => return Ok(Driver { library }),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Err(failure.unwrap_or(NativeError::Driver { compiler: "cc".to_owned(), reason: "none found".to_owned() }))
    }

    /// The shared object.
    pub fn library(&self) -> &Path {
        &self.library
    }
}

fn compile(compiler: &str, source: &Path, library: &Path) -> Result<(), NativeError> {
    let failed = |reason: String| NativeError::Driver { compiler: compiler.to_owned(), reason };
    let mut command = Command::new(compiler);
    command.args(["-O2", "-shared", "-fPIC", "-w", "-fno-math-errno", "-ffp-contract=off"]);
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        command.arg("-DLABRYS_AVX");
        if std::arch::is_x86_feature_detected!("avx512f") {
            command.arg("-DLABRYS_AVX512");
        }
    }
    command.arg("-o").arg(library).arg(source).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => {
                let mut words = String::new();
                if let Some(mut stderr) = child.stderr.take() {
                    let _ = std::io::Read::read_to_string(&mut stderr, &mut words);
                }
                return Err(failed(words.lines().next().unwrap_or("no message").to_owned()));
            }
            Ok(None) if begun.elapsed() < COMPILE_LIMIT => std::thread::sleep(Duration::from_millis(2)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(failed("it did not end within a minute".to_owned()));
            }
        }
    }
}

/// The parts of the loop that do not depend on the signature.
const PROLOGUE: &str = r#"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char byte;

struct labrys_job {
    void *target;
    const byte *inputs;
    byte *outputs;
    size_t input_stride, output_stride;
    uint64_t first, count;
    volatile uint64_t *progress;
    uint32_t mxcsr;
    uint16_t x87;
    uint16_t ones;
    uint32_t watched;
};

#if defined __x86_64__
static inline uint32_t read_mxcsr(void) { uint32_t v; __asm__ volatile("stmxcsr %0" : "=m"(v)); return v; }
static inline void write_mxcsr(uint32_t v) { __asm__ volatile("ldmxcsr %0" :: "m"(v)); }
static inline uint16_t read_x87_status(void) { uint16_t v; __asm__ volatile("fnstsw %0" : "=a"(v)); return v; }
static inline uint16_t read_x87_control(void) { uint16_t v; __asm__ volatile("fnstcw %0" : "=m"(v)); return v; }
static inline void reset_x87(uint16_t control) { __asm__ volatile("fninit\n\tfldcw %0" :: "m"(control)); }
#ifdef LABRYS_AVX
#define CLEAR_LOW "vzeroall\n\t"
#else
#define CLEAR_LOW "xorps %%xmm0,%%xmm0\n\txorps %%xmm1,%%xmm1\n\txorps %%xmm2,%%xmm2\n\txorps %%xmm3,%%xmm3\n\t" \
    "xorps %%xmm4,%%xmm4\n\txorps %%xmm5,%%xmm5\n\txorps %%xmm6,%%xmm6\n\txorps %%xmm7,%%xmm7\n\t" \
    "xorps %%xmm8,%%xmm8\n\txorps %%xmm9,%%xmm9\n\txorps %%xmm10,%%xmm10\n\txorps %%xmm11,%%xmm11\n\t" \
    "xorps %%xmm12,%%xmm12\n\txorps %%xmm13,%%xmm13\n\txorps %%xmm14,%%xmm14\n\txorps %%xmm15,%%xmm15\n\t"
#endif
#ifdef LABRYS_AVX512
#define Z(n) "vpxord %%zmm" #n ",%%zmm" #n ",%%zmm" #n "\n\t"
#define CLEAR_HIGH Z(16) Z(17) Z(18) Z(19) Z(20) Z(21) Z(22) Z(23) Z(24) Z(25) Z(26) Z(27) Z(28) Z(29) Z(30) Z(31)
#else
#define CLEAR_HIGH
#endif
#define CLEAR_VECTORS() __asm__ volatile(CLEAR_LOW CLEAR_HIGH ::: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", \
    "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

/* With ones in the lanes the call goes through this: it fills the upper half of every argument register and all of the
   others with 1.0f, and jumps on. The target is kept in memory, so that no register is needed. */
void *labrys_target;
void labrys_ones(void);
__asm__(
    ".text\n.globl labrys_ones\n.hidden labrys_ones\n.hidden labrys_target\nlabrys_ones:\n"
    "\tmovhps labrys_lanes(%rip), %xmm0\n\tmovhps labrys_lanes(%rip), %xmm1\n"
    "\tmovhps labrys_lanes(%rip), %xmm2\n\tmovhps labrys_lanes(%rip), %xmm3\n"
    "\tmovhps labrys_lanes(%rip), %xmm4\n\tmovhps labrys_lanes(%rip), %xmm5\n"
    "\tmovhps labrys_lanes(%rip), %xmm6\n\tmovhps labrys_lanes(%rip), %xmm7\n"
    "\tmovups labrys_lanes(%rip), %xmm8\n\tmovups labrys_lanes(%rip), %xmm9\n"
    "\tmovups labrys_lanes(%rip), %xmm10\n\tmovups labrys_lanes(%rip), %xmm11\n"
    "\tmovups labrys_lanes(%rip), %xmm12\n\tmovups labrys_lanes(%rip), %xmm13\n"
    "\tmovups labrys_lanes(%rip), %xmm14\n\tmovups labrys_lanes(%rip), %xmm15\n"
    "\tjmp *labrys_target(%rip)\n"
    ".section .rodata\n.p2align 4\nlabrys_lanes:\n\t.long 0x3f800000,0x3f800000,0x3f800000,0x3f800000\n.text\n");
#else
#include <fenv.h>
static inline uint32_t read_mxcsr(void) { return 0; }
static inline void write_mxcsr(uint32_t v) { (void)v; feclearexcept(FE_ALL_EXCEPT); }
static inline uint16_t read_x87_status(void) {
    int raised = fetestexcept(FE_ALL_EXCEPT);
    return (raised & FE_INVALID ? 1 : 0) | (raised & FE_DIVBYZERO ? 4 : 0) | (raised & FE_OVERFLOW ? 8 : 0)
        | (raised & FE_UNDERFLOW ? 16 : 0) | (raised & FE_INEXACT ? 32 : 0);
}
static inline uint16_t read_x87_control(void) { return 0; }
static inline void reset_x87(uint16_t control) { (void)control; }
#define CLEAR_VECTORS()
static void *labrys_target;
static void labrys_ones(void) {}
#endif
"#;

/// The C text of the loop.
fn generate(signature: &Signature) -> String {
    let mut structs = Structs::default();
    let mut declarations = Vec::new();
    let mut loads = String::new();
    let mut arguments = Vec::new();
    let inputs = signature.input_layout();
    let outputs = signature.output_layout();
    let mut scratch = 0;
    for (i, parameter) in signature.parameters.iter().enumerate() {
        match &parameter.ty {
            ParameterType::Value(pointee) => {
                let ty = structs.name(pointee);
                let at = inputs.parameters[i].unwrap_or(0);
                let _ = writeln!(loads, "        {ty} a{i}; memcpy(&a{i}, in + {at}, sizeof a{i});");
                arguments.push(format!("a{i}"));
                declarations.push(ty);
            }
            ParameterType::Pointer { pointee, access, length } => {
                let ty = structs.name(pointee);
                let capacity = match length {
                    labrys_program::Length::Fixed(count) => *count,
                    labrys_program::Length::Parameter { max, .. } => *max,
                };
                let bytes = pointee.size() * capacity;
                let memory = match outputs.parameters[i] {
                    Some(at) => format!("out + {at}"),
                    None => {
                        let at = scratch;
                        scratch += bytes.next_multiple_of(16);
                        format!("scratch + {at}")
                    }
                };
                match (inputs.parameters[i], access) {
                    (Some(at), _) => {
                        let _ = writeln!(loads, "        memcpy({memory}, in + {at}, {bytes});");
                    }
                    (None, Access::Out | Access::In | Access::InOut) => {
                        let _ = writeln!(loads, "        memset({memory}, 0, {bytes});");
                    }
                }
                arguments.push(format!("({ty} *)({memory})"));
                declarations.push(format!("{ty} *"));
            }
        }
    }
    let result = match &signature.result {
        ResultType::Void => None,
        ResultType::Value(pointee) => Some((structs.name(pointee), value_bytes(pointee))),
    };
    let declared = if declarations.is_empty() { "void".to_owned() } else { declarations.join(", ") };
    let result_type = result.as_ref().map_or("void", |(name, _)| name);
    let call = format!("function({})", arguments.join(", "));
    let call = match &result {
        None => format!("        {call};\n"),
        Some((ty, bytes)) => format!("        {ty} result = {call};\n        memcpy(out, &result, {bytes});\n"),
    };
    // The status is read before anything else of the loop can touch it: the result's copy raises nothing.
    format!(
        "{PROLOGUE}\n{}\ntypedef {result_type} (*labrys_function)({declared});\n\n\
         void labrys_drive(struct labrys_job *job) {{\n    \
         labrys_function function = (labrys_function)job->target;\n    \
         static byte scratch[{scratch} + 64] __attribute__((aligned(64)));\n    (void)scratch;\n    \
         if (job->ones) {{ labrys_target = job->target; function = (labrys_function)(void *)labrys_ones; }}\n    \
         write_mxcsr(job->mxcsr);\n    reset_x87(job->x87);\n    \
         for (uint64_t i = job->first; i < job->count; i++) {{\n        *job->progress = i;\n        \
         const byte *in = job->inputs + i * job->input_stride;\n        \
         byte *head = job->outputs + i * job->output_stride;\n        byte *out = head + {OUTPUT_HEADER};\n        \
         (void)in;\n        CLEAR_VECTORS();\n{loads}{call}        \
         uint32_t mxcsr = read_mxcsr();\n        uint32_t status = (mxcsr & 63) | (read_x87_status() & 63);\n        \
         memcpy(head, &status, 4);\n        \
         if (__builtin_expect((status & job->watched) != 0 || (mxcsr & ~63u) != (job->mxcsr & ~63u) \
         || read_x87_control() != job->x87, 0)) {{\n            \
         write_mxcsr(job->mxcsr);\n            reset_x87(job->x87);\n        }}\n    }}\n    \
         *job->progress = job->count;\n}}\n",
        structs.definitions
    )
}

/// The bytes of a value that are meaningful: padding behind x87 values is left zero.
fn value_bytes(pointee: &Pointee) -> u64 {
    match pointee {
        Pointee::Scalar(scalar) => scalar.value_bytes() as u64,
        Pointee::Struct(of) => of.size,
    }
}

/// Struct declarations of the generated text.
#[derive(Default)]
struct Structs {
    definitions: String,
    known: Vec<StructType>,
}

impl Structs {
    /// The C name of a type, declared if it is a new struct.
    fn name(&mut self, pointee: &Pointee) -> String {
        let of = match pointee {
            Pointee::Scalar(scalar) => return scalar_name(*scalar).to_owned(),
            Pointee::Struct(of) => of,
        };
        if let Some(index) = self.known.iter().position(|known| known == of) {
            return format!("struct labrys_s{index}");
        }
        let mut members = String::new();
        for (i, field) in of.fields.iter().enumerate() {
            let ty = self.name(&field.ty);
            let count = if field.is_array { format!("[{}]", field.count) } else { String::new() };
            let _ = write!(members, " {ty} f{i}{count};");
        }
        let index = self.known.len();
        self.known.push(of.clone());
        let _ = writeln!(self.definitions, "struct labrys_s{index} {{{members} }};");
        let _ =
            writeln!(self.definitions, "_Static_assert(sizeof(struct labrys_s{index}) == {}, \"layout\");", of.size);
        format!("struct labrys_s{index}")
    }
}

fn scalar_name(scalar: ScalarType) -> &'static str {
    match scalar {
        ScalarType::Float(FloatType::F32) => "float",
        ScalarType::Float(FloatType::F64) => "double",
        ScalarType::Float(FloatType::X87) => "long double",
        ScalarType::Bool => "_Bool",
        int => int.name(),
    }
}
