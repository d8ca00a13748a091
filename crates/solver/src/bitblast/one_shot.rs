//! The engine for single queries.

use std::time::Instant;

use super::cnf::{Clauses, Encoder};
use super::sat::{Answer, Sat};
use super::statistics::Statistics;
use super::translate::Translator;
use crate::lrat::Formula;
use crate::{Budget, Engine, Query, Verdict, Why};

/// Decides a query by its circuit, specialised by the query's facts.
#[derive(Debug, Default)]
pub struct BitBlaster {
    statistics: Statistics,
}

impl BitBlaster {
    /// An engine that has decided nothing yet.
    pub fn new() -> BitBlaster {
        BitBlaster::default()
    }

    /// What the last check did.
    pub fn counts(&self) -> Statistics {
        self.statistics
    }

    fn decide(&mut self, query: &Query<'_>, budget: &Budget) -> Result<Verdict, Why> {
        let start = Instant::now();
        let (mut translator, mut encoder, mut sat) = (Translator::new(), Encoder::new(), Sat::new(budget.seed));
        let encoded = encode(query, budget, &mut translator, &mut encoder, &mut sat);
        self.statistics = Statistics {
            gates: translator.gates.len() as u64,
            variables: encoder.variables(),
            clauses: encoder.clauses(),
            encoding: start.elapsed(),
            ..Statistics::default()
        };
        encoded?;
        let start = Instant::now();
        let answer = sat.solve(&[], budget);
        self.statistics.solving = start.elapsed();
        self.statistics.conflicts = sat.conflicts();
        Ok(match answer {
            Answer::Sat => Verdict::Sat(translator.model(query.store, |edge| {
                edge.constant().or_else(|| encoder.literal(edge).map(|literal| sat.value(literal))).unwrap_or(false)
            })),
            Answer::Unsat(_) => Verdict::Unsat,
            Answer::Unknown(why) => Verdict::Unknown(why),
        })
    }

    /// The query's clauses in DIMACS' format, for other solvers: a header and a clause a line.
    pub fn dimacs(query: &Query<'_>, budget: &Budget) -> Result<String, Why> {
        let mut formula = Formula::new();
        encode(query, budget, &mut Translator::new(), &mut Encoder::new(), &mut formula)?;
        let mut text = Vec::new();
        // Writing into memory cannot fail.
        let _ = formula.write_dimacs(&mut text);
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

/// Writes the clauses of a query.
pub(super) fn encode(
    query: &Query<'_>,
    budget: &Budget,
    translator: &mut Translator,
    encoder: &mut Encoder,
    clauses: &mut impl Clauses,
) -> Result<(), Why> {
    let mut roots = Vec::with_capacity(query.assertions.len());
    for assertion in query.assertions {
        roots.push(translator.literal(query.store, query.facts, *assertion, budget)?);
    }
    roots.extend(translator.take_side_conditions());
    for root in roots {
        encoder.assert(&translator.gates, root, None, budget, clauses)?;
    }
    Ok(())
}

impl Engine for BitBlaster {
    fn name(&self) -> &'static str {
        "bitblast"
    }

    fn check(&mut self, query: &Query<'_>, budget: &Budget) -> Verdict {
        self.decide(query, budget).unwrap_or_else(Verdict::Unknown)
    }

    fn statistics(&self) -> Vec<(&'static str, u64)> {
        self.statistics.rows()
    }
}
