//! Random programs in C in which something may go wrong: assertions, indices, divisions, shifts; in about half of them nothing does.

use labrys_formulas::Random;

const PRELUDE: &str = "\
void check(int holds); void assume(int condition); void reach(int mark); double fabs(double); double sqrt(double);
int any_int(void); long any_long(void); unsigned any_unsigned(void); float any_float(void); double any_double(void);
static int table[8] = {3, 1, 4, 1, 5, 9, 2, 6}; static double numbers[4] = {0.5, 2, -1, 8};
static const int tables[8] = {3, 1, 4, 1, 5, 9, 2, 6}; static const double all_numbers[4] = {0.5, 2, -1, 8};
void reset(void) { for (int i = 0; i < 8; i++) table[i] = tables[i]; for (int i = 0; i < 4; i++) numbers[i] = all_numbers[i]; }
static double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
static int wrap(int x, int n) { return x < 0 ? 0 : x % n; }
static void put(double *to, int at, double x) { to[at] = x; }
";

/// What a statement may be, with holes: `I` a number of a variable of integers, `X` of floats, `C` a small constant, `F` one of floats.
const STATEMENTS: [&str; 34] = [
    "iI = (int)((unsigned)iI + C);",
    "iI = (int)((unsigned)iI * (unsigned)iI);",
    "iI = iI & 15;",
    "iI = wrap(iI, 9);",
    "iI = iI < C ? C : iI;",
    "iI = table[iI & 7];",
    "iI = table[wrap(iI, C)];",
    "table[iI & 7] = iI;",
    "table[iI] = 3;",
    "if (iI >= 0 && iI < 8) table[iI] = iI;",
    "if (iI >= 0 && iI <= 8) iI = table[iI];",
    "iI = iI / ((iI & 3) + 1);",
    "if (iI != 0) iI = 100 / iI;",
    "iI = iI % (C - 3 + !(C - 3));",
    "iI = C / iI;",
    "iI = 1 << (iI & 7);",
    "if ((unsigned)iI < 32) iI = (int)(1u << iI);",
    "iI = iI >> (C & 15);",
    "xX = xX * F + F;",
    "xX = clamp(xX, -F, F);",
    "xX = fabs(xX);",
    "if (xX == xX) xX = xX / (1 + xX * xX);",
    "xX = xX + xX;",
    "xX = numbers[iI & 3];",
    "numbers[iI & 3] = xX;",
    "put(numbers, iI & 3, xX);",
    "put(&xX, iI & 0, F);",
    "{ double local[4] = {0}; local[iI & 3] = F; xX = local[wrap(iI, 4)]; }",
    "if (xX >= -F && xX <= F) iI = (int)xX;",
    "xX = sqrt(xX);",
    "check(iI < 100 + C);",
    "check(iI >= -C);",
    "check(!(xX > 10 * F));",
    "check(xX <= F || xX != xX);",
];

/// A batch of so many programs, as one file.
pub fn batch(random: &mut Random, count: usize) -> String {
    let mut text = PRELUDE.to_owned();
    for number in 0..count {
        text += &format!("void p{number}(void) {{\n");
        text += "  int i0 = any_int(), i1 = any_unsigned() % 10, i2 = 0;\n";
        text += "  float x0 = any_float(); double x1 = any_double(), x2 = 0;\n";
        text += "  x0 = x0 == x0 ? (float)clamp(x0, -5, 5) : 0; i2 = i2 + 1;\n";
        if random.below(100) < 60 {
            text += "  assume(i0 > -50 && i0 < 50); assume(x1 >= 0 && x1 <= 20);\n";
        }
        statements(random, 2, &mut text);
        let head = match random.below(5) {
            0 => "for (int k = 0; k < 5; k++)".to_owned(),
            1 => format!("for (int k = 0; k < i1 * {} && k < 300; k++)", 1 + random.below(20)),
            2 => "for (double t = 1; t > 0.01; t *= 0.7)".to_owned(),
            3 => "for (int k = any_unsigned() % 100; k > 0; k -= 3)".to_owned(),
            _ => "while (any_unsigned() % 7)".to_owned(),
        };
        text += &format!("  {head} {{\n");
        statements(random, 3, &mut text);
        text += "  }\n";
        statements(random, 2, &mut text);
        text += "}\n";
    }
    let names: Vec<String> = (0..count).map(|number| format!("p{number}")).collect();
    text +=
        &format!("void (*const programs[])(void) = {{{}}};\nconst int program_count = {count};\n", names.join(", "));
    text
}

fn statements(random: &mut Random, most: usize, text: &mut String) {
    for _ in 0..1 + random.below(most) {
        let form = STATEMENTS[random.below(STATEMENTS.len())];
        let mut statement = String::new();
        for c in form.chars() {
            match c {
                'I' => statement += &random.below(3).to_string(),
                // The single one is not the address of a double.
                'X' if form.contains("&x") => statement += &(1 + random.below(2)).to_string(),
                'X' => statement += &random.below(3).to_string(),
                'C' => statement += &(1 + random.below(8)).to_string(),
                'F' => statement += ["0.5", "1.0", "3.25", "100.0"][random.below(4)],
                c => statement.push(c),
            }
        }
        // Marks are numbered by the line, as far as a word has bits: those of one program are apart.
        let mark = text.lines().count() % 64;
        let guard = match random.below(100) {
            0..15 => format!("if (i{} < {})", random.below(3), random.below(6)),
            15..30 => format!("if (x{} > {})", random.below(3), random.below(150)),
            _ => String::new(),
        };
        let statement = if guard.is_empty() { statement } else { format!("{guard} {{ reach({mark}); {statement} }}") };
        text.push_str(&format!("    {statement}\n"));
    }
}
