//! What propagation knows of operands and results, there and back through the functions.

use labrys_elementary::Function;
use labrys_float::{Float, Format};
use labrys_term::{Op, Sort, Store, TermId};

use super::call::CallTerm;
use super::member::{implies, member};
use super::refinement::{Image, Refinement};
use crate::domain::FloatDomain;
use crate::domain::project::elementary::{forward, inverse};
use crate::{Limits, Portfolio, PortfolioConfig, Why};

/// How often propagation and the functions take turns. Most of what they give comes in the first two turns.
const TURNS: usize = 3;

/// Any operands.
pub(super) fn any(store: &Store, call: &CallTerm) -> Vec<FloatDomain> {
    let format = store.float_format(call.variable).unwrap_or(Format::BINARY64);
    vec![FloatDomain::top(format); call.operands.len()]
}

impl Refinement<'_> {
    /// Narrows operands' domains and bounds results by them; false if nothing is left of one.
    ///
    /// # Errors
    ///
    /// What part of the query propagation does not read.
    pub(super) fn narrow(&mut self, limits: &Limits) -> Result<bool, Why> {
        let portfolio = Portfolio::new(PortfolioConfig::default());
        // Operands that are no terms of the assertions have domains only if something mentions them.
        let mut names = Vec::new();
        let mut definitions = Vec::new();
        for call in self.calls.clone() {
            let mut row = Vec::new();
            for operand in call.operands {
                let name = format!("operand!{}", operand.index());
                let format = self.store.float_format(operand).unwrap_or(Format::BINARY64);
                let variable = self.store.variable(&name, Sort::Float(format));
                definitions.push(self.store.mk(Op::Eq, &[variable, operand]));
                row.push(variable);
            }
            names.push(row);
        }
        for _ in 0..TURNS {
            let query: Vec<TermId> = [self.assertions, &self.lemmas, &definitions].concat();
            let Some(facts) = portfolio.domains(self.store, &query, limits)? else { return Ok(false) };
            let before = self.lemmas.len();
            for (place, names) in names.iter().enumerate() {
                let call = self.calls[place].clone();
                let known = |term: TermId, otherwise: FloatDomain| {
                    facts.float(term).map_or(otherwise, |domain| domain.intersect(&otherwise))
                };
                let before: Vec<FloatDomain> =
                    names.iter().zip(&self.domains[place]).map(|(name, domain)| known(*name, *domain)).collect();
                let of_box = forward(call.function, &before, self.ulps);
                let result = known(call.variable, of_box);
                let operands = inverse(call.function, &before, &result, self.ulps);
                let after = operands.clone();
                self.images.push(Image { place, operands: before, of_box, result, after });
                if result.is_empty() || operands.iter().any(FloatDomain::is_empty) {
                    return Ok(false);
                }
                let bound = member(self.store, call.variable, &result);
                self.add_lemma(bound);
                for (operand, domain) in call.operands.iter().zip(&operands) {
                    let bound = member(self.store, *operand, domain);
                    self.add_lemma(bound);
                }
                self.domains[place] = operands;
            }
            if self.lemmas.len() == before {
                break;
            }
        }
        self.lemmas.retain(|lemma| !matches!(self.store.node(*lemma).op, Op::BoolConst(true)));
        Ok(true)
    }

    /// What NaN operands give, and that equal calls have equal results.
    pub(super) fn add_nans(&mut self, place: usize) {
        let call = self.calls[place].clone();
        let store = &mut *self.store;
        let nans: Vec<TermId> = call.operands.iter().map(|operand| store.mk(Op::FpIsNan, &[*operand])).collect();
        let result_is_nan = store.mk(Op::FpIsNan, &[call.variable]);
        let format = store.float_format(call.variable).unwrap_or(Format::BINARY64);
        let lemmas = match (call.function, call.operands.as_slice()) {
            (Function::Pow, &[x, y]) => {
                let one = store.float_const(Float::one(format));
                let (x_is_one, y_is_zero) = (store.mk(Op::Eq, &[x, one]), store.mk(Op::FpIsZero, &[y]));
                let is_one = store.mk(Op::Eq, &[call.variable, one]);
                let exceptions = store.or(&[x_is_one, y_is_zero]);
                let nan = store.or(&nans);
                let either = store.or(&[exceptions, result_is_nan]);
                vec![implies(store, exceptions, is_one), implies(store, nan, either)]
            }
            (Function::Hypot, &[x, y]) => {
                let infinity = store.float_const(Float::infinity(format, false));
                let infinite = [x, y].map(|operand| store.mk(Op::FpIsInfinite, &[operand]));
                let infinite = store.or(&infinite);
                let is_infinity = store.mk(Op::Eq, &[call.variable, infinity]);
                let nan = store.or(&nans);
                let either = store.or(&[infinite, result_is_nan]);
                vec![implies(store, infinite, is_infinity), implies(store, nan, either)]
            }
            _ => {
                let nan = store.or(&nans);
                vec![implies(store, nan, result_is_nan)]
            }
        };
        for lemma in lemmas {
            self.add_lemma(lemma);
        }
    }
}
