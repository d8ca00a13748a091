//! Random calls as C statements.

use rand::RngExt;
use rand_pcg::Pcg64;

fn pick<'t>(random: &mut Pcg64, all: &[&'t str]) -> &'t str {
    all[random.random_range(0..all.len())]
}

fn digits(random: &mut Pcg64, most: usize, all: &str) -> String {
    let count = random.random_range(0..=most);
    let all: Vec<char> = all.chars().collect();
    (0..count).map(|_| all[random.random_range(0..all.len())]).collect()
}

/// Numbers around what errno is about: zeros, the least normal numbers, the greatest ones, those that are rounded to them.
const EXTREMES: [&str; 24] = [
    "0.0e400",
    "0e-400",
    "0x0p9999",
    "2.2250738585072011e-308",
    "2.2250738585072012e-308",
    "2.2250738585072013e-308",
    "2.2250738585072014e-308",
    "1.17549421e-38",
    "1.17549429e-38",
    "1.17549432e-38",
    "1.17549435e-38",
    "3.3621031431120935063e-4932",
    "1.7976931348623158e308",
    "1.7976931348623159e308",
    "3.40282357e38",
    "3.4028236e38",
    "5e-324",
    "2e-324",
    "1e-45",
    "7e-46",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
];

/// The text of a number, or nearly one.
fn number(random: &mut Pcg64) -> String {
    let start = format!("{}{}", pick(random, &["", "", " ", "\\t "]), pick(random, &["", "", "-", "+", "+-"]));
    let body = match random.random_range(0..10) {
        0 => pick(
            random,
            &["inf", "nan", "infinity", "NAN(12)", "INFx", "in", "0x", "0xg", "x", ".", "e5", "0x.p1", "-"],
        )
        .to_owned(),
        // Zeros with exponents, and the ends of the types' ranges from both sides.
        1 if random.random() => pick(random, &EXTREMES).to_owned(),
        1 | 2 => format!(
            "0x{}.{}{}",
            digits(random, 6, "0123456789abcdefF"),
            digits(random, 12, "08f"),
            pick(random, &["", "p3", "p-1070", "p+", "P1100"])
        ),
        3 | 4 => digits(random, 22, "0123456789"),
        5 => digits(random, 12, "0179azAZ"),
        _ => format!(
            "{}.{}{}",
            digits(random, 20, "0123456789"),
            digits(random, 25, "0123456789"),
            pick(random, &["", "", "e3", "e-5", "e308", "E-310", "e-324", "e", "e+", "e99999", "e-99999", "e22"])
        ),
    };
    format!("{start}{body}{}", pick(random, &["", "", "z", " 1", "."]))
}

/// A call, and the exceptions that it raises.
fn raising(call: &str) -> String {
    format!("feclearexcept(FE_ALL_EXCEPT); {call} mix((unsigned long)fetestexcept(FE_ALL_EXCEPT));")
}

/// `strtod`, `strtol` and their kin.
pub fn reading(random: &mut Pcg64) -> String {
    let text = number(random);
    let mode = pick(random, &["FE_TONEAREST", "FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"]);
    let base = pick(random, &["10", "10", "0", "16", "8", "2", "36"]);
    let call = match random.random_range(0..9) {
        0 | 1 => raising("mix_double(strtod(text, &end));"),
        2 => raising("mix_double(strtof(text, &end));"),
        3 => "mix_long(strtold(text, &end));".to_owned(),
        4 => format!("mix((unsigned long)strtol(text, &end, {base}));"),
        5 => format!("mix(strtoul(text, &end, {base}));"),
        6 => format!("mix((unsigned long)strtoll(text, &end, {base}));"),
        7 => format!("mix(strtoull(text, &end, {base}));"),
        _ => "mix((unsigned long)atoi(text)); mix((unsigned long)atol(text)); mix_double(atof(text)); end = (char *)text;".to_owned(),
    };
    format!(
        "const char *text = \"{text}\"; char *end; fesetround({mode}); {call} fesetround(FE_TONEAREST); mix((unsigned long)(end - text));"
    )
}

/// What calls of `vsnprintf` go through.
pub const WRITING: &str = "static int written(char *to, size_t size, const char *format, ...) { va_list list; va_start(list, format); int length = vsnprintf(to, size, format, list); va_end(list); return length; }";

/// `snprintf` and its kin.
pub fn writing(random: &mut Pcg64) -> String {
    let flags: String = digits(random, 2, "-+ #0");
    let width = pick(random, &["", "", "1", "8", "25"]);
    let precision = pick(random, &["", "", ".", ".0", ".3", ".17", ".20"]);
    let any: u64 = random.random();
    let float = match random.random_range(0..4) {
        0 => format!("{:e}", f64::from_bits(any)),
        1 => pick(
            random,
            &["0.0", "-0.0", "0.5", "1.5", "9.5", "0.1", "1e23", "5e-324", "123456789.0", "999999.5", "1e15", "0.0001"],
        )
        .to_owned(),
        _ => format!("{:e}", any as i32 as f64 / 1000.0),
    };
    let float = float.replace("inf", "__builtin_inf()").replace("NaN", "__builtin_nan(\"\")");
    let integer = if any.is_multiple_of(3) { (any % 300) as i64 - 150 } else { any as i64 };
    let (conversion, argument) = match random.random_range(0..14) {
        0..5 => (pick(random, &["e", "f", "g", "G", "a", "E", "A"]).to_owned(), format!("(double)({float})")),
        5 => (pick(random, &["Lf", "Le", "Lg"]).to_owned(), format!("(long double)({float})")),
        6 | 7 => {
            (pick(random, &["d", "i", "u", "x", "X", "o", "hhd", "hu", "c"]).to_owned(), format!("(int){integer}l"))
        }
        8 | 9 => (pick(random, &["ld", "lu", "lx", "llo", "zd", "jd", "Ld"]).to_owned(), format!("{integer}l")),
        10 | 11 => ("s".to_owned(), format!("\"{}\"", digits(random, 12, "abcXYZ "))),
        12 => (pick(random, &["s", "p"]).to_owned(), "(void *)0".to_owned()),
        _ => ("%".to_owned(), "0".to_owned()),
    };
    // A character may be a zero byte, with which texts end; a percent sign takes no argument.
    let argument = if conversion == "%" { String::new() } else { format!(", {argument}") };
    let format = match conversion.as_str() {
        "c" => format!("%{width}c"),
        _ => format!("%{flags}{width}{precision}{conversion}"),
    };
    let size = pick(random, &["400", "400", "5", "1"]);
    let function = pick(random, &["snprintf", "written"]);
    format!(
        "char text[400] = \"\"; mix((unsigned long){function}(text, {size}, \"<{format}> %d\"{argument}, 5)); mix_text(text); mix((unsigned long)sprintf(text, \"%s{format}\", \"\"{argument})); mix_text(text);"
    )
}

/// What begins as a number, and how it goes on.
const SCANNED: [&str; 20] = [
    "0x1f",
    "017",
    "abc",
    "",
    "9",
    "1.5e3",
    "2e-5",
    "inf",
    ".",
    "nan",
    "NAN(",
    "infinit",
    "1e",
    "1e+",
    "0x",
    "0x1p",
    "0x1p+",
    "(nil)",
    "(ni",
    "99999999999999999999",
];

/// `sscanf`.
pub fn scanning(random: &mut Pcg64) -> String {
    let mut text = String::new();
    let mut format = String::new();
    let mut declared = String::new();
    let mut arguments = String::new();
    let mut mixed = String::new();
    for place in 0..random.random_range(1..4) {
        let (conversion, ty) = match random.random_range(0..9) {
            0 | 1 => (pick(random, &["d", "i", "u", "x", "3d", "1x", "hhd"]), "int"),
            2 => (pick(random, &["ld", "li", "lx", "zu"]), "long"),
            3 => (pick(random, &["lf", "le", "5lf", "2lg"]), "double"),
            4 => (pick(random, &["f", "a", "3f"]), "float"),
            8 => ("p", "void *"),
            5 => (pick(random, &["7s", "[a-z]", "[^,]", "5[0-9x]", "[]x-]", "3c"]), "char"),
            6 => ("n", "int"),
            _ => ("*d", ""),
        };
        let piece = match ty {
            "char" => digits(random, 6, "abcx019-]"),
            _ if random.random_range(0..3) == 0 => number(random),
            _ => format!(
                "{}{}{}",
                pick(random, &["", "-", "+", " "]),
                match random.random_range(0..4) {
                    0 => pick(random, &SCANNED).to_owned(),
                    1 => format!("{}.{}", digits(random, 9, "0123456789"), digits(random, 9, "0123456789")),
                    _ => digits(random, 9, "0123456789"),
                },
                pick(random, &["", "", "z"])
            ),
        };
        text.push_str(&piece);
        let between = pick(random, &[" ", ",", " ,", ""]);
        text.push_str(pick(random, &[between, " "]));
        format.push_str(&format!("%{conversion}{between}"));
        match ty {
            "" => {}
            "char" => {
                declared.push_str(&format!("char v{place}[400] = \"\"; "));
                arguments.push_str(&format!(", v{place}"));
                mixed.push_str(&format!("mix_text(v{place}); "));
            }
            _ => {
                declared.push_str(&format!("{ty} v{place} = 0; "));
                arguments.push_str(&format!(", &v{place}"));
                let mix = match ty {
                    "double" | "float" => "mix_double",
                    "void *" => "mix((unsigned long)v); (void)",
                    _ => "mix",
                };
                let mix = mix.replace("v)", &format!("v{place})"));
                mixed.push_str(&format!("{mix}(v{place}); "));
            }
        }
    }
    format!("{declared}mix((unsigned long)sscanf(\"{text}\", \"{format}\"{arguments})); {mixed}")
}

/// Comparisons that tell what they were asked.
pub const SORTING: &str = "struct item { int key; char place; }; static const struct item *first;
static int by_key(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; mix((unsigned long)x * 31 + (unsigned long)y); return (x > y) - (x < y); }
static int by_item(const void *a, const void *b) { const struct item *x = a, *y = b; mix((unsigned long)x->place * 256 + (unsigned long)y->place); return x->key - y->key; }";

/// `qsort` and `bsearch`.
pub fn sorting(random: &mut Pcg64) -> String {
    let count = random.random_range(0..12);
    let keys: Vec<i32> = (0..count).map(|_| random.random_range(0..7)).collect();
    if random.random() {
        let all: Vec<String> = keys.iter().enumerate().map(|(place, key)| format!("{{{key}, {place}}}")).collect();
        return format!(
            "struct item items[] = {{{0}{1}{{9, 99}}}}; qsort(items, {count}, sizeof *items, by_item); for (int i = 0; i < {count}; i++) mix((unsigned long)items[i].place);",
            all.join(", "),
            if all.is_empty() { "" } else { ", " }
        );
    }
    let mut keys = keys;
    keys.sort_unstable();
    let all: Vec<String> = keys.iter().map(i32::to_string).collect();
    format!(
        "int keys[] = {{{}{}99}}, key = {}; int *found = bsearch(&key, keys, {count}, sizeof *keys, by_key); mix(found ? (unsigned long)(found - keys) : 77);",
        all.join(", "),
        if all.is_empty() { "" } else { ", " },
        random.random_range(0..8)
    )
}

/// string.h.
pub fn texts(random: &mut Pcg64) -> String {
    let (a, b, set) = (digits(random, 12, "abcAB,"), digits(random, 3, "abA,"), digits(random, 3, "aB,"));
    let n = random.random_range(0..6);
    let call = match random.random_range(0..16) {
        0 => "for (char *t = strtok(a, set); t; t = strtok(NULL, set)) mix_text(t);",
        1 => "char *rest; for (char *t = strtok_r(a, set, &rest); t; t = strtok_r(NULL, set, &rest)) mix_text(t);",
        2 => "mix(strspn(a, set)); mix(strcspn(a, set)); mix_text(strpbrk(a, set));",
        3 => "mix_text(strstr(a, b)); mix_text(strcasestr(a, b));",
        4 => "mix((unsigned long)strcasecmp(a, b)); mix((unsigned long)strncasecmp(a, b, N));",
        5 => "mix_text(memmem(a, strlen(a), b, strlen(b)));",
        6 => "char *at = a, *t; while ((t = strsep(&at, set))) mix_text(t);",
        7 => "mix_text(strrchr(a, 'a')); mix_text(memrchr(a, 'a', strlen(a))); mix_text(strchrnul(a, 'B'));",
        8 => "char *t = strndup(a, N); mix_text(t); free(t); t = strdup(b); mix_text(t); free(t);",
        9 => {
            "char to[20]; memset(to, 'z', 20); char *end = stpncpy(to, a, N); mix((unsigned long)(end - to)); for (int i = 0; i < 20; i++) mix((unsigned long)to[i]);"
        }
        10 => "mix((unsigned long)(strverscmp(a, b) > 0)); mix((unsigned long)(strcoll(a, b) > 0));",
        11 => {
            "char to[20] = \"\"; void *end = memccpy(to, a, 'B', strlen(a) + 1); mix(end ? (unsigned long)((char *)end - to) : 99); mix_text(to);"
        }
        12 => {
            "char to[20] = \"\"; mix((unsigned long)((char *)mempcpy(to, a, strlen(a)) - to)); mix_text(to); mix(strxfrm(to, b, 20)); mix_text(to);"
        }
        13 => {
            "for (char *t = a; *t; t++) { *t = (char)(isupper((unsigned char)*t) ? tolower((unsigned char)*t) : toupper((unsigned char)*t)); } mix_text(a);"
        }
        14 => "char to[40] = \"s\"; strncat(to, a, N); mix_text(to); mix_text(stpcpy(to, b)); mix_text(to);",
        _ => {
            "mix_text(index(a, 'b')); mix_text(rindex(a, 'b')); div_t q = div((int)strlen(a) - 6, 4); mix((unsigned long)q.quot); mix((unsigned long)q.rem);"
        }
    };
    format!(
        "char a[20] = \"{a}\"; const char *b = \"{b}\", *set = \"{set}\"; {}",
        call.replace('N', &n.to_string()).replace(&format!("{n}ULL"), "NULL")
    )
}

/// `rand` and its kin.
pub fn random_numbers(random: &mut Pcg64) -> String {
    let any: u32 = random.random();
    let seed = if any.is_multiple_of(3) { any % 5 } else { any };
    let count = random.random_range(1..40);
    match random.random_range(0..4) {
        0 => format!("srand({seed}u); for (int i = 0; i < {count}; i++) mix((unsigned long)rand());"),
        1 => format!("srandom({seed}u); for (int i = 0; i < {count}; i++) mix((unsigned long)random());"),
        2 => format!("unsigned s = {seed}u; for (int i = 0; i < {count}; i++) mix((unsigned long)rand_r(&s)); mix(s);"),
        _ => format!(
            "srand48({seed}l); mix_double(drand48()); mix((unsigned long)lrand48()); mix((unsigned long)mrand48()); unsigned short at[3] = {{1, 2, (unsigned short){seed}u}}; mix_double(erand48(at)); mix((unsigned long)nrand48(at)); mix((unsigned long)jrand48(at));"
        ),
    }
}

/// Complex numbers, as C has them.
pub const COMPLEX: &str = r#"
#include <complex.h>
static double plain(double x) { return x != x ? (double)NAN : x; }
static void mix_complex(double complex z) { mix_double(plain(creal(z))); mix_double(plain(cimag(z))); }
"#;

/// A double of any kind, as C writes it.
pub fn any_double(random: &mut Pcg64) -> String {
    match random.random_range(0..12) {
        0 => "(double)NAN".to_owned(),
        1 => "(double)INFINITY".to_owned(),
        2 => "-(double)INFINITY".to_owned(),
        3 => "0.0".to_owned(),
        4 => "-0.0".to_owned(),
        5 => format!("0x{}p-1074", random.random_range(1..20)),
        6 => format!("0x1.{:x}p{}", random.random_range(0..1u64 << 52), random.random_range(-1022..1024)),
        7 => format!("-0x1.{:x}p{}", random.random_range(0..1u64 << 52), random.random_range(1000..1024)),
        8 => format!("{}.0", random.random_range(-4..5)),
        _ => format!("{:?}", (random.random_range(-1000..1000) as f64) / 7.0),
    }
}

/// Products, quotients, and remainders with quotients.
pub fn complex_numbers(random: &mut Pcg64) -> String {
    let mut any = || any_double(random);
    let (a, b, c, d) = (any(), any(), any(), any());
    let operator = pick(random, &["*", "/", "/", "remquo"]);
    if operator == "remquo" {
        return format!(
            "int q = 77; mix_double(plain(remquo({a}, {b}, &q))); mix((unsigned long)q); float f = remquof((float)({c}), (float)({d}), &q); mix_double(plain(f)); mix((unsigned long)q); long double l = remquol({a}, {b}, &q); mix_long(l != l ? 0 : l); mix((unsigned long)q);"
        );
    }
    let ty = pick(random, &["double", "double", "float"]);
    format!(
        "volatile {ty} a = {a}, b = {b}, c = {c}, d = {d}; {ty} complex x, y, z; __real__ x = a; __imag__ x = b; __real__ y = c; __imag__ y = d; z = x {operator} y; mix_complex(z);"
    )
}

/// What tells results of functions of floats bit for bit, NaNs' payloads included, and exceptions.
pub const MATHEMATICS: &str = r#"
#include <complex.h>
static void bits_f(float x) { unsigned u; memcpy(&u, &x, 4); mix(u); }
static void bits_d(double x) { unsigned long u; memcpy(&u, &x, 8); mix(u); }
static void bits_l(long double x) { unsigned long u[2] = {0, 0}; memcpy(u, &x, 10); mix(u[0]); mix(u[1]); }
#define BITS(x) _Generic((x), float: bits_f, double: bits_d, long double: bits_l)(x)
"#;

/// C's real types: what suffix functions have, the greatest exponent of two, the least one, and the bits of a significand.
const TYPES: [(&str, &str, i32, i32, u32); 3] =
    [("float", "f", 127, -149, 24), ("double", "", 1023, -1074, 53), ("long double", "l", 16383, -16445, 64)];

/// A number of a type, as C writes it: of any kind, and often where functions of complex numbers go another way.
fn number_of(random: &mut Pcg64, (ty, suffix, most, least, bits): (&str, &str, i32, i32, u32)) -> String {
    let sign = pick(random, &["", "-"]);
    let fraction = |random: &mut Pcg64| random.random_range(0..1u64 << 60);
    let text = match random.random_range(0..15) {
        14 => return format!("{sign}__builtin_nans{suffix}(\"{}\")", random.random_range(1..99)),
        0 => "(long double)NAN".to_owned(),
        1 => "(long double)INFINITY".to_owned(),
        2 | 3 => "0.0L".to_owned(),
        4 => format!("0x{}p{least}L", random.random_range(1..20)),
        5 => format!("0x1.{:015x}p{}L", fraction(random), random.random_range(least..most)),
        6 => format!("0x1.{:015x}p{}L", fraction(random), random.random_range(most - 3..=most)),
        7 => format!("0x1.{:015x}p{}L", fraction(random), random.random_range(2 - most - 4..2 - most + 4)),
        8 => format!("{}.0L", random.random_range(0..3)),
        // Up to three times the greatest logarithm.
        9 => format!("0x1.{:015x}p0L * {}", fraction(random), most * random.random_range(1..18) / 16),
        10 | 11 => format!("0x0.{:015x}p0L", fraction(random)),
        12 => format!("0x1.{:015x}p{}L", fraction(random), -(bits as i32) + random.random_range(-3..3)),
        _ => format!("0x1.{:015x}p{}L", fraction(random), random.random_range(-4..5)),
    };
    format!("({ty})({sign}({text}))")
}

/// Functions of one complex number, and of two.
pub fn complex_functions(random: &mut Pcg64) -> String {
    const NUMBERS: [&str; 3] = ["cabs", "carg", "cabs"];
    const FUNCTIONS: [&str; 12] =
        ["csqrt", "cexp", "clog", "clog10", "csin", "ccos", "ctan", "csinh", "ccosh", "ctanh", "cproj", "conj"];
    let of = TYPES[random.random_range(0..3)];
    let (ty, suffix, ..) = of;
    let parts: Vec<String> = (0..4).map(|_| number_of(random, of)).collect();
    let call = match random.random_range(0..16) {
        0 | 1 => format!("{ty} r = {}{suffix}(z); BITS(r);", pick(random, &NUMBERS)),
        2 => format!("z = cpow{suffix}(z, w); BITS(__real__ z); BITS(__imag__ z);"),
        _ => format!("z = {}{suffix}(z); BITS(__real__ z); BITS(__imag__ z);", pick(random, &FUNCTIONS)),
    };
    format!(
        "volatile {ty} a = {}, b = {}, c = {}, d = {}; {ty} complex z, w; __real__ z = a; __imag__ z = b; __real__ w = c; __imag__ w = d; feclearexcept(FE_ALL_EXCEPT); {call} mix((unsigned long)fetestexcept(FE_ALL_EXCEPT));",
        parts[0], parts[1], parts[2], parts[3]
    )
}

/// Functions of encodings and classes, and others that are not one operation.
pub fn float_functions(random: &mut Pcg64) -> String {
    let of = TYPES[random.random_range(0..3)];
    let (ty, s, ..) = of;
    let mut operand = |name: &str| match random.random_range(0..6) {
        // Any encoding, x87's odd ones among them.
        0 => {
            let (any, high): (u64, u16) = (random.random(), random.random());
            let high = if random.random() { high } else { high | 0x7fff };
            format!(
                "unsigned long {name}_bits[2] = {{{any}ul, {high}}}; {ty} {name}; memcpy(&{name}, {name}_bits, sizeof {name});"
            )
        }
        1 => format!("{ty} {name} = {}.{};", random.random_range(-300..300i32), pick(random, &["0", "5", "25", "75"])),
        _ => format!("{ty} {name} = {};", number_of(random, of)),
    };
    let (x, y) = (operand("x"), operand("y"));
    let (direction, width) = (random.random_range(-1..7i32), random.random_range(0..70));
    let suffixed = |name: &str| name.replace('@', s);
    let call = match random.random_range(0..15) {
        13 | 14 => narrowing(random, s),
        12 => format!("{ty} r = {}{s}({}, x); BITS(r);", pick(random, &["jn", "yn"]), random.random_range(0..2)),
        0 | 1 => {
            let name = pick(random, &["fromfp@", "ufromfp@", "fromfpx@", "ufromfpx@"]);
            format!("mix((unsigned long){}(x, {direction}, {width}));", suffixed(name))
        }
        2 => suffixed(pick(random, &["mix(totalorder@(&x, &y));", "mix(totalordermag@(&x, &y));"])),
        3 => suffixed(pick(random, &["mix(__issignaling@(x));", "mix(__iseqsig@(x, y));", "mix(iscanonical(x));"])),
        4 => format!("{ty} r = 7; mix((unsigned long)canonicalize{s}(&r, &x)); BITS(r);"),
        5 => format!("{ty} r = getpayload{s}(&x); BITS(r); r = getpayload{s}(&y); BITS(r);"),
        6 => {
            let name = pick(random, &["setpayload", "setpayloadsig"]);
            format!(
                "{ty} r = 7; mix((unsigned long){name}{s}(&r, x)); BITS(r); mix((unsigned long){name}{s}(&r, y < 0 ? -y : y)); BITS(r);"
            )
        }
        7 => format!("int sign = 7; {ty} r = lgamma{s}_r(x, &sign); BITS(r); mix((unsigned long)sign);"),
        8 => format!("mix((unsigned long)llogb{s}(x));"),
        9 => format!("{ty} r = scalb{s}(x, {}); BITS(r);", pick(random, &["y", "-7", "3", "100000"])),
        10 => format!("{ty} r = {}{s}(x); BITS(r);", pick(random, &["nextup", "nextdown"])),
        _ => {
            let name = pick(
                random,
                &[
                    "fmaxmag",
                    "fminmag",
                    "fmaximum",
                    "fminimum",
                    "fmaximum_mag",
                    "fminimum_mag",
                    "fmaximum_num",
                    "fminimum_num",
                    "fmaximum_mag_num",
                    "fminimum_mag_num",
                ],
            );
            let second = pick(random, &["y", "y", "-x", "x"]);
            format!("{ty} r = {name}{s}(x, {second}); BITS(r);")
        }
    };
    format!("{x} {y} feclearexcept(FE_ALL_EXCEPT); {call} mix((unsigned long)fetestexcept(FE_ALL_EXCEPT));")
}

/// An operation on doubles, or on long doubles, that is rounded to a narrower type.
fn narrowing(random: &mut Pcg64, suffix: &str) -> String {
    let long = if suffix == "l" { "l" } else { "" };
    let (to, start) = if long == "l" && random.random() { ("double", 'd') } else { ("float", 'f') };
    let mode = pick(random, &["FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"]);
    let second = pick(random, &["y", "y", "-x", "x"]);
    let call = match random.random_range(0..6) {
        0 => format!("sqrt{long}(x)"),
        1 => format!("fma{long}(x, {second}, {})", pick(random, &["y", "-x", "x * y"])),
        _ => format!("{}{long}(x, {second})", pick(random, &["add", "sub", "mul", "div"])),
    };
    format!(
        "fesetround({mode}); {to} r = {start}{call}; mix((unsigned long)fetestexcept(FE_ALL_EXCEPT)); fesetround(FE_TONEAREST); BITS(r);"
    )
}

/// Reads of standard input, one behind the other.
pub fn reads(random: &mut Pcg64) -> String {
    let mut text = String::from(
        "int i = 7, n = 9; unsigned u = 5; double d = 3; char line[12] = \"?\", c = '!', *all = NULL; size_t size = 0; ",
    );
    if random.random_range(0..4) == 0 {
        let count = random.random_range(0..5);
        text.push_str(&format!("mix((unsigned long)read(0, line, {count})); mix_text(line); "));
    }
    for _ in 0..random.random_range(1..5) {
        let count = random.random_range(1..9);
        let scanned = pick(
            random,
            &[
                "\"%d\", &i",
                "\"%i%n\", &i, &n",
                "\"%x\", &u",
                "\"%lf\", &d",
                "\"%3s\", line",
                "\"%c\", &c",
                "\"%5[0-9a-e]\", line",
                "\" %d ,\", &i",
                "\"%*d%c\", &c",
                "\"%2d%u\", &i, &u",
                "\"n%d\", &i",
                "\"%ms\", &all",
            ],
        );
        let call = match random.random_range(0..9) {
            0 => "mix((unsigned long)getchar());".to_owned(),
            1 => format!("mix(fgets(line, {count}, stdin) != NULL); mix_text(line);"),
            2 => format!("mix(fread(line, 1, {count}, stdin)); mix_text(line);"),
            3 => "{ long got = getline(&all, &size, stdin); mix((unsigned long)got); if (got > 0) mix_text(all); mix(size); }".to_owned(),
            4 => "mix(feof(stdin) != 0); mix(ferror(stdin) != 0);".to_owned(),
            5 if count < 3 => "clearerr(stdin);".to_owned(),
            _ => format!("mix((unsigned long)scanf({scanned}));"),
        };
        text.push_str(&call);
        // What is given back may be read by a stream alone.
        if random.random_range(0..8) == 0 {
            text.push_str(" mix((unsigned long)ungetc('4', stdin)); mix((unsigned long)getchar()); ");
        }
    }
    text + " mix((unsigned long)i); mix((unsigned long)n); mix(u); mix_double(d); mix_text(line); mix((unsigned long)c); mix(feof(stdin) != 0); mix((unsigned long)getchar());"
}

/// What may be there to be read.
pub fn readable(random: &mut Pcg64) -> String {
    let length = random.random_range(0..20);
    (0..length)
        .map(|_| pick(random, &["1", "4", "0", "9", " ", "\n", "-", ".", "e", "x", "a", "n", ",", "inf", "+", "8"]))
        .collect()
}

/// A double's text by functions that are not printf's kin, digits of base 64.
pub fn number_texts(random: &mut Pcg64) -> String {
    let value = any_double(random);
    let digits = random.random_range(0..20);
    let size = random.random_range(0..30);
    let format = format!("%{}{}", pick(random, &["", ".", ".3", ".17"]), pick(random, &["a", "e", "f", "g", "G", "E"]));
    match random.random_range(0..5) {
        0 => format!("char t[400]; mix_text(gcvt({value}, {digits}, t));"),
        1 => format!("char t[400]; mix_text(qgcvt({value}, {digits}, t));"),
        2 => {
            format!("char t[400] = \"\"; mix((unsigned long)strfromd(t, {size}, \"{format}\", {value})); mix_text(t);")
        }
        3 => format!(
            "char t[400] = \"\"; mix((unsigned long)strfromf(t, {size}, \"{format}\", (float)({value}))); mix_text(t);"
        ),
        _ => {
            let text = digits_of_64(random);
            format!(
                "mix((unsigned long)a64l(\"{text}\")); mix_text(l64a(a64l(\"{text}\"))); mix_text(l64a({}l));",
                random.random::<i64>()
            )
        }
    }
}

fn digits_of_64(random: &mut Pcg64) -> String {
    digits(random, 8, "./059AZaz,")
}

/// What tells all of a date.
pub const DATES: &str = "static void mix_date(const struct tm *t) { mix(t->tm_sec); mix(t->tm_min); mix(t->tm_hour); mix(t->tm_mday); mix(t->tm_mon); mix(t->tm_year);
    mix(t->tm_wday); mix(t->tm_yday); mix(t->tm_isdst); mix(t->tm_gmtoff); mix_text(t->tm_zone); }";

/// A time as a date, as a text, and back; one that is put together of any numbers.
pub fn dates(random: &mut Pcg64) -> String {
    let far = random.random_range(0..6);
    let time = random.random::<i64>() >> [0, 7, 26, 30, 33, 40][far];
    let second = random.random_range(-99..99);
    let minute = random.random::<i32>() >> random.random_range(0..31);
    let month = random.random::<i32>() >> random.random_range(0..31);
    let [day, hour] = [(); 2].map(|()| random.random_range(-70..70));
    let year = random.random_range(-300..400);
    let daylight = random.random_range(-1..2);
    let size = random.random_range(1..50);
    let part = pick(
        random,
        &[
            "%a %A", "%b %B", "%c", "%C %y", "%d %e", "%D", "%F", "%g %G %V", "%H %I", "%j", "%k %l", "%m", "%p %P",
            "%r", "%R %T", "%u %w", "%U %W", "%x %X", "%%%n%t",
        ],
    );
    format!(
        "time_t t = {time}l; struct tm a, *p; memset(&a, 0, sizeof a); p = {}(&t, &a); mix(p != NULL); if (p) {{ mix_date(p); mix((unsigned long)timegm(p));
         if (p->tm_year > -1800) {{ char s[60]; unsigned long n = strftime(s, {size}, \"{part}\", p); mix(n); if (n) mix_text(s); if (p->tm_year < 8000) mix_text(asctime(p)); }} }}
         memset(&a, 0, sizeof a); a.tm_sec = {second}; a.tm_min = {minute}; a.tm_hour = {hour}; a.tm_mday = {day}; a.tm_mon = {month}; a.tm_year = {year}; a.tm_isdst = {daylight};
         mix((unsigned long){}(&a)); mix_date(&a); mix_double(difftime(t, {}l));",
        pick(random, &["gmtime_r", "localtime_r"]),
        pick(random, &["mktime", "timegm"]),
        random.random::<i64>(),
    )
}
