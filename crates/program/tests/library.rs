//! Libraries of several sources, as compilation databases describe them.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use labrys_program::{
    Access, Fingerprints, FunctionFilter, LibraryBuild, LibraryError, LibraryFunction, LibraryOptions, ParameterType,
    build_library,
};

/// A project in a folder of its own.
struct Project {
    folder: tempfile::TempDir,
    sources: Vec<String>,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let project = Project { folder: tempfile::tempdir().unwrap(), sources: Vec::new() };
        let mut project = Project {
            sources: files.iter().map(|(name, _)| (*name).to_owned()).filter(|name| !name.ends_with(".h")).collect(),
            ..project
        };
        files.iter().for_each(|(name, text)| project.write(name, text));
        project.sources.sort();
        let entries: Vec<String> = project
            .sources
            .iter()
            .map(|name| {
                format!(
                    "{{\"directory\": \"{}\", \"file\": \"{name}\", \"command\": \"cc -O2 -Iinclude -c {name} -o {name}.o\"}}",
                    project.folder.path().display()
                )
            })
            .collect();
        project.write("compile_commands.json", &format!("[{}]", entries.join(",")));
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn try_build(&self) -> Result<LibraryBuild, LibraryError> {
        let mut options = LibraryOptions::new(Instant::now() + Duration::from_secs(60));
        options.jobs = 2;
        build_library(self.folder.path(), &options, &self.folder.path().join("out"))
    }

    fn build(&self) -> LibraryBuild {
        self.try_build().unwrap()
    }
}

fn function<'b>(build: &'b LibraryBuild, name: &str) -> &'b LibraryFunction {
    let names = || build.functions.iter().map(|function| function.name.as_str()).collect::<Vec<_>>();
    build.functions.iter().find(|function| function.name == name).unwrap_or_else(|| panic!("{name}: {:?}", names()))
}

fn fingerprint(build: &LibraryBuild, name: &str) -> [u8; 32] {
    Fingerprints::new(&build.program).of(&[function(build, name).function])
}

const HEADER: &str =
    "typedef struct { double val, err; } result;\nint root_e(double x, result *r);\n#define SCALE 2.0\n";

const ROOT: &str = r#"
#include <math.h>
#include "lib.h"
static double scaled(double x) { return x * SCALE; }
int root_e(double x, result *r) {
    if (x < 0.0) { r->val = NAN; r->err = NAN; return 1; }
    r->val = sqrt(scaled(x));
    r->err = 1e-16;
    r->err += fabs(r->val) * 1e-16;
    return 0;
}
"#;

const USER: &str = r#"
#include "include/lib.h"
static double scaled(double x) { return x * 3.0; }
double root(double x) { result r; root_e(scaled(x), &r); return r.val; }
double norm(const double *x, int n) { double s = 0.0; for (int i = 0; i < n; i++) s += x[i] * x[i]; return s; }
void add(double *total, double x) { *total += x; }
double with(double (*f)(double), double x) { return f(x); }
double missing(double x) { extern double nowhere(double); return nowhere(x); }
"#;

const APART: &str = "double apart(double x) { return x + 1.0; }\n";

fn project() -> Project {
    Project::new(&[
        ("include/lib.h", HEADER),
        ("root.c", ROOT),
        ("user.c", USER),
        ("apart.c", APART),
        ("main.c", "int main(void) { return 0; }\n"),
        ("second.c", "int main(void) { return 1; }\n"),
        ("broken.c", "int broken(void) { return nothing; }\n"),
    ])
}

#[test]
fn a_library_is_its_sources_without_those_that_do_not_fit() {
    let build = project().build();
    assert_eq!(build.units.len(), 4, "{:?}", build.units);
    assert_eq!(build.compiled, 5);
    assert_eq!(build.notes.len(), 2, "{:?}", build.notes);
    assert!(
        build.notes[0].starts_with("broken.c is left out: ") && build.notes[0].contains("'nothing'"),
        "{:?}",
        build.notes
    );
    assert_eq!(build.notes[1], "second.c is left out: it defines main, as main.c does");
    assert!(build.compilers[0].starts_with("clang "));
    assert!(build.functions.iter().all(|function| function.address != 0));
    assert!(function(&build, "root").is_public);
    assert_eq!(function(&build, "root").line, Some(4));
    assert!(function(&build, "root").file.ends_with("user.c"));
}

#[test]
fn static_functions_of_one_name_are_told_apart() {
    let build = project().build();
    let (a, b) = (function(&build, "root.c:scaled"), function(&build, "user.c:scaled"));
    assert!(!a.is_public && !b.is_public);
    assert_eq!(a.symbol, b.symbol);
    assert_ne!(a.address, b.address);
    assert_ne!(fingerprint(&build, &a.name), fingerprint(&build, &b.name));
    let matching = |pattern: &str| {
        let filter = FunctionFilter::new(&[pattern.to_owned()]).unwrap();
        build.functions.iter().filter(|function| filter.matches(function)).map(|f| f.name.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(matching("scaled"), ["root.c:scaled", "user.c:scaled"]);
    assert_eq!(matching("user.c:s*"), ["user.c:scaled"]);
    assert_eq!(matching("*/root.c:*"), ["root.c:scaled", "root_e"]);
    assert_eq!(matching("root*"), ["root.c:scaled", "root_e", "root"]);
}

/// A database may be older than its folder.
#[test]
fn a_source_that_is_gone_is_left_out() {
    let project = project();
    fs::remove_file(project.folder.path().join("apart.c")).unwrap();
    let build = project.build();
    assert!(build.notes.iter().any(|note| note.starts_with("apart.c is left out: ")), "{:?}", build.notes);
    assert!(build.functions.iter().any(|function| function.name == "root"));
}

#[test]
fn directions_are_what_the_code_does() {
    let build = project().build();
    let access = |name: &str| {
        let signature = function(&build, name).signature.as_ref().unwrap();
        let pointers = signature.parameters.iter().filter_map(|parameter| match &parameter.ty {
            ParameterType::Pointer { access, .. } => Some(*access),
            ParameterType::Value(_) => None,
        });
        pointers.collect::<Vec<_>>()
    };
    assert_eq!(access("root_e"), [Access::Out]);
    assert_eq!(access("norm"), [Access::In]);
    assert_eq!(access("add"), [Access::InOut]);
    let why = function(&build, "with").signature.as_ref().unwrap_err();
    assert!(why.contains("function pointers are not supported"), "{why}");
    let norm = function(&build, "norm");
    let remark = norm.signature.as_ref().unwrap().remark_on_length(norm.guessed[0]);
    assert!(remark.contains("as many elements as n says"));
}

#[test]
fn only_what_changed_is_compiled_again() {
    let project = project();
    let first = project.build();
    let again = project.build();
    assert_eq!(again.compiled, 0);
    assert_eq!(again.notes, first.notes);
    assert_eq!(again.functions.len(), first.functions.len());

    project.write("include/lib.h", &HEADER.replace("2.0", "4.0"));
    let changed = project.build();
    // Both sources read the header, but only one uses what changed.
    assert_eq!(changed.compiled, 2);
    for name in ["apart", "norm", "user.c:scaled"] {
        assert_eq!(fingerprint(&first, name), fingerprint(&changed, name), "{name}");
    }
    for name in ["root_e", "root", "root.c:scaled"] {
        assert_ne!(fingerprint(&first, name), fingerprint(&changed, name), "{name}");
    }

    fs::remove_file(project.folder.path().join("out/library.so")).unwrap();
    project.write("broken.c", "int whole(void) { return 1; }\n");
    let mended = project.build();
    assert_eq!((mended.compiled, mended.notes.len()), (1, 1));
    assert_eq!(fingerprint(&changed, "root"), fingerprint(&mended, "root"));
    assert!(mended.library.exists());
}

#[test]
fn nothing_that_compiles_is_an_error() {
    let project = Project::new(&[("broken.c", "int broken(void) { return nothing; }\n")]);
    assert!(project.try_build().unwrap_err().to_string().contains("nothing"));
    let project = Project::new(&[("a.rs", "fn a() {}\n")]);
    let error = project.try_build().unwrap_err().to_string();
    assert_eq!(
        error,
        "the compilation database names no source in C, C++ or Fortran: a.rs is left out: libraries of Rust are not supported"
    );
    let missing = build_library(Path::new("/nowhere"), &LibraryOptions::new(Instant::now()), Path::new("/tmp"));
    assert!(matches!(missing, Err(LibraryError::Build(_))));
}

/// Sources in an order in which no compiler takes them; beside them C that one of them calls.
/// The script makes what labrys made, wherever it is run, and when labrys' own folder is gone.
#[test]
fn a_library_is_made_again_by_its_script() {
    let kinds = "module kinds\ninteger, parameter :: dp = kind(1.0d0)\nend module\n";
    let mean = "module stats\nuse kinds\ncontains\nreal(dp) function half(x)\nreal(dp), intent(in) :: x\nhalf = x/2\nend function\nend module\n";
    let project = Project::new(&[
        ("a.f90", mean),
        ("two.c", "#include \"own.h\"\ndouble twice(double x) { return F * x; }\n"),
        ("include/own.h", "#define F 2\n"),
        ("z.f90", kinds),
    ]);
    let build = project.build();
    let script = build.script(Instant::now() + Duration::from_secs(60)).unwrap();
    fs::remove_dir_all(project.folder.path().join("out")).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("make.sh"), &script.text).unwrap();
    let run =
        std::process::Command::new("sh").args(["make.sh", "lib.so"]).current_dir(elsewhere.path()).output().unwrap();
    assert!(run.status.success(), "{}\n{}", script.text, String::from_utf8_lossy(&run.stderr));
    let library = elsewhere.path().join("lib.so");
    assert!(labrys_program::exports(&library, "twice") && labrys_program::exports(&library, "_QMstatsPhalf"));
    let own = ["a.f90", "include/own.h", "two.c", "z.f90"].map(|file| project.folder.path().join(file));
    assert!(own.iter().all(|file| script.files.contains(file)), "{:?}", script.files);
    assert!(script.files.iter().all(|file| !file.starts_with("/usr")), "{:?}", script.files);
}

#[test]
fn fortran_sources_wait_for_the_modules_that_they_use() {
    let mean = "module a_stats\n use z_kinds\n implicit none\n interface\n  function half(x) bind(C)\n   import dp\n   \
                real(dp), value :: x\n   real(dp) :: half\n  end function\n end interface\ncontains\n \
                real(dp) function mean(x, y)\n  real(dp), intent(in) :: x, y\n  mean = half(x + y)\n end function\n\
                real(dp) function by_value(x)\n  real(dp), value :: x\n  by_value = x\n end function\nend module\n";
    let kinds = "module z_kinds\n integer, parameter :: dp = kind(1.0d0)\nend module\n";
    let project =
        Project::new(&[("a.f90", mean), ("half.c", "double half(double x) { return x / 2; }\n"), ("z.f90", kinds)]);
    let build = project.build();
    assert!(build.notes.is_empty(), "{:?}", build.notes);
    for name in ["a_stats%mean", "a_stats%by_value", "half"] {
        function(&build, name).signature.as_ref().unwrap_or_else(|why| panic!("{name}: {why}"));
    }
    for (pattern, is_there) in [("a_stats::mean", true), ("a_stats%mean", true), ("mean", true), ("mea", false)] {
        let filter = FunctionFilter::new(&[pattern.to_owned()]).unwrap();
        assert_eq!(filter.matches(function(&build, "a_stats%mean")), is_there, "{pattern}");
    }
    assert_eq!(project.build().compiled, 0);
    // Whoever uses a module is compiled again where it changes, and nobody else is.
    project.write("z.f90", &kinds.replace("1.0d0", "1.0"));
    assert_eq!(project.build().compiled, 2);
}
