//! Scripts written.
//!
//! Terms are graphs, and written as trees they could be exponentially larger: a subterm that is used twice gets a name
//! with `define-fun`, in an order in which names are defined before they are used. So does one whose text is long, which
//! bounds the nesting: solvers' readers may be recursive.
//!
//! Operators without a name in SMT-LIB are written by their definitions:
//!
//! - `fmod(x, y)`: with r = `fp.rem` |x| |y| (nearest quotient), which lies in [−|y|/2, |y|/2], the magnitude of fmod is
//!   r or, where r < 0, r + |y|. Both are exact: the result is a multiple of the smaller operand's last place and less
//!   than |y|. Its sign is x's. NaNs and infinities come out as fmod wants them: rem is NaN where y = 0 or x = ±∞, and
//!   x where y = ±∞.
//! - The encoding of x: a fresh bit vector b with (to_fp b) = x, and b the canonical NaN's encoding where x is a NaN.
//! - x87's 80 bits: SMT-LIB's format of the same precision without the stored leading bit, which is put in or taken out;
//!   encodings that no operation produces read as `labrys_float` reads them.

use std::fmt::Write;

use labrys_float::{Float, Format};
use rustc_hash::FxHashMap;

use super::literal::{bits_text, scalar_text, sort_text};
use super::symbol::symbol;
use crate::evaluate::literal;
use crate::{Node, Op, Sort, Store, TermId};

/// What a script says besides its assertions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The argument of `set-logic`; without one, solvers take their default.
    pub logic: Option<String>,
    /// Whether models are asked for: `:produce-models` before, nothing after.
    pub produce_models: bool,
    /// Whether `(check-sat)` ends the script.
    pub check_sat: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { logic: None, produce_models: true, check_sat: true }
    }
}

/// Longer texts get a name. Short enough that no reader's stack overflows, long enough to be read by people.
const LONGEST_INLINE: usize = 300;

/// A script that asserts the conjunction of `assertions`, which are Bool terms.
///
/// ```
/// use labrys_term::{Op, Sort, Store, smtlib};
///
/// let mut store = Store::new();
/// let x = store.variable("x[0]", Sort::Real);
/// let less = store.mk(Op::RealLt, &[x, x]);
/// let options = smtlib::Options { logic: Some("QF_NRA".to_owned()), produce_models: false, check_sat: true };
/// let script = smtlib::print_script(&store, &[less], &options);
/// assert_eq!(script, "(set-logic QF_NRA)\n(declare-const |x[0]| Real)\n(assert (< |x[0]| |x[0]|))\n(check-sat)\n");
/// ```
pub fn print_script(store: &Store, assertions: &[TermId], options: &Options) -> String {
    let mut script = String::new();
    if options.produce_models {
        script.push_str("(set-option :produce-models true)\n");
    }
    if let Some(logic) = &options.logic {
        script.push_str(&format!("(set-logic {logic})\n"));
    }
    let mut printer = Printer { store, script, texts: FxHashMap::default() };
    for variable in store.free_variables(assertions) {
        let sort = sort_text(store.variable_info(variable).1);
        printer.line(format_args!("(declare-const {} {sort})", symbol(store, variable)));
    }
    let terms = store.reachable(assertions);
    let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
    for &term in &terms {
        let node = store.node(term);
        for &arg in &node.args {
            *uses.entry(arg).or_default() += mentions(&node.op);
        }
    }
    for &term in &terms {
        let shared = uses.get(&term).copied().unwrap_or(0) > 1;
        printer.term(term, shared);
    }
    for assertion in assertions {
        let text = printer.texts.get(assertion).cloned().unwrap_or_default();
        printer.line(format_args!("(assert {text})"));
    }
    if options.check_sat {
        printer.script.push_str("(check-sat)\n");
    }
    printer.script
}

/// How often an operator's text mentions each argument.
fn mentions(op: &Op) -> usize {
    match op {
        Op::RealAbs | Op::FpFmod | Op::FpToBits | Op::FpFromBits(_) => 2,
        _ => 1,
    }
}

struct Printer<'a> {
    store: &'a Store,
    script: String,
    /// What stands for a term: a name or its whole text.
    texts: FxHashMap<TermId, String>,
}

impl Printer<'_> {
    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.script.write_fmt(text);
        self.script.push('\n');
    }

    fn define(&mut self, name: &str, sort: &Sort, text: &str) {
        self.line(format_args!("(define-fun {name} () {} {text})", sort_text(sort)));
    }

    fn term(&mut self, term: TermId, shared: bool) {
        let node = self.store.node(term);
        if node.args.is_empty() {
            let text = match node.op {
                Op::Variable(variable) => symbol(self.store, variable),
                _ => literal(&node.op, &node.sort).and_then(|value| scalar_text(&value)).unwrap_or_default(),
            };
            self.texts.insert(term, text);
            return;
        }
        let text = self.application(term, node);
        if shared || text.len() > LONGEST_INLINE {
            let name = format!("t!{}", term.index());
            self.define(&name, &node.sort, &text);
            self.texts.insert(term, name);
        } else {
            self.texts.insert(term, text);
        }
    }

    fn argument(&self, node: &Node, index: usize) -> String {
        node.args.get(index).and_then(|arg| self.texts.get(arg)).cloned().unwrap_or_default()
    }

    fn application(&mut self, term: TermId, node: &Node) -> String {
        let first = self.argument(node, 0);
        match &node.op {
            // SMT-LIB's n-ary operators take two arguments or more.
            Op::And | Op::Or | Op::RealAdd | Op::RealMul | Op::Concat | Op::Xor if node.args.len() == 1 => {
                return first;
            }
            Op::RealAbs => return format!("(ite (< {first} 0.0) (- {first}) {first})"),
            Op::ConstArray(_) => return format!("((as const {}) {first})", sort_text(&node.sort)),
            Op::FpFmod => return self.fmod(term, node),
            Op::FpToBits => return self.encoding(term, node),
            Op::FpFromBits(format) if format.has_explicit_leading_bit() => return from_x87(&first, *format),
            _ => {}
        }
        let mut text = format!("({}", head(&node.op));
        for arg in &node.args {
            text.push(' ');
            text.push_str(self.texts.get(arg).map_or("", String::as_str));
        }
        text.push(')');
        text
    }

    fn fmod(&mut self, term: TermId, node: &Node) -> String {
        let (x, y) = (self.argument(node, 0), self.argument(node, 1));
        let (remainder, magnitude) = (format!("t!{}!rem", term.index()), format!("t!{}!abs", term.index()));
        let zero = match node.sort {
            Sort::Float(format) => super::literal::float_text(&Float::zero(format, false)),
            _ => String::new(),
        };
        self.define(&remainder, &node.sort, &format!("(fp.rem (fp.abs {x}) (fp.abs {y}))"));
        let text =
            format!("(ite (fp.lt {remainder} {zero}) (fp.add RNE {remainder} (fp.abs {y})) (fp.abs {remainder}))");
        self.define(&magnitude, &node.sort, &text);
        format!("(ite (fp.isNegative {x}) (fp.neg {magnitude}) {magnitude})")
    }

    fn encoding(&mut self, term: TermId, node: &Node) -> String {
        let x = self.argument(node, 0);
        let Some(format) = self.store.float_format(node.args[0]) else { return String::new() };
        let plain = Format::new(format.exponent_bits(), format.precision());
        let name = format!("t!{}!bits", term.index());
        let nan = bits_text(plain.width(), Float::nan(plain).bits());
        self.line(format_args!("(declare-const {name} {})", sort_text(&Sort::BitVec(plain.width()))));
        self.line(format_args!("(assert (= {} {x}))", to_fp(plain, &name)));
        self.line(format_args!("(assert (=> (fp.isNaN {x}) (= {name} {nan})))"));
        if !format.has_explicit_leading_bit() {
            return name;
        }
        let (fraction, exponent) = (plain.precision() - 1, plain.exponent_bits());
        let head = format!("((_ extract {} {fraction}) {name})", plain.width() - 1);
        let field = format!("((_ extract {} {fraction}) {name})", fraction + exponent - 1);
        let zero = bits_text(exponent, &0u8.into());
        format!("(concat {head} (ite (= {field} {zero}) #b0 #b1) ((_ extract {} 0) {name}))", fraction - 1)
    }
}

fn to_fp(format: Format, argument: &str) -> String {
    format!("((_ to_fp {} {}) {argument})", format.exponent_bits(), format.precision())
}

/// The number that x87's 80 bits encode, by exponent field e and leading bit l: NaN where e ≠ 0 and l = 0; where e = 0 and l = 1
/// as if e were 1; else as without l.
fn from_x87(bits: &str, format: Format) -> String {
    let (fraction, exponent) = (format.precision() - 1, format.exponent_bits());
    let extract = |high: u32, low: u32| format!("((_ extract {high} {low}) {bits})");
    let sign = extract(format.width() - 1, format.width() - 1);
    let (field, leading) = (extract(fraction + exponent, fraction + 1), extract(fraction, fraction));
    let rest = extract(fraction - 1, 0);
    let (zero, one) = (bits_text(exponent, &0u8.into()), bits_text(exponent, &1u8.into()));
    let indices = format!("{exponent} {}", format.precision());
    format!(
        "(ite (= {leading} (ite (= {field} {zero}) #b0 #b1)) (fp {sign} {field} {rest}) \
         (ite (= {field} {zero}) (fp {sign} {one} {rest}) (_ NaN {indices})))"
    )
}

/// The operator's name with its indices.
fn head(op: &Op) -> String {
    let name = op.operator().name.unwrap_or_default();
    match op {
        Op::Extract { high, low } => format!("(_ {name} {high} {low})"),
        Op::ZeroExtend(by) | Op::SignExtend(by) => format!("(_ {name} {by})"),
        Op::FpToUnsigned(width) | Op::FpToSigned(width) => format!("(_ {name} {width})"),
        Op::FpFromBits(format)
        | Op::FpFromFloat(format)
        | Op::FpFromSigned(format)
        | Op::FpFromUnsigned(format)
        | Op::FpFromReal(format) => format!("(_ {name} {} {})", format.exponent_bits(), format.precision()),
        _ => name.to_owned(),
    }
}
