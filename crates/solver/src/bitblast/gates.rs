//! A graph of gates, hash-consed and simplified as it is built: equal circuits are built once.
//!
//! The gates are conjunctions, exclusive ors, choices and majorities of two or three edges, any of which may be
//! inverted. Keeping the last three as gates of their own, not as three or four conjunctions each, gives every full adder
//! two variables and fourteen clauses where conjunctions alone take seven and twenty-one.

mod evaluate;
mod rewrite;
#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

pub use evaluate::{value_of, word_of};

/// An edge of the graph: a gate, perhaps inverted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// Never true.
    pub const FALSE: Lit = Lit(0);
    /// Always true.
    pub const TRUE: Lit = Lit(1);

    /// The gate's index.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Whether the gate's output is inverted.
    pub fn is_inverted(self) -> bool {
        self.0 & 1 == 1
    }

    /// The constant that it is, if it is one.
    pub fn constant(self) -> Option<bool> {
        (self.gate() == 0).then_some(self == Lit::TRUE)
    }

    /// TRUE or FALSE.
    pub fn of(value: bool) -> Lit {
        if value { Lit::TRUE } else { Lit::FALSE }
    }

    /// Inverted where `invert` is true.
    pub fn invert_if(self, invert: bool) -> Lit {
        Lit(self.0 ^ u32::from(invert))
    }

    /// The gate's output, not inverted.
    pub fn positive(self) -> Lit {
        Lit(self.0 & !1)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a gate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// The constant false: gate 0 alone.
    False,
    /// A free input.
    Input,
    /// The conjunction of two edges, the smaller first.
    And(Lit, Lit),
    /// The exclusive or of two edges, neither inverted, the smaller first.
    Xor(Lit, Lit),
    /// The second where the first holds, else the third. The first two are not inverted.
    Mux(Lit, Lit, Lit),
    /// At least two of three edges, in ascending order; the first is not inverted.
    Majority(Lit, Lit, Lit),
}

impl Gate {
    /// The edges that the gate reads.
    pub fn inputs(&self) -> impl Iterator<Item = Lit> + use<> {
        let edges = match *self {
            Gate::False | Gate::Input => [None; 3],
            Gate::And(a, b) | Gate::Xor(a, b) => [Some(a), Some(b), None],
            Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        edges.into_iter().flatten()
    }
}

/// The graph. Gates are older than the gates that use them.
#[derive(Clone, Debug)]
pub struct Gates {
    gates: Vec<Gate>,
    /// How many gates read each gate; saturating.
    uses: Vec<u16>,
    known: FxHashMap<Gate, Lit>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates::new()
    }
}

impl Gates {
    /// A graph with the constant only.
    pub fn new() -> Gates {
        Gates { gates: vec![Gate::False], uses: vec![0], known: FxHashMap::default() }
    }

    /// A new free input.
    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Lit {
        for edge in gate.inputs() {
            let uses = &mut self.uses[edge.gate()];
            *uses = uses.saturating_add(1);
        }
        self.gates.push(gate);
        self.uses.push(0);
        Lit((self.gates.len() as u32 - 1) << 1)
    }

    /// The gate's output, the gate made if there is none like it.
    fn intern(&mut self, gate: Gate) -> Lit {
        if let Some(known) = self.known.get(&gate) {
            return *known;
        }
        let output = self.push(gate);
        self.known.insert(gate, output);
        output
    }

    /// a ∨ b.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// The sum of three bits and its carry.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }

    /// The conjunction of all.
    pub fn all(&mut self, lits: &[Lit]) -> Lit {
        self.balanced(lits, Lit::TRUE, Gates::and)
    }

    /// The disjunction of all.
    pub fn any(&mut self, lits: &[Lit]) -> Lit {
        self.balanced(lits, Lit::FALSE, Gates::or)
    }

    fn balanced(&mut self, lits: &[Lit], unit: Lit, combine: fn(&mut Gates, Lit, Lit) -> Lit) -> Lit {
        let mut level = lits.to_vec();
        while level.len() > 1 {
            level =
                level.chunks(2).map(|pair| if let [a, b] = pair { combine(self, *a, *b) } else { pair[0] }).collect();
        }
        level.first().copied().unwrap_or(unit)
    }

    /// A gate.
    pub fn gate(&self, index: usize) -> Gate {
        self.gates[index]
    }

    /// How many gates read this one; 65,535 stands for that many or more.
    pub fn uses(&self, index: usize) -> u16 {
        self.uses[index]
    }

    /// How many gates there are.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Never: the constant is always there.
    pub fn is_empty(&self) -> bool {
        false
    }
}
