//! The constructors, which simplify: Brummayer and Biere, "Local Two-Level And-Inverter Graph Minimization without
//! Blowup", MEMICS 2006, with the same idea carried to exclusive ors, choices and majorities.
//!
//! Every rule replaces a gate by an edge that exists, or by one gate over edges that are older than the one replaced; so
//! the loop ends and the graph never grows by a rule. Each rule is an identity of two-valued logic; the tests
//! evaluate every constructor on all pairs and triples of a set of small circuits.

use super::{Gate, Gates, Lit};

/// What a rule makes of a conjunction.
enum Rewritten {
    /// An edge that is equal.
    Edge(Lit),
    /// An equal conjunction.
    And(Lit, Lit),
    /// An equal choice, perhaps inverted.
    NotMux(Lit, Lit, Lit),
}

impl Gates {
    /// a ∧ b.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (mut a, mut b) = (a, b);
        loop {
            if a > b {
                std::mem::swap(&mut a, &mut b);
            }
            if a == Lit::FALSE || a == !b {
                return Lit::FALSE;
            }
            if a == Lit::TRUE || a == b {
                return b;
            }
            match self.rewrite_and(a, b).or_else(|| self.rewrite_and(b, a)) {
                Some(Rewritten::Edge(edge)) => return edge,
                Some(Rewritten::And(c, d)) => (a, b) = (c, d),
                Some(Rewritten::NotMux(c, yes, no)) => return !self.mux(c, yes, no),
                None => return self.intern(Gate::And(a, b)),
            }
        }
    }

    /// Rules that look into `a`, and into `b` beside it.
    fn rewrite_and(&self, a: Lit, b: Lit) -> Option<Rewritten> {
        match self.gates[a.gate()] {
            Gate::And(a0, a1) if a.is_inverted() => self.rewrite_inverted(a0, a1, b),
            Gate::And(a0, a1) => {
                if b == a0 || b == a1 {
                    return Some(Rewritten::Edge(a));
                }
                if b == !a0 || b == !a1 {
                    return Some(Rewritten::Edge(Lit::FALSE));
                }
                let (b0, b1) = self.positive_and(b)?;
                if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
                    return Some(Rewritten::Edge(Lit::FALSE));
                }
                // One factor in common: written once.
                if b0 == a0 || b0 == a1 {
                    return Some(Rewritten::And(a, b1));
                }
                (b1 == a0 || b1 == a1).then_some(Rewritten::And(a, b0))
            }
            Gate::Xor(p, q) => {
                let inverted = a.is_inverted();
                // Where b holds, p or q is known.
                if b.positive() == p {
                    Some(Rewritten::And(b, q.invert_if(inverted == b.is_inverted())))
                } else if b.positive() == q {
                    Some(Rewritten::And(b, p.invert_if(inverted == b.is_inverted())))
                } else {
                    None
                }
            }
            Gate::Mux(c, yes, no) => {
                let inverted = a.is_inverted();
                if b == c {
                    Some(Rewritten::And(b, yes.invert_if(inverted)))
                } else if b == !c {
                    Some(Rewritten::And(b, no.invert_if(inverted)))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    /// Rules for ¬(a0 ∧ a1) ∧ b.
    fn rewrite_inverted(&self, a0: Lit, a1: Lit, b: Lit) -> Option<Rewritten> {
        if b == !a0 || b == !a1 {
            return Some(Rewritten::Edge(b));
        }
        if b == a0 {
            return Some(Rewritten::And(b, !a1));
        }
        if b == a1 {
            return Some(Rewritten::And(b, !a0));
        }
        let Gate::And(b0, b1) = self.gates[b.gate()] else { return None };
        if !b.is_inverted() {
            if a0 == !b0 || a0 == !b1 || a1 == !b0 || a1 == !b1 {
                return Some(Rewritten::Edge(b));
            }
            if a0 == b0 || a0 == b1 {
                return Some(Rewritten::And(b, !a1));
            }
            return (a1 == b0 || a1 == b1).then_some(Rewritten::And(b, !a0));
        }
        // ¬(c ∧ x) ∧ ¬(¬c ∧ y): resolution where x = y, else a choice.
        for (c, x, d, y) in [(a0, a1, b0, b1), (a0, a1, b1, b0), (a1, a0, b0, b1), (a1, a0, b1, b0)] {
            if c == !d {
                return Some(if x == y { Rewritten::Edge(!x) } else { Rewritten::NotMux(c, x, y) });
            }
        }
        None
    }

    fn positive_and(&self, edge: Lit) -> Option<(Lit, Lit)> {
        match self.gates[edge.gate()] {
            Gate::And(a, b) if !edge.is_inverted() => Some((a, b)),
            _ => None,
        }
    }

    /// a ⊕ b.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let inverted = a.is_inverted() != b.is_inverted();
        let (a, b) = (a.positive(), b.positive());
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return Lit::of(inverted);
        }
        if a == Lit::FALSE {
            return b.invert_if(inverted);
        }
        let output = self.rewrite_xor(a, b).or_else(|| self.rewrite_xor(b, a));
        output.unwrap_or_else(|| self.intern(Gate::Xor(a, b))).invert_if(inverted)
    }

    /// a ⊕ b by what `b` is; neither is inverted.
    fn rewrite_xor(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        match self.gates[b.gate()] {
            Gate::Xor(p, q) if a == p => Some(q),
            Gate::Xor(p, q) if a == q => Some(p),
            // a ⊕ (a ∧ x) = a ∧ ¬x, and ¬a ⊕ (¬a ∧ x) likewise.
            Gate::And(p, q) if a == p.positive() => Some(self.and(p, !q).invert_if(p.is_inverted())),
            Gate::And(p, q) if a == q.positive() => Some(self.and(q, !p).invert_if(q.is_inverted())),
            _ => None,
        }
    }

    /// `yes` where `condition` holds, else `no`.
    pub fn mux(&mut self, condition: Lit, yes: Lit, no: Lit) -> Lit {
        let (c, yes, no) = if condition.is_inverted() { (!condition, no, yes) } else { (condition, yes, no) };
        if c == Lit::FALSE || yes == no {
            return no;
        }
        let (yes, no) = (self.under(c, yes), self.under(!c, no));
        if yes == no {
            return yes;
        }
        match (yes.constant(), no.constant()) {
            (Some(true), _) => return self.or(c, no),
            (Some(false), _) => return self.and(!c, no),
            (_, Some(true)) => return self.or(!c, yes),
            (_, Some(false)) => return self.and(c, yes),
            _ => {}
        }
        if yes == !no {
            return self.xor(c, no);
        }
        let inverted = yes.is_inverted();
        self.intern(Gate::Mux(c, yes.invert_if(inverted), no.invert_if(inverted))).invert_if(inverted)
    }

    /// `edge`, or what it is where `known` holds.
    fn under(&self, known: Lit, edge: Lit) -> Lit {
        if edge.positive() == known.positive() {
            return Lit::of(edge == known);
        }
        let inside = match self.gates[edge.gate()] {
            Gate::And(p, q) if p == known => q,
            Gate::And(p, q) if q == known => p,
            Gate::And(p, q) if p == !known || q == !known => Lit::FALSE,
            Gate::Mux(c, yes, _) if c == known => yes,
            Gate::Mux(c, _, no) if c == !known => no,
            Gate::Xor(p, q) if p == known.positive() => q.invert_if(p == known),
            Gate::Xor(p, q) if q == known.positive() => p.invert_if(q == known),
            _ => return edge,
        };
        inside.invert_if(edge.is_inverted())
    }

    /// At least two of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut edges = [a, b, c];
        edges.sort_unstable();
        let [a, b, c] = edges;
        // Equal and opposite edges are neighbours.
        if a == b || b == !c {
            return a;
        }
        if b == c || a == !b {
            return c;
        }
        match a.constant() {
            Some(true) => return self.or(b, c),
            Some(false) => return self.and(b, c),
            None => {}
        }
        let inverted = a.is_inverted();
        let [a, b, c] = [a, b, c].map(|edge| edge.invert_if(inverted));
        self.intern(Gate::Majority(a, b, c)).invert_if(inverted)
    }
}
