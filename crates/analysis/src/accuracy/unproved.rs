//! Why no bound is proved, in a sentence that says what the user could do.

use labrys_bounds::{Unknown, Why};
use labrys_interp::Stop;
use labrys_program::{LocationId, Program};
use labrys_symex::{Budget, Exploration, SiteExecution, SiteOperator, StopReason};
use labrys_term::{Op, Store, TermId};

/// What a sentence is about.
pub struct Context<'a> {
    /// The program.
    pub program: &'a Program,
    /// What was followed.
    pub exploration: &'a Exploration,
    /// Where the terms are.
    pub store: &'a Store,
    /// Names of the inputs, in the order of a request.
    pub inputs: &'a [String],
}

impl Context<'_> {
    /// Why not every path can be bounded.
    pub fn of_path(&self, why: &StopReason) -> String {
        let advice = match why {
            StopReason::Stopped(Stop::LoopBound) => {
                let place = self.exploration.loop_cuts.first().and_then(|cut| self.place(cut.location));
                let of = place.map(|place| format!(" at {place}")).unwrap_or_default();
                return format!(
                    "a loop{of} runs more often than --loop-bound follows it: raise that, or narrow the ranges"
                );
            }
            StopReason::Stopped(Stop::SymbolicValue) => ": give the integers that decide it narrower ranges",
            StopReason::Budget(Budget::Paths) => ": raise it, or narrow the ranges so that fewer branches are open",
            StopReason::Budget(_) => ": narrow the ranges so that fewer branches are open",
            StopReason::Stopped(Stop::Memory(_)) => ": exclude what leads there by ranges or --assume",
            _ => "",
        };
        format!("not every path was followed to its end: {why}{advice}")
    }

    /// Why there is no bound over the box.
    pub fn of_bound(&self, Unknown { why, term, near }: &Unknown) -> String {
        let operation = term.map_or_else(|| "an operation".to_owned(), |term| self.operation(term));
        let at = self.point(near);
        match why {
            Why::DivisionByZero => {
                format!(
                    "the divisor of {operation} may be zero{at}: give ranges that exclude it, or test for it before"
                )
            }
            Why::Overflow => format!("{operation} may overflow{at}: narrow the ranges"),
            Why::Domain => {
                format!(
                    "the operand of {operation} may lie outside its domain{at}: give ranges that exclude it, or test for it before"
                )
            }
            Why::Unbounded => {
                format!(
                    "the error of {operation} has no finite bound{at}: narrow the ranges so that they stay away from there"
                )
            }
            Why::ZeroTruth => format!("the exact value may be zero{at}"),
            Why::UnsupportedOperation => format!("{operation} is not supported in proofs of bounds"),
            Why::UnsupportedFormat => {
                format!(
                    "{operation} has numbers that are not all doubles, which is not supported: give integers a range within 2^53"
                )
            }
            Why::FreeVariable => format!("nothing is known of the result of {operation}"),
            Why::NoInputs => "no input of the ranges takes a path to its end".to_owned(),
            Why::Boxes => {
                format!("the budget of boxes was used up{at}: narrow the ranges, or split them over several runs")
            }
            Why::Time => {
                format!("the time was over{at}: give more --time, narrow the ranges, or split them over several runs")
            }
        }
    }

    /// An operation of the program: `the division at f.c:12:9`.
    pub fn operation(&self, term: TermId) -> String {
        let executions = &self.exploration.executions;
        let made = |execution: &&SiteExecution| execution.result == term;
        // What an operation is expanded to belongs to the first whose result has it in it.
        let uses = |execution: &&SiteExecution| {
            !execution.operands.contains(&term) && self.store.reachable(&[execution.result]).contains(&term)
        };
        if let Some(execution) = executions.iter().find(made).or_else(|| executions.iter().find(uses)) {
            return self.at(&name(&execution.site.operator), execution.site.location);
        }
        let call = self.exploration.library_calls.iter().find(|call| call.variable == term);
        if let Some(call) = call {
            return self.at(call.call.operator(), call.location);
        }
        match &self.store.node(term).op {
            Op::Variable(variable) => {
                let name = self.store.variable_info(*variable).0;
                // Results of calls are named by the call and its operands' terms.
                name.split(['!', '.']).next().filter(|_| name.contains('!')).unwrap_or(name).to_owned()
            }
            Op::FpFromBits(_) | Op::FpToBits => self.before("an operation on the encoding of a float", term),
            Op::FloatConst(_) => self.before("a constant that is no finite double", term),
            _ => self.before("an operation on integers", term),
        }
    }

    /// What has no place of its own, with the place of the first operation that it goes into.
    fn before(&self, what: &str, term: TermId) -> String {
        let takes = |execution: &&SiteExecution| self.store.reachable(&execution.operands).contains(&term);
        match self.exploration.executions.iter().find(takes) {
            Some(SiteExecution { site, .. }) => format!("{what} in {}", self.at(&name(&site.operator), site.location)),
            None => what.to_owned(),
        }
    }

    fn at(&self, name: &str, location: Option<LocationId>) -> String {
        self.place(location).map_or_else(|| name.to_owned(), |place| format!("{name} at {place}"))
    }

    /// `f.c:12:9`.
    fn place(&self, location: Option<LocationId>) -> Option<String> {
        let location = self.program.locations.get(location?.index())?;
        let file = self.program.files.get(location.file as usize)?;
        let file = file.rsplit('/').next().unwrap_or(file);
        Some(format!("{file}:{}:{}", location.line, location.column))
    }

    /// ` near x = 0, y = 1`: of at most four inputs.
    fn point(&self, near: &[f64]) -> String {
        const MOST: usize = 4;
        if near.is_empty() || near.len() > MOST || near.len() != self.inputs.len() {
            return String::new();
        }
        let values = self.inputs.iter().zip(near).map(|(name, value)| format!("{name} = {value:?}"));
        format!(" near {}", values.collect::<Vec<_>>().join(", "))
    }
}

/// An operator in words.
fn name(operator: &SiteOperator) -> String {
    match operator {
        SiteOperator::Add => "the sum".to_owned(),
        SiteOperator::Sub => "the difference".to_owned(),
        SiteOperator::Mul => "the product".to_owned(),
        SiteOperator::Div => "the division".to_owned(),
        SiteOperator::Sqrt => "the square root".to_owned(),
        SiteOperator::Convert { .. } | SiteOperator::IntToFloat { .. } | SiteOperator::FloatToInt { .. } => {
            "the conversion".to_owned()
        }
        SiteOperator::RoundToIntegral { .. } => "the rounding to an integer".to_owned(),
        SiteOperator::Rem => "fmod".to_owned(),
        SiteOperator::Compare { .. } => "the comparison".to_owned(),
        other => other.to_string(),
    }
}
