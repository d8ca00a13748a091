//! The clauses that a proof is about.

use std::io::{self, Write};

/// Clauses in DIMACS' literals, numbered from 1 in the order in which they were added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formula {
    literals: Vec<i32>,
    /// Where each clause ends.
    ends: Vec<usize>,
    variables: u32,
}

impl Formula {
    /// No clauses.
    pub fn new() -> Formula {
        Formula::default()
    }

    /// Adds a clause under the next number.
    pub fn add(&mut self, clause: &[i32]) {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
        let greatest = clause.iter().map(|literal| literal.unsigned_abs()).max();
        self.variables = self.variables.max(greatest.unwrap_or(0));
    }

    /// How many clauses there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no clause.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The greatest variable.
    pub fn variables(&self) -> u32 {
        self.variables
    }

    /// The clause of a number.
    pub fn clause(&self, id: u64) -> Option<&[i32]> {
        let place = usize::try_from(id).ok()?.checked_sub(1)?;
        let end = *self.ends.get(place)?;
        let begin = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.literals.get(begin..end)
    }

    /// All clauses in order.
    pub fn clauses(&self) -> impl Iterator<Item = &[i32]> {
        (1..=self.len() as u64).filter_map(|id| self.clause(id))
    }

    /// Writes the formula in DIMACS' format: a header and a clause a line.
    ///
    /// # Errors
    ///
    /// The writer's.
    pub fn write_dimacs(&self, to: &mut impl Write) -> io::Result<()> {
        writeln!(to, "p cnf {} {}", self.variables, self.len())?;
        for clause in self.clauses() {
            for literal in clause {
                write!(to, "{literal} ")?;
            }
            writeln!(to, "0")?;
        }
        Ok(())
    }
}
