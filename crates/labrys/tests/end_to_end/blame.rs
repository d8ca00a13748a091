//! What is blamed for a divergence whose cause is known, because the function was written to have it.

use crate::harness::Bench;

const SOURCE: &str = "\
    #include <errno.h>\n#include <math.h>\n#include <complex.h>\n\
    double associative(double a, double b) { return (a + b) - a; }\n\
    double reciprocal(double x) { return x / 10.0; }\n\
    double zero(double x) { return x + 0.0; }\n\
    int nans(double x) { return x != x; }\n\
    int infinities(double x) { return x == INFINITY; }\n\
    double contracted(double x, double y, double z) { double p = x * y; return p + z; }\n\
    double approximate(double x) { return pow(x, 2.5); }\n\
    int errors(double x) { errno = 0; double y = sqrt(x); return errno + (y > 1e300); }\n\
    double trapping(double x) { return x + 1.0 / 0.0; }\n\
    double complex limited(double complex a, double complex b) { return a / b; }\n\
    double flushed(double x) { return x * 0.5; }\n\
    double order(double *v) { double s = 0; for (int i = 0; i < 8; i++) s += v[i]; return s; }\n";

/// What is blamed in a function with this input: flags, and the pass.
fn blamed(bench: &Bench, function: &str, builds: [&str; 2], input: &str) -> (Vec<String>, Option<String>) {
    let arguments = ["--ulps", "0", "--all", "--format", "json", "--input", input];
    let [baseline, variant] = builds;
    let run = bench.labrys(
        &[&["diff", "f.c", "-f", function, "--baseline", baseline, "--variant", variant], &arguments[..]].concat(),
    );
    let finding = run.finding("with blame", |finding| finding["difference"]["blame"].is_object());
    let blame = &finding["difference"]["blame"];
    let flags = blame["flags"].as_array().into_iter().flatten().filter_map(|flag| flag.as_str()).map(str::to_owned);
    (flags.collect(), blame["pass"].as_str().map(str::to_owned))
}

fn others(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).filter(|flag| *flag != "-O3").collect()
}

/// A flag, and those that compilers ignore it without.
fn wanted(flag: &str) -> Vec<&str> {
    match flag {
        "-fassociative-math" => vec![flag, "-fno-signed-zeros", "-fno-trapping-math"],
        flag => vec![flag],
    }
}

#[test]
fn the_flag_and_the_pass_are_named() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    let fast = ["-O0", "-O3 -ffast-math"];
    let fused = ["-O0 -mfma", "-O3 -ffast-math -mfma"];
    for (function, builds, input, flag, pass) in [
        ("associative", fast, "a=1e20,b=1", "-fassociative-math", "early-cse"),
        ("reciprocal", fast, "x=3", "-freciprocal-math", "instcombine"),
        ("zero", fast, "x=-0.0", "-fno-signed-zeros", "early-cse"),
        ("nans", fast, "x=nan", "-fno-honor-nans", ""),
        ("infinities", fast, "x=inf", "-fno-honor-infinities", "early-cse"),
        ("contracted", fused, "x=1.1,y=1.3,z=-1.43", "-ffp-contract=fast", "x86-isel"),
        ("approximate", fast, "x=3.1", "-fapprox-func", "instcombine"),
        ("errors", fast, "x=-1", "-fno-math-errno", ""),
        ("order", fast, "v[0]=1e16,v[1]=1,v[2]=1,v[4]=1,v[5]=-1e16,v[7]=3", "-fassociative-math", "slp-vectorizer"),
    ] {
        let (flags, found) = blamed(&bench, function, builds, input);
        assert_eq!(others(&flags), wanted(flag), "{function}: {flags:?}");
        let is_right = found.as_deref().map_or(pass.is_empty(), |found| found.contains(pass));
        assert!(is_right, "{function}: {found:?}");
    }
}

#[test]
fn what_gcc_does_is_blamed_on_its_flags() {
    let bench = Bench::new(&[("f.c", SOURCE)]);
    for (function, input, flag) in [
        ("trapping", "x=1", "-fno-trapping-math"),
        ("limited", "a.re=1e200,b.re=1e200,b.im=1e200", "-fcx-limited-range"),
        ("flushed", "x=3e-308", "start-up code that flushes to zero"),
        ("reciprocal", "x=3", "-freciprocal-math"),
    ] {
        let (flags, pass) = blamed(&bench, function, ["gcc -O0", "gcc -O3 -ffast-math"], input);
        assert_eq!((others(&flags), pass), (wanted(flag), None), "{function}");
    }
}
