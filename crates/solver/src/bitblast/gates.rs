//! A graph of and-gates and inverters, hash-consed: equal circuits are built once.

use rustc_hash::FxHashMap;

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
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What a gate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The constant false: gate 0 alone.
    False,
    /// A free input.
    Input,
    /// The conjunction of two edges, the smaller first.
    And(Lit, Lit),
}

/// The graph. Gates are older than the gates that use them.
#[derive(Clone, Debug)]
pub struct Gates {
    gates: Vec<Gate>,
    ands: FxHashMap<(Lit, Lit), Lit>,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates::new()
    }
}

impl Gates {
    /// A graph with the constant only.
    pub fn new() -> Gates {
        Gates { gates: vec![Gate::False], ands: FxHashMap::default() }
    }

    /// A new free input.
    pub fn input(&mut self) -> Lit {
        self.gates.push(Gate::Input);
        Lit((self.gates.len() as u32 - 1) << 1)
    }

    /// a ∧ b.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Lit::FALSE || a == !b {
            return Lit::FALSE;
        }
        if a == Lit::TRUE || a == b {
            return b;
        }
        if let Some(known) = self.ands.get(&(a, b)) {
            return *known;
        }
        self.gates.push(Gate::And(a, b));
        let output = Lit((self.gates.len() as u32 - 1) << 1);
        self.ands.insert((a, b), output);
        output
    }

    /// a ∨ b.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// a ⊕ b.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let both = self.and(a, b);
        let neither = self.and(!a, !b);
        self.and(!both, !neither)
    }

    /// `yes` where `condition` holds, else `no`.
    pub fn mux(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        if yes == no {
            return yes;
        }
        let (taken, left) = (self.and(condition, yes), self.and(!condition, no));
        self.or(taken, left)
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

    /// How many gates there are.
    pub fn len(&self) -> usize {
        self.gates.len()
    }

    /// Never: the constant is always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The values of all gates when inputs have the given ones: for tests and models.
    pub fn evaluate(&self, input: impl Fn(usize) -> bool) -> Vec<bool> {
        let mut values: Vec<bool> = Vec::with_capacity(self.gates.len());
        for (index, gate) in self.gates.iter().enumerate() {
            let of = |lit: Lit| values[lit.gate()] != lit.is_inverted();
            let value = match gate {
                Gate::False => false,
                Gate::Input => input(index),
                Gate::And(a, b) => of(*a) && of(*b),
            };
            values.push(value);
        }
        values
    }
}

/// The value of an edge, given those of all gates.
pub fn value_of(values: &[bool], lit: Lit) -> bool {
    values[lit.gate()] != lit.is_inverted()
}
