//! What certified answers rest on.

use std::fmt;

/// How answers are certified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertifyConfig {
    /// Bytes that a proof may have; a longer one is given up, and the answer is unknown.
    pub largest_proof: u64,
}

/// What a certified answer rests on. What all rest on is not named: this program's compiler and the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// Sat: a model, under which every assertion was evaluated to true in exact arithmetic.
    Model,
    /// Sat: such a model, though the engines said that there was none. One of them is wrong.
    OverrulingModel,
    /// Unsat: preparation left nothing to prove.
    Prepared,
    /// Unsat: the query, as this much of preparation left it, was refuted once more.
    Refuted(Preparation, Refutation),
}

/// How much of preparation an answer rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preparation {
    /// Only arrays, reals and open values were replaced.
    Required,
    /// All steps.
    All,
}

/// How a query was refuted once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// Branch and prune: images of boxes.
    Boxes,
    /// A checked proof about circuits.
    Circuits,
    /// A checked proof about circuits, with facts that images of boxes proved or, on another thread, without: which of the two was
    /// first is a matter of the machine, and the certificate names what either rests on.
    CircuitsWithFacts,
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (preparation, refutation) = match self {
            Certificate::Model => return f.write_str("the model was evaluated"),
            Certificate::OverrulingModel => {
                return f.write_str(
                    "the model was evaluated; uncertified the answer would be unsat, which is a fault that should be reported",
                );
            }
            Certificate::Prepared => {
                return f
                    .write_str("trusts the parser and all of the preparation, which found the contradiction itself");
            }
            Certificate::Refuted(preparation, refutation) => (preparation, refutation),
        };
        let preparation = match preparation {
            Preparation::Required => "the preparation that replaces arrays, reals and open values",
            Preparation::All => "all of the preparation, its rewriting included",
        };
        let refutation = match refutation {
            Refutation::Boxes => "images of boxes under the operators",
            Refutation::Circuits => "the circuits with their clauses, and the checker of their proof",
            Refutation::CircuitsWithFacts => {
                "images of boxes under the operators, the circuits with their clauses, and the checker of their proof"
            }
        };
        write!(f, "trusts the parser, {preparation}, {refutation}")
    }
}
