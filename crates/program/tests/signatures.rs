//! Signatures from debug information of real compilers.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use labrys_program::{
    Access, Build, BuildSpec, FloatType, FunctionInfo, Language, Length, LengthOptions, ParameterType, Pointee,
    Program, ResultType, ScalarType, Signature, SignatureError, build_shared, choose_function, emit_ir, functions_in,
    parse_build, signature, signature_with_guesses,
};

/// A source compiled in a folder of its own.
struct Compiled {
    _folder: tempfile::TempDir,
    library: PathBuf,
    program: Option<Program>,
}

impl Compiled {
    fn new(file: &str, text: &str, flags: &str) -> Self {
        Self::with(file, text, flags, false)
    }

    fn with(file: &str, text: &str, flags: &str, ir: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join(file);
        fs::write(&source, text).unwrap();
        let parsed = parse_build(flags, Language::of(&source).unwrap()).unwrap();
        let spec = BuildSpec { role: "baseline".to_owned(), ..parsed };
        let deadline = Instant::now() + Duration::from_secs(60);
        let Build { library, .. } = build_shared(&spec, &source, folder.path(), deadline).unwrap();
        let program = ir.then(|| {
            let (bitcode, _) = emit_ir(&spec, &source, folder.path(), deadline).unwrap();
            Program::from_bitcode_file(&bitcode).unwrap()
        });
        Compiled { _folder: folder, library, program }
    }

    fn signature(&self, name: &str, lengths: &[&str]) -> Result<Signature, SignatureError> {
        let lengths: Vec<String> = lengths.iter().map(|text| (*text).to_owned()).collect();
        signature(&self.library, name, &LengthOptions::parse(&lengths)?, self.program.as_ref())
    }

    fn functions(&self) -> Vec<FunctionInfo> {
        functions_in(&self.library).unwrap()
    }

    /// Types as short words, to compare at a glance: `v:f64 w:in f64*8 n:i32 -> f64`.
    fn shown(&self, name: &str, lengths: &[&str]) -> String {
        match self.signature(name, lengths) {
            Ok(signature) => show(&signature),
            Err(error) => panic!("{name}: {error}"),
        }
    }

    fn error(&self, name: &str) -> String {
        self.signature(name, &[]).map(|signature| show(&signature)).unwrap_err().to_string()
    }
}

fn show(signature: &Signature) -> String {
    let parameters = signature.parameters.iter().map(|parameter| {
        let ty = match &parameter.ty {
            ParameterType::Value(value) => show_value(value),
            ParameterType::Pointer { pointee, length, access } => {
                let access = match access {
                    Access::In => "in",
                    Access::Out => "out",
                    Access::InOut => "inout",
                };
                let length = match length {
                    Length::Fixed(count) => count.to_string(),
                    Length::Parameter { index, max, .. } => format!("{}<={max}", signature.parameters[*index].name),
                };
                format!("{access} {}*{length}", show_value(pointee))
            }
        };
        format!("{}:{ty} ", parameter.name)
    });
    let result = match &signature.result {
        ResultType::Void => "void".to_owned(),
        ResultType::Value(value) => show_value(value),
    };
    format!("{}-> {result}", parameters.collect::<String>())
}

fn show_value(value: &Pointee) -> String {
    match value {
        Pointee::Scalar(ScalarType::Float(FloatType::F16)) => "f16".to_owned(),
        Pointee::Scalar(ScalarType::Float(FloatType::F32)) => "f32".to_owned(),
        Pointee::Scalar(ScalarType::Float(FloatType::F64)) => "f64".to_owned(),
        Pointee::Scalar(ScalarType::Float(FloatType::X87)) => "f80".to_owned(),
        Pointee::Scalar(ScalarType::Int { bits, signed }) => format!("{}{bits}", if *signed { 'i' } else { 'u' }),
        Pointee::Scalar(ScalarType::Bool) => "bool".to_owned(),
        Pointee::Struct(of) => {
            let fields = of.fields.iter().map(|field| {
                let count = if field.is_array { format!("[{}]", field.count) } else { String::new() };
                format!("{}@{}:{}{count}", field.name, field.offset, show_value(&field.ty))
            });
            format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
        }
    }
}

const DRIVABLE: &str = r"
#include <stdbool.h>
#include <stdint.h>
#include <complex.h>
typedef double real;
typedef struct { double re, im; } cplx;
typedef const struct pt { float x[2]; int32_t n; struct { char tag; double in; } s; } pt;
typedef enum { A, B } choice;
static double square(double x) { return x * x; }
double scalars(real v, float f, long double l, choice k, bool b, unsigned char c, int64_t i, const unsigned short s)
{ return square(v) + f + l + k + b + c + i + s; }
cplx pointers(const double *w, double *const restrict out, cplx by, cplx *o, pt *p, double m[3][3])
{ *o = by; out[0] = w[0] + p->x[0] + m[0][1]; return by; }
double sum(const double *x, int n, double scale) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s * scale; }
double two(const float *x, const float *y, unsigned nx, long y_len) { return nx && y_len ? *x + *y : 0; }
double _Complex rotate(double _Complex z, float _Complex *w) { *w = z; return z * I; }
void nothing(void) {}
";

#[test]
fn c_signatures_of_clang_and_gcc() {
    for flags in ["-O0", "-O2", "gcc -O0", "gcc -O3 -ffast-math", "-O1 -gdwarf-4"] {
        let compiled = Compiled::new("f.c", DRIVABLE, flags);
        let is = |name: &str, lengths: &[&str], expected: &str| {
            assert_eq!(compiled.shown(name, lengths), expected, "{name} by {flags}");
        };
        is("scalars", &[], "v:f64 f:f32 l:f80 k:u32 b:bool c:u8 i:i64 s:u16 -> f64");
        let point = "{x@0:f32[2],n@8:i32,s@16:{tag@0:i8,in@8:f64}}";
        let expected = format!(
            "w:in f64*1 out:inout f64*4 by:{{re@0:f64,im@8:f64}} o:inout {{re@0:f64,im@8:f64}}*2 p:in {point}*1 \
             m:inout f64*9 -> {{re@0:f64,im@8:f64}}"
        );
        is("pointers", &["out=4", "o=2", "m=9"], &expected);
        is("sum", &[], "x:in f64*n<=8 n:i32 scale:f64 -> f64");
        is("sum", &["x=n:32"], "x:in f64*n<=32 n:i32 scale:f64 -> f64");
        is("sum", &["x=3"], "x:in f64*3 n:i32 scale:f64 -> f64");
        is("two", &[], "x:in f32*nx<=8 y:in f32*y_len<=8 nx:u32 y_len:i64 -> f64");
        is("rotate", &[], "z:{re@0:f64,im@8:f64} w:inout {re@0:f32,im@4:f32}*1 -> {re@0:f64,im@8:f64}");
        is("nothing", &[], "-> void");
    }
}

/// Builds are compared only where their signatures are equal, names of structs included.
#[test]
fn signatures_do_not_depend_on_the_compiler() {
    let [clang, gcc] = ["-O3", "gcc -O2"].map(|flags| Compiled::new("f.c", DRIVABLE, flags));
    for name in ["scalars", "pointers", "sum", "two", "rotate"] {
        assert_eq!(clang.signature(name, &[]).unwrap(), gcc.signature(name, &[]).unwrap());
    }
}

#[test]
fn assumed_lengths_are_noted() {
    let compiled = Compiled::new("f.c", DRIVABLE, "-O0");
    let notes = |name: &str, lengths: &[String]| {
        let lengths = LengthOptions::parse(lengths).unwrap();
        let (signature, guessed) = signature_with_guesses(&compiled.library, name, &lengths, None).unwrap();
        guessed.into_iter().map(|index| signature.remark_on_length(index)).collect::<Vec<_>>()
    };
    let assumed = notes("sum", &[]);
    assert_eq!(assumed.len(), 1);
    assert!(assumed[0].starts_with("x is taken to have as many elements as n says"), "{assumed:?}");
    assert!(notes("sum", &["x=4".to_owned()]).is_empty());
    assert!(notes("pointers", &[])[0].starts_with("w is taken to point to one element"));
}

/// Structs beside a length were one object each, behind which calls with greater lengths read. What is written is a result.
#[test]
fn structs_that_are_read_beside_a_length_are_as_many() {
    let source = "typedef struct { double x, y; } P;\n\
        double later(const P *p, int n, P *out) { out->x = n; return n < 100 ? 0 : 1 / p[n].x; }\n";
    let compiled = Compiled::new("f.c", source, "-O0");
    let p = "{x@0:f64,y@8:f64}";
    assert_eq!(compiled.shown("later", &[]), format!("p:in {p}*n<=8 n:i32 out:inout {p}*1 -> f64"));
    let source = "struct P { double x; double at(int n) const; };\ndouble P::at(int n) const { return x / n; }\n";
    let method = Compiled::new("f.cpp", source, "-O0");
    assert!(method.shown("P::at", &[]).starts_with("this:in {x@0:f64}*1 n:i32"), "{}", method.shown("P::at", &[]));
}

#[test]
fn length_options_that_do_not_fit_are_refused() {
    let compiled = Compiled::new("f.c", DRIVABLE, "-O0");
    let fails = |option: &str| compiled.signature("sum", &[option]).unwrap_err().to_string();
    assert!(fails("y=3").contains("there is no parameter y"));
    assert!(fails("n=3").contains("n is not a pointer"));
    assert!(fails("x=m").contains("there is no parameter m"));
    assert!(fails("x=scale").contains("scale is not an integer parameter"));
    assert!(fails("x=0").contains("from 1 to"));
    assert!(fails("x").contains("PARAMETER=NUMBER"));
    assert!(LengthOptions::parse(&["x=1".to_owned(), "x=2".to_owned()]).is_err());
}

#[test]
fn directions_come_from_the_optimised_ir() {
    let text = "struct v { double x, y; };
        void f(double *in, double *out, double *both, struct v *o, struct v by)
        { *out = in[0] * 2; *both += 1; o->x = by.y; o->y = by.x; }
        struct v swap(double *p, struct v a) { struct v r = { a.y + *p, a.x }; return r; }";
    let compiled = Compiled::with("f.c", text, "-O2", true);
    let pair = "{x@0:f64,y@8:f64}";
    let expected = format!("in:in f64*1 out:out f64*1 both:inout f64*1 o:out {pair}*1 by:{pair} -> void");
    assert_eq!(compiled.shown("f", &[]), expected);
    assert_eq!(compiled.shown("swap", &[]), format!("p:in f64*1 a:{pair} -> {pair}"));
}

#[test]
fn what_cannot_be_driven_is_named_with_its_reason() {
    let text = r"
        #include <stdint.h>
        typedef union { double d; int64_t i; } both;
        typedef double v4 __attribute__((vector_size(32)));
        struct node { double x; struct node *next; };
        struct __attribute__((packed)) tight { char c; double d; };
        struct bits { unsigned a : 3; double d; };
        struct open { int n; double x[]; };
        double callback(double (*f)(double)) { return f(1); }
        double opaque(double x, const void *p) { return x + !p; }
        double uni(both u) { return u.d; }
        double variadic(double x, ...) { return x; }
        double twice(double **pp) { return **pp; }
        double vector(v4 v) { return v[0]; }
        double list(struct node *n) { return n->x; }
        double packed(struct tight t) { return t.d; }
        double field(struct bits *b) { return b->d; }
        double flexible(struct open *o) { return o->x[0]; }
        double wide(__int128 i) { return i; }
        double quad(_Float128 q) { return q; }
        double *address(double *x) { return x; }
        double fine(double x) { return x; }";
    let compiled =
        Compiled::new("f.c", &text.replace("double quad(_Float128 q)", "double quad(__float128 q)"), "-O1 -w");
    for (name, parts) in [
        ("callback", &["callback: parameter f of type a function pointer", "function pointers"][..]),
        ("opaque", &["parameter p of type const void *", "void*"]),
        ("uni", &["parameter u of type both", "unions"]),
        ("variadic", &["variable number of arguments"]),
        ("twice", &["parameter pp of type double **", "behind pointers"]),
        ("vector", &["parameter v of type v4", "vector types"]),
        ("list", &["parameter n of type node *", "member next"]),
        ("packed", &["packed"]),
        ("field", &["bit-fields"]),
        ("flexible", &["without a length"]),
        ("wide", &["64 bits"]),
        ("quad", &["parameter q", "binary64"]),
        ("address", &["the result of type double *", "pointers"]),
    ] {
        let error = compiled.error(name);
        for part in parts {
            assert!(error.contains(part), "{name}: {error}");
        }
    }
    assert_eq!(compiled.shown("fine", &[]), "x:f64 -> f64");
}

#[test]
fn cpp_names_references_and_objects() {
    let text = r"
        #include <complex>
        namespace geo {
            struct P { double x, y; static int count; double norm() const { return x * x + y * y; } };
            double dist(const P &a, P &&b) { return a.x - b.y; }
            double dist(double a) { return a; }
            class C { public: C(const C &) {} double d; virtual ~C() {} };
            double refuse(C c) { return c.d; }
        }
        static double local(double &out) { return out += 1; }
        double use(double x, geo::P p) { return local(x) + p.norm(); }
        std::complex<double> turn(std::complex<double> z) { return -z; }
        template <typename T> T twice(T x) { return x + x; }
        template float twice<float>(float);";
    for flags in ["-O0", "gcc -O0"] {
        let compiled = Compiled::new("f.cpp", text, flags);
        let pair = "{x@0:f64,y@8:f64}";
        assert_eq!(compiled.shown("use", &[]), format!("x:f64 p:{pair} -> f64"));
        assert_eq!(compiled.shown("geo::dist(double)", &[]), "a:f64 -> f64");
        let two = compiled.functions().into_iter().find(|f| f.qualified.starts_with("geo::dist(geo::P const")).unwrap();
        assert_eq!(compiled.shown(&two.symbol, &[]), format!("a:in {pair}*1 b:inout {pair}*1 -> f64"));
        let error = compiled.error("geo::dist");
        assert!(error.contains("several functions") && error.contains("geo::dist(double)"), "{error}");
        assert_eq!(compiled.shown("norm", &[]), format!("this:in {pair}*1 -> f64"));
        assert_eq!(compiled.shown("local", &[]), "out:inout f64*1 -> f64");
        assert!(!choose_function(&compiled.functions(), Some("local")).unwrap().external);
        let complex = "{_M_value@0:{re@0:f64,im@8:f64}}";
        assert_eq!(compiled.shown("turn", &[]), format!("z:{complex} -> {complex}"));
        assert_eq!(compiled.shown("twice<float>", &[]), "x:f32 -> f32");
        assert!(compiled.error("geo::refuse").contains("parameter c"), "{}", compiled.error("geo::refuse"));
    }
}

const FORTRAN: &str = "module m
  type :: pt
    real(8) :: x, y
  end type
contains
  real(8) function hyp(x, y)
    real(8), intent(in) :: x
    real(8), value :: y
    hyp = sqrt(x*x + y*y)
  end function
  subroutine fill(n, a, b, c, p, l, z)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(4), intent(out) :: b(*)
    real(8), intent(inout) :: c(3)
    type(pt) :: p
    logical, intent(in) :: l
    complex(8), intent(in) :: z
    b(1) = real(a(1) + c(1) + p%x + real(z))
    if (l) p%y = c(2)
  end subroutine
  real(8) function shaped(s)
    real(8) :: s(:)
    shaped = s(1)
  end function
  function pair(x) result(r)
    real(8), intent(in) :: x
    type(pt) :: r
    r%x = x
    r%y = 1
  end function
  function both(x)
    real(8), intent(in) :: x
    real(8) :: both(2)
    both = x
  end function
end module
function Total(n, a) result(r)
  integer :: n
  real :: a(n), r
  r = sum(a)
end function
";

#[test]
fn fortran_arguments_are_references_unless_the_ir_says_value() {
    for flags in ["-O0", "-O2"] {
        let compiled = Compiled::with("f.f90", FORTRAN, flags, true);
        let hyp = compiled.shown("hyp", &[]);
        assert!(hyp.contains("y:f64 -> f64"), "{flags}: {hyp}");
        assert_eq!(compiled.signature("hyp", &[]).unwrap().symbol, "_QMmPhyp");
        let error = compiled.error("shaped");
        assert!(error.contains("parameter s") && error.contains("explicit shape"), "{error}");
        // Debug information describes these as subroutines without the result; they take its address before everything else.
        for hidden in ["pair", "both"] {
            assert!(compiled.error(hidden).contains("the result of type array or derived type"), "{flags}: {hidden}");
        }
        // Fortran has no case.
        assert_eq!(compiled.signature("TOTAL", &[]).unwrap().symbol, "total_");
    }
    let optimised = Compiled::with("f.f90", FORTRAN, "-O2", true);
    assert_eq!(optimised.shown("hyp", &[]), "x:in f64*1 y:f64 -> f64");
    assert_eq!(optimised.shown("total", &[]), "n:in i32*1 a:in f32*n<=8 -> f32");
    let fill = optimised.shown("fill", &["b=2"]);
    let expected = "n:inout i32*1 a:in f64*n<=8 b:out f32*2 c:in f64*3 p:inout {x@0:f64,y@8:f64}*1 l:in i32*1 \
                    z:in {re@0:f64,im@8:f64}*1 -> void";
    // `n` is not used: its direction is whatever LLVM infers.
    assert_eq!(fill.replace("n:in i32", "n:inout i32"), expected);
}

const RUST: &str = r#"
#[repr(C)] #[derive(Clone, Copy)] pub struct P { pub re: f64, pub im: f64 }
#[derive(Clone, Copy)] pub struct Mixed { pub small: u8, pub large: f64, pub mid: f32 }
#[unsafe(no_mangle)] pub extern "C" fn exported(p: P, n: i32, x: *const f64, m: Mixed3) -> P { P { re: unsafe { *x }, im: p.re + n as f64 + m.a as f64 } }
#[repr(C)] pub struct Mixed3 { pub a: f32, pub b: f32, pub c: f32 }
pub mod m {
    pub fn hyp(x: f64, y: f32, flag: bool) -> f64 { if flag { x * y as f64 } else { super::own(x) } }
    pub fn refs(a: &f64, b: &mut f32, c: &[f64; 4], d: *mut f64, p: &super::P, q: &super::Mixed) -> super::P {
        *b = *a as f32; unsafe { *d = c[1] }; super::P { re: p.im, im: q.large } }
    pub fn slice(x: &[f64]) -> f64 { x[0] }
    pub fn dynamic(x: &dyn Fn(f64) -> f64) -> f64 { x(1.0) }
    pub fn triple(x: [f64; 3]) -> f64 { x[2] }
    pub fn mixed(x: super::Mixed) -> f64 { x.large }
    pub fn option(x: Option<f64>) -> f64 { x.unwrap_or(0.0) }
    pub fn letter(x: char) -> f64 { x as u32 as f64 }
}
fn own(x: f64) -> f64 { x / 3.0 }
#[unsafe(no_mangle)] pub extern "C" fn alias(x: f64) -> f64 { own(x) }
"#;

#[test]
fn rust_signatures() {
    let pair = "{re@0:f64,im@8:f64}";
    for flags in ["-C opt-level=0", "-C opt-level=3 -C target-cpu=native"] {
        let compiled = Compiled::with("lib.rs", RUST, flags, true);
        let three = "{a@0:f32,b@4:f32,c@8:f32}";
        assert_eq!(compiled.shown("exported", &[]), format!("p:{pair} n:i32 x:in f64*n<=8 m:{three} -> {pair}"));
        assert_eq!(compiled.shown("hyp", &[]), "x:f64 y:f32 flag:bool -> f64");
        assert_eq!(compiled.shown("m::hyp", &[]), "x:f64 y:f32 flag:bool -> f64");
        assert_eq!(compiled.shown("lib::m::hyp", &[]), "x:f64 y:f32 flag:bool -> f64");
        // The optimised IR knows that `b` and `d` are only written.
        let refs = compiled.shown("refs", &["d=2"]).replace("inout", "out");
        let start = format!("a:in f64*1 b:out f32*1 c:in f64*4 d:out f64*2 p:in {pair}*1 q:in {{");
        assert!(refs.starts_with(&start), "{refs}");
        assert_eq!(compiled.shown("own", &[]), "x:f64 -> f64");
        // At level 3 this is another name of `own`, without debug information of its own.
        assert_eq!(compiled.shown("alias", &[]), "x:f64 -> f64");
        // So it is in the IR, and mangled names are the same in both.
        for name in ["alias", "m::hyp", "own"] {
            let symbol = compiled.signature(name, &[]).unwrap().symbol;
            assert!(compiled.program.as_ref().unwrap().function(&symbol).is_some(), "{symbol} at {flags}");
        }
        for (name, part) in [
            ("slice", "slices are not supported"),
            ("dynamic", "trait objects"),
            ("triple", "arrays by value"),
            ("mixed", "extern \"C\""),
            ("option", "enums"),
            ("letter", "character types"),
        ] {
            let error = compiled.error(name);
            assert!(error.contains(part) && error.contains("parameter x"), "{name}: {error}");
        }
        assert!(compiled.functions().iter().all(|function| !function.symbol.contains("memchr")));
    }
}

/// The hashes of Rust's symbols depend on the flags: two builds' signatures, read with one build's IR, were unequal.
#[test]
fn rust_signatures_agree_between_levels() {
    let [low, high] = ["-C opt-level=0", "-C opt-level=3"].map(|flags| Compiled::with("lib.rs", RUST, flags, true));
    let read = |compiled: &Compiled| {
        let of = signature(&compiled.library, "refs", &LengthOptions::default(), high.program.as_ref()).unwrap();
        (of.symbol, of.parameters, of.result)
    };
    let (low, high) = (read(&low), read(&high));
    assert_ne!(low.0, high.0);
    assert_eq!((low.1, low.2), (high.1, high.2));
}

#[test]
fn functions_are_chosen_by_what_users_write() {
    let one = Compiled::new(
        "f.c",
        "static double g(double x) { return x + 1; }\ndouble f(double x) { return g(x); }\n",
        "-O0",
    );
    let functions = one.functions();
    assert_eq!(choose_function(&functions, None).unwrap().name, "f");
    let g = choose_function(&functions, Some("g")).unwrap();
    assert_eq!((g.external, g.in_main_file, g.line, g.language), (false, true, Some(1), Some(Language::C)));
    let compiled = Compiled::new("f.c", DRIVABLE, "-O0");
    let functions = compiled.functions();
    let several = choose_function(&functions, None).unwrap_err().to_string();
    assert!(several.contains("choose one with -f: scalars, pointers, sum, two"), "{several}");
    let unknown = choose_function(&functions, Some("scalar")).unwrap_err().to_string();
    assert!(unknown.starts_with("there is no function scalar; there is scalars"), "{unknown}");
}

/// Its result was said to be in the way, which is a number.
#[test]
fn character_arguments_of_fortran_are_what_is_in_the_way() {
    let text = "module m\ncontains\n  function chr(c) result(r)\n    character(*), intent(in) :: c\n    real(8) :: r\n    r = 1.0d0 / len(c)\n  end function\nend module\n";
    let compiled = Compiled::with("m.f90", text, "-O0", true);
    let error =
        signature(&compiled.library, "m::chr", &LengthOptions::default(), compiled.program.as_ref()).unwrap_err();
    assert!(matches!(&error, SignatureError::Undescribed { .. }), "{error}");
}

/// A function with a lambda in it was ambiguous by its whole name, and a template's only instance had none without its arguments.
#[test]
fn functions_of_cpp_are_chosen_by_their_whole_names() {
    let text = "namespace geo { double lam(double x) { auto f = [](double y) { return 1 / y; }; return f(x); }\n\
                template <class T> T clip(T x) { return x > 1 ? T(1) : x; } template double clip<double>(double);\n\
                struct S { double operator()(double x) const { return x; } }; double use(double x) { return S()(x); } }\n";
    let functions = Compiled::new("f.cpp", text, "-O0").functions();
    for (name, qualified) in [
        ("geo::lam", "geo::lam(double)"),
        ("lam", "geo::lam(double)"),
        ("geo::clip", "double geo::clip<double>(double)"),
        ("geo::clip<double>", "double geo::clip<double>(double)"),
        ("geo::S::operator()", "geo::S::operator()(double) const"),
    ] {
        assert_eq!(choose_function(&functions, Some(name)).unwrap().qualified, qualified, "{name}");
    }
}

/// `dotn<float,3>` was none of the functions, whose name the compiler writes with a space.
#[test]
fn spaces_in_names_of_instances_do_not_matter() {
    let text = "namespace n { template <class T, int N> T dotn(T x) { return x * N; } }\n\
                template float n::dotn<float, 3>(float);\ntemplate unsigned int n::dotn<unsigned int, 2>(unsigned int);\n";
    let functions = Compiled::new("f.cpp", text, "-O0").functions();
    let found = |name: &str| choose_function(&functions, Some(name)).map(|function| function.name.clone());
    for name in ["n::dotn<float,3>", "dotn<float,3>", "dotn< float , 3 >", "n::dotn<float, 3>"] {
        assert_eq!(found(name).unwrap(), "dotn<float, 3>", "{name}");
    }
    assert_eq!(found("dotn<unsigned  int,2>").unwrap(), "dotn<unsigned int, 2>");
    assert!(found("dotn<unsignedint,2>").is_err() && found("dotn<float,33>").is_err());
}

#[test]
fn static_functions_are_there_until_they_are_inlined() {
    let text = "static double g(double x) { return x + 1; }\ndouble f(double x) { return g(x); }\n";
    for flags in ["-O2", "gcc -O2"] {
        let functions = Compiled::new("f.c", text, flags).functions();
        let error = choose_function(&functions, Some("g")).unwrap_err().to_string();
        assert!(error.contains("g cannot be called in this build"), "{flags}: {error}");
        assert_eq!(choose_function(&functions, None).unwrap().name, "f");
    }
    // gcc replaces the unused parameter and says so in the symbol.
    let text = "__attribute__((noinline)) static double g(double x, int unused) { return x + 1; }\n\
                double f(double x) { return g(x, 1) * g(x + 1, 2); }\n";
    let compiled = Compiled::new("f.c", text, "gcc -O2");
    let error = choose_function(&compiled.functions(), Some("g")).unwrap_err();
    assert!(matches!(&error, SignatureError::Changed { symbol, .. } if symbol.starts_with("g.")), "{error}");
    assert!(matches!(compiled.signature("g", &[]), Err(SignatureError::Changed { .. })));
}

#[test]
fn without_debug_information_a_prototype_is_asked_for() {
    let compiled = Compiled::new("f.c", DRIVABLE, "-O0 -Wl,--strip-debug");
    let names: Vec<String> = compiled.functions().into_iter().map(|function| function.name).collect();
    assert!(names.contains(&"sum".to_owned()) && !names.contains(&"frame_dummy".to_owned()), "{names:?}");
    let error = compiled.error("sum");
    assert!(error.contains("no debug information") && error.contains("--signature"), "{error}");
    assert!(compiled.error("nonsense").starts_with("there is no function"));
}

#[test]
fn files_that_are_no_objects_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.so");
    assert!(matches!(functions_in(&path), Err(SignatureError::Read { .. })));
    fs::write(&path, "not an object").unwrap();
    assert!(matches!(functions_in(&path), Err(SignatureError::Read { .. })));
}

/// Damaged debug information ends in an error or in some answer, never in a panic or an endless loop.
#[test]
fn damaged_debug_information_does_no_harm() {
    use object::{Object, ObjectSection};
    let compiled = Compiled::new("f.c", DRIVABLE, "-O0");
    let bytes = fs::read(&compiled.library).unwrap();
    let ranges: Vec<(u64, u64)> = {
        let file = object::File::parse(&*bytes).unwrap();
        let sections = [".debug_info", ".debug_abbrev", ".debug_str_offsets"];
        sections.iter().filter_map(|name| file.section_by_name(name)?.file_range()).collect()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.so");
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let (mut failed, mut answered) = (0, 0);
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        for _ in 0..4 {
            let (offset, size) = ranges[random() as usize % ranges.len()];
            damaged[(offset + random() % size) as usize] = random() as u8;
        }
        fs::write(&path, &damaged).unwrap();
        match signature(&path, "pointers", &LengthOptions::default(), None) {
            Ok(_) => answered += 1,
            Err(_) => failed += 1,
        }
    }
    assert!(failed > 0 && answered > 0, "{failed} {answered}");
}
