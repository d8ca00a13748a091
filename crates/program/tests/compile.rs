//! Compiler drivers against the real compilers, and against scripts that misbehave.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use labrys_program::{
    BuildError, BuildSpec, CompilationDatabase, InstructionKind, Language, Origin, Program, build_shared, control_spec,
    emit_ir, parse_build,
};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn script(&self, name: &str, text: &str) -> String {
        let path = self.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    fn spec(&self, source: &Path, text: &str) -> BuildSpec {
        let language = Language::of(source).unwrap_or(Language::C);
        BuildSpec { role: "variant".to_owned(), ..parse_build(text, language).unwrap() }
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// The symbols of functions that a shared object defines, local ones included.
fn functions(library: &Path) -> Vec<String> {
    use object::{Object, ObjectSymbol};
    let bytes = fs::read(library).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let defined = file.symbols().filter(|symbol| symbol.kind() == object::SymbolKind::Text && symbol.is_definition());
    defined.map(|symbol| symbol.name().unwrap().to_owned()).collect()
}

fn has_lines(library: &Path) -> bool {
    use object::{Object, ObjectSection};
    let bytes = fs::read(library).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.section_by_name(".debug_line").is_some_and(|section| section.size() > 0)
}

const C: &str = "static double third(double x) { return x / 3; }\ndouble f(double x) { return third(x) + N; }\n";
const TINY: &str = "double f(double x) { return x / 3; }\n";

#[test]
fn c_with_clang_and_gcc() {
    let folder = Folder::new();
    let source = folder.write("f.c", C);
    for (text, version) in [("-O3 -ffast-math", "clang 22."), ("gcc -O2", "gcc "), ("clang-22 -O0 -g0", "clang 22.")] {
        let mut spec = folder.spec(&source, text);
        spec.common_flags = vec!["-DN=8".to_owned()];
        let build = build_shared(&spec, &source, &folder.path("out"), soon()).unwrap();
        assert!(build.compiler.starts_with(version), "{}", build.compiler);
        assert_eq!(build.library, folder.path("out/variant.so"));
        assert!(functions(&build.library).contains(&"f".to_owned()));
        assert_eq!(build.flags[0], "-DN=8");
        assert_eq!(build.recipe.last().unwrap(), "so");
        assert!(has_lines(&build.library), "-g comes after the user's -g0");
        let (bitcode, notes) = emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap();
        assert!(Program::from_bitcode_file(&bitcode).unwrap().function("f").is_some());
        assert_eq!(notes.len(), usize::from(text.starts_with("gcc")), "{notes:?}");
    }
}

/// Sources among what a build is linked with are part of what is analysed; of others a note says so.
#[test]
fn the_ir_of_linked_sources_is_linked() {
    let folder = Folder::new();
    let source = folder.write("f.c", "double helper(double);\ndouble f(double x) { return helper(x); }\n");
    let helper = folder.write("h.c", "double helper(double x) { return x * 3; }\n");
    let other = folder.write("g.c", "double helper(double x) { return x * }\n");
    let spec = BuildSpec { link: vec![helper], ..folder.spec(&source, "clang -O0") };
    let is_defined = |bitcode: &Path| {
        let program = Program::from_bitcode_file(bitcode).unwrap();
        program.function("helper").is_some_and(|id| !program.functions[id.index()].blocks.is_empty())
    };
    let (bitcode, notes) = emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap();
    assert!(is_defined(&bitcode), "{notes:?}");
    assert_eq!(notes, Vec::<String>::new());
    let spec = BuildSpec { link: vec![other], ..folder.spec(&source, "clang -O0") };
    let (bitcode, notes) = emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap();
    assert!(!is_defined(&bitcode));
    assert!(notes[0].contains("g.c is left out"), "{notes:?}");
}

#[test]
fn the_ir_at_level_zero_is_not_optimised() {
    let folder = Folder::new();
    let source = folder.write("f.c", "double f(double x) { double y = x * 2; return y / y; }\n");
    let allocas = |text: &str| {
        let (bitcode, _) = emit_ir(&folder.spec(&source, text), &source, &folder.path("out"), soon()).unwrap();
        let program = Program::from_bitcode_file(&bitcode).unwrap();
        let blocks = program.functions.iter().flat_map(|function| &function.blocks);
        let kinds = blocks.flat_map(|block| &block.instructions).map(|instruction| &instruction.kind);
        kinds.filter(|kind| matches!(kind, InstructionKind::Alloca(..))).count()
    };
    assert_eq!((allocas("-O0"), allocas("-O1")), (2, 0));
}

#[test]
fn flags_that_only_gcc_knows_are_dropped_from_the_ir_and_noted() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    let spec = folder.spec(&source, "gcc -O3 -ftree-partial-pre -ftree-loop-im -fmodulo-sched");
    let (bitcode, notes) = emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap();
    assert!(Program::from_bitcode_file(&bitcode).is_ok());
    let notes = notes.join("\n");
    assert!(
        notes.contains("does not know -ftree-partial-pre") && notes.contains("does not know -ftree-loop-im"),
        "{notes}"
    );
    assert!(notes.contains("ignores -fmodulo-sched"), "{notes}");
    let error = emit_ir(&folder.spec(&source, "clang -ftree-partial-pre"), &source, &folder.path("out"), soon());
    assert!(matches!(error, Err(BuildError::Refused { .. })), "clang's own builds lose no flag: {error:?}");
}

/// Link flags mean nothing to IR; with -Werror clang's warning that they are unused was an error.
#[test]
fn link_flags_and_werror_do_not_keep_the_ir_away() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    for text in ["-O1 -Werror -Wl,-z,now -lm", "gcc -O1 -Werror -Wl,-z,now -fmodulo-sched"] {
        let spec = folder.spec(&source, text);
        assert!(build_shared(&spec, &source, &folder.path("out"), soon()).is_ok());
        emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap();
    }
}

#[test]
fn a_proxy_that_cannot_run_its_compiler_is_quoted() {
    let folder = Folder::new();
    let source = folder.write("f.rs", "");
    let proxy = folder.script("rustc", "#!/bin/sh\necho 'error: no default toolchain' >&2; exit 1\n");
    let error = build_shared(&folder.spec(&source, &proxy), &source, &folder.path("out"), soon()).unwrap_err();
    assert!(error.to_string().contains("no default toolchain"), "{error}");
}

#[test]
fn cpp_fortran_and_rust() {
    let folder = Folder::new();
    let vector = "#include <vector>\ndouble f(double x) { return std::vector<double>(3, x)[1]; }\n";
    let fortran =
        "module m\ncontains\nreal(8) function hyp(x,y)\nreal(8),intent(in)::x,y\nhyp=sqrt(x*x+y*y)\nend\nend\n";
    let rust = "#[unsafe(no_mangle)] pub extern \"C\" fn hyp(x: f64, y: f64) -> f64 { (x * x + y * y).sqrt() }\n";
    let sources = [
        ("f.cpp", vector, "-O2", "clang 22", "_Z1fd"),
        ("g.cpp", TINY, "gcc -O2", "g++ ", "_Z1fd"),
        ("h.f90", fortran, "-O2", "flang 22", "_QMmPhyp"),
        ("l.rs", rust, "-C opt-level=3", "rustc 1.", "hyp"),
    ];
    for (name, text, flags, version, symbol) in sources {
        let source = folder.write(name, text);
        let spec = folder.spec(&source, flags);
        let build = build_shared(&spec, &source, &folder.path("out"), soon()).unwrap();
        assert!(build.compiler.starts_with(version), "{}", build.compiler);
        assert!(functions(&build.library).contains(&symbol.to_owned()), "{:?}", functions(&build.library));
        let (bitcode, _) = emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap();
        assert!(Program::from_bitcode_file(&bitcode).unwrap().function(symbol).is_some(), "{name}");
    }
    assert!(!Path::new("m.mod").exists(), "module files stay out of the current folder");
}

/// A cdylib drops what is not exported; small public functions and private ones have to be there all the same.
#[test]
fn mangled_rust_functions_are_kept_at_every_level() {
    let folder = Folder::new();
    let source = folder.write(
        "lib.rs",
        "pub fn hyp(x: f64) -> f64 { x * x }\n\
         #[inline] pub fn inl(x: f64) -> f64 { x + 1.0 }\n\
         fn own(x: f64) -> f64 { x / 3.0 }\n\
         pub mod m { pub fn deep(x: f64) -> f64 { super::own(x) } }\n",
    );
    for flags in ["-C opt-level=0", "-C opt-level=3 -C target-cpu=native -C lto"] {
        let build = build_shared(&folder.spec(&source, flags), &source, &folder.path("out"), soon()).unwrap();
        let found = functions(&build.library);
        for name in ["hyp", "inl", "own", "deep"] {
            let part = format!("{}{name}17h", name.len());
            assert!(found.iter().any(|symbol| symbol.contains(&part)), "{name} at {flags}");
        }
        assert_eq!(build.notes.len(), usize::from(flags.contains("lto")));
    }
}

#[test]
fn ir_and_shared_objects_are_inputs() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    let (bitcode, _) = emit_ir(&folder.spec(&source, "-O1"), &source, &folder.path("ir"), soon()).unwrap();
    let build = build_shared(&folder.spec(&bitcode, ""), &bitcode, &folder.path("out"), soon()).unwrap();
    assert!(functions(&build.library).contains(&"f".to_owned()));
    assert_eq!(emit_ir(&folder.spec(&bitcode, ""), &bitcode, &folder.path("out"), soon()).unwrap().0, bitcode);
    let text = folder.write("g.ll", "define double @g(double %x) {\n  %y = fdiv double %x, 3.0\n  ret double %y\n}\n");
    let (bitcode, _) = emit_ir(&folder.spec(&text, ""), &text, &folder.path("out"), soon()).unwrap();
    assert!(Program::from_bitcode_file(&bitcode).unwrap().function("g").is_some());
    let given = build_shared(&folder.spec(&build.library, ""), &build.library, &folder.path("out"), soon()).unwrap();
    assert_eq!((given.compiler.as_str(), given.library), ("unknown", build.library));
}

#[test]
fn link_files_are_linked() {
    let folder = Folder::new();
    let helper = folder.write("helper.c", "double helper(double x) { return x + 1; }\n");
    let helper = build_shared(&folder.spec(&helper, ""), &helper, &folder.path("helper"), soon()).unwrap();
    let source = folder.write("f.c", "double helper(double);\ndouble f(double x) { return helper(x); }\n");
    let mut spec = folder.spec(&source, "-O1 -Wl,--no-undefined");
    assert!(build_shared(&spec, &source, &folder.path("out"), soon()).is_err());
    spec.link = vec![helper.library];
    assert!(build_shared(&spec, &source, &folder.path("out"), soon()).is_ok());
}

#[test]
fn a_source_that_does_not_compile_gives_the_compilers_words() {
    let folder = Folder::new();
    let source = folder.write("f.c", "double f(double x) { return y; }\n");
    let error = build_shared(&folder.spec(&source, "-O0"), &source, &folder.path("out"), soon()).unwrap_err();
    let BuildError::Refused { words, .. } = &error else { panic!("{error}") };
    assert!(words.contains("undeclared identifier 'y'"), "{words}");
    let many = "double f(void) { return 0; }\n".to_owned() + &"int g(void) { return y; }\n".repeat(300);
    let source = folder.write("g.c", &many);
    let spec = folder.spec(&source, "-ferror-limit=0");
    let error = build_shared(&spec, &source, &folder.path("out"), soon()).unwrap_err();
    assert!(error.to_string().lines().count() < 70);
}

#[test]
fn missing_things_are_named() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    let out = folder.path("out");
    let fails = |text: &str, source: &Path, out: &Path| {
        build_shared(&folder.spec(source, text), source, out, soon()).unwrap_err().to_string()
    };
    assert_eq!(fails("gcc-99 -O2", &source, &out), "the compiler gcc-99 is not there: apt-get install gcc-99");
    assert!(fails("/nowhere/cc", &source, &out).contains("no executable file has that path"));
    assert!(fails("rustc -O", &source, &out).contains("rustc does not compile C"));
    assert!(fails("ls -l", &source, &out).contains("not a compiler known here"));
    assert!(fails("", &folder.path("none.c"), &out).starts_with("cannot read "));
    assert!(fails("", &source, &source).starts_with("cannot write to "));
    assert!(matches!(Language::of("f.txt".as_ref()), Err(BuildError::UnknownLanguage { .. })));
}

/// The script starts a child that would write a file after a second: killing the group keeps it from doing so.
#[test]
fn a_hanging_compiler_is_killed_with_its_children() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    let late = folder.path("late");
    let version = "[ \"$1\" = --version ] && echo 'clang version 22.1.8' && exit";
    let hang = format!("#!/bin/sh\n{version}\n(sleep 1; touch {}) &\nsleep 1000\n", late.display());
    let compiler = folder.script("hang", &hang);
    let start = Instant::now();
    let deadline = start + Duration::from_millis(400);
    let error = build_shared(&folder.spec(&source, &compiler), &source, &folder.path("out"), deadline).unwrap_err();
    assert!(matches!(error, BuildError::TimedOut { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(1));
    std::thread::sleep(Duration::from_millis(1300));
    assert!(!late.exists());
}

#[test]
fn a_compiler_that_writes_nothing_is_refused() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    let text = "#!/bin/sh\n[ \"$1\" = --version ] && echo 'gcc (GCC) 12.2.0' && exit\nexit 0\n";
    let compiler = folder.script("mute", text);
    let error = build_shared(&folder.spec(&source, &compiler), &source, &folder.path("out"), soon()).unwrap_err();
    assert!(error.to_string().contains("without writing anything"), "{error}");
}

#[test]
fn a_control_does_not_contract() {
    let folder = Folder::new();
    let source = folder.write("f.c", "double f(double x, double y) { return x * y + 1; }\n");
    let fused = |spec: &BuildSpec| {
        let build = build_shared(spec, &source, &folder.path("out"), soon()).unwrap();
        let listing = Command::new("objdump").arg("-d").arg(&build.library).output().unwrap();
        String::from_utf8_lossy(&listing.stdout).contains("vfmadd")
    };
    for text in ["-Ofast -mfma -w", "gcc -O3 -ffast-math -mfma"] {
        let variant = folder.spec(&source, text);
        assert!(fused(&variant), "{text}");
        assert!(!fused(&control_spec(&variant, Language::C)), "{text}");
    }
}

#[test]
fn compilation_databases_give_a_files_own_flags() {
    let folder = Folder::new();
    fs::create_dir_all(folder.path("src/inc")).unwrap();
    fs::create_dir_all(folder.path("build")).unwrap();
    folder.write("src/inc/n.h", "#define N 3\n");
    let source = folder.write("src/f.c", "#include \"n.h\"\ndouble f(double x) { return x * N * M; }\n");
    let other = folder.write("src/g.c", "");
    folder.write(
        "build/compile_commands.json",
        r#"[{"directory":".","file":"../src/g.c","arguments":["cc","-isystem","../src/inc","-c","../src/g.c"]},
            {"directory":".","file":"../src/f.c","output":"f.o",
             "command":"ccache /usr/bin/cc -I../src/inc -DM=\"(1 + 1)\" -O2 -MD -MF f.d -o f.o -c ../src/f.c"}]"#,
    );
    let database = CompilationDatabase::load(&folder.path("build")).unwrap();
    let flags = database.flags_for(&source).unwrap().flags;
    assert_eq!(flags.len(), 3, "{flags:?}");
    assert_eq!(flags[1..], ["-DM=(1 + 1)", "-O2"]);
    let mut spec = folder.spec(&source, "-O0");
    spec.common_flags = flags;
    assert!(build_shared(&spec, &source, &folder.path("out"), soon()).is_ok());
    assert_eq!(database.flags_for(&other).unwrap().flags.len(), 2);
    let missing = database.flags_for(&folder.path("src/h.c")).unwrap_err().to_string();
    assert!(missing.contains("no entry for"), "{missing}");
    assert!(CompilationDatabase::load(&folder.path("src")).is_err());
}

/// What a report names is refused before anything of it runs: the script would leave a file when it is asked for its version.
#[test]
fn a_report_names_neither_programs_nor_harmful_flags_nor_objects() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    let evil = folder.script("evil", &format!("#!/bin/sh\ntouch {}\n", folder.path("owned").display()));
    let object = folder.write("f.o", "");
    let refused = |spec: BuildSpec, words: &str| {
        let origin = Origin::Report { trusted: false, announce: |_| {} };
        let spec = BuildSpec { origin, ..spec };
        for error in [
            build_shared(&spec, &source, &folder.path("out"), soon()).unwrap_err(),
            emit_ir(&spec, &source, &folder.path("out"), soon()).unwrap_err(),
            spec.check(Language::C).unwrap_err(),
        ] {
            assert!(matches!(error, BuildError::Untrusted { .. }), "{error}");
            assert!(error.to_string().contains(words) && error.to_string().contains("--trust"), "{error}");
        }
    };
    refused(folder.spec(&source, &evil), &evil);
    refused(folder.spec(&source, "-O2 -fplugin=./x.so"), "-fplugin=./x.so, which loads code into the compiler");
    refused(folder.spec(&source, "gcc -B."), "-B.");
    refused(BuildSpec { link: vec![object], ..folder.spec(&source, "-O2") }, "f.o, which is no source");
    assert!(!folder.path("owned").exists());
    let trusted = Origin::Report { trusted: true, announce: |_| {} };
    let spec = BuildSpec { origin: trusted, ..folder.spec(&source, "-O2 -Wl,--as-needed") };
    assert!(build_shared(&spec, &source, &folder.path("out"), soon()).is_ok());
}

#[test]
fn a_reports_command_lines_are_told_before_they_run() {
    static TOLD: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    let folder = Folder::new();
    let source = folder.write("f.c", "#error no\n");
    let origin = Origin::Report { trusted: false, announce: |line| TOLD.lock().unwrap().push(line.to_owned()) };
    let spec = BuildSpec { origin, ..folder.spec(&source, "gcc -O2 '-DX=a b'") };
    build_shared(&spec, &source, &folder.path("out"), soon()).unwrap_err();
    let told = TOLD.lock().unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    let parts = ["gcc ", " -O2 '-DX=a b' -g ", "f.c "];
    assert!(told[0].starts_with('/') && parts.iter().all(|part| told[0].contains(part)), "{told:?}");
}

/// rustup's proxy runs whatever compiler a file in the current folder names.
#[test]
fn a_reports_rustc_is_not_the_current_folders() {
    let folder = Folder::new();
    let source = folder.write("f.rs", "pub extern \"C\" fn f(x: f64) -> f64 { x + 1.0 }\n");
    static TOLD: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());
    let origin = Origin::Report { trusted: false, announce: |line| TOLD.lock().unwrap().push(line.to_owned()) };
    let spec = BuildSpec { origin, ..folder.spec(&source, "-C opt-level=1") };
    let build = build_shared(&spec, &source, &folder.path("out"), soon()).unwrap();
    assert_eq!(build.recipe[0], "rustc");
    let told = TOLD.lock().unwrap();
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).current_dir("/").output().unwrap();
    let sysroot = String::from_utf8_lossy(&sysroot.stdout).trim().to_owned();
    assert!(told[0].starts_with(&format!("{sysroot}/bin/rustc ")), "{told:?}");
}

/// The driver was given `./@f.c`, and clang and gcc read flags from it all the same: the compiler proper is told `@f.c`.
#[test]
fn a_source_is_not_taken_for_a_list_of_flags() {
    let folder = Folder::new();
    let source = folder.write("@f.c", "-load ./evil.so\n");
    for compiler in ["clang", "gcc"] {
        let error = build_shared(&folder.spec(&source, compiler), &source, &folder.path("out"), soon()).unwrap_err();
        assert!(matches!(error, BuildError::Source { .. }), "{error}");
    }
}

#[test]
fn flags_of_a_database_that_reach_beyond_the_compiler_are_left_out() {
    let folder = Folder::new();
    let source = folder.write("f.c", TINY);
    folder.write(
        "compile_commands.json",
        r#"[{"directory":".","file":"f.c","arguments":["./evil.sh","-O2","-fplugin=./x.so","@more","-Wall","-include","f.h",
             "-mllvm","-load=x","-B","tools","-o","f.o","-c","f.c"]}]"#,
    );
    let project = CompilationDatabase::load(&folder.path("")).unwrap().flags_for(&source).unwrap();
    assert_eq!((&project.flags[..3], project.flags.len()), (&["-O2", "-Wall", "-include"].map(str::to_owned)[..], 4));
    let starts = |flag: &str| project.notes.iter().any(|note| note.starts_with(&format!("{flag} of ")));
    assert!(["-fplugin=./x.so", "@more", "-mllvm -load=x", "-B tools"].into_iter().all(starts), "{:?}", project.notes);
    assert_eq!(project.notes.len(), 4);
}

/// Modules of the project's build are read where one source is compiled; a library makes its own.
#[test]
fn fortran_modules_of_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for (name, text) in [("f.f90", "end\n"), ("mods/a.mod", ""), ("b.mod", "")] {
        std::fs::create_dir_all(folder.path().join("mods")).unwrap();
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    for words in ["-J mods -Jnone", "-module-dir mods", "-J./mods"] {
        let database = format!(
            "[{{\"directory\": \"{}\", \"file\": \"f.f90\", \"command\": \"gfortran -O2 {words} -c f.f90\"}}]",
            folder.path().display()
        );
        std::fs::write(folder.path().join("compile_commands.json"), database).unwrap();
        let database = CompilationDatabase::load(folder.path()).unwrap();
        let one = database.flags_for(&folder.path().join("f.f90")).unwrap();
        let flags: Vec<String> = one.flags.iter().map(|flag| flag.replace("/./", "/")).collect();
        assert_eq!(flags, ["-O2".to_owned(), format!("-I{}", path("mods")), format!("-I{}", path("."))]);
        assert_eq!(database.sources().unwrap()[0].1.flags, ["-O2"]);
        assert!(one.notes.is_empty(), "{:?}", one.notes);
    }
}
