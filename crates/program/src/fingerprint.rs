//! What a function's behaviour depends on, as a hash: its IR and that of everything it can reach.
//!
//! Two functions with the same fingerprint compute the same, and the same source positions stand at their operations. The
//! text that is hashed names functions and globals by their places in the order in which they are reached, so that the
//! numbers of a program's arenas, the names of static functions and string constants, and folders do not matter:
//! what is changed elsewhere in a library leaves a fingerprint as it is.
//!
//! Reached is whatever is called, and whatever has its address taken in reached code or in a reached global's initial
//! value. A function that only other code stores into a global that is reached is not: analyses that run an
//! initialisation first hash its root along with the function.

use std::cell::OnceCell;
use std::fmt::Write;

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::display::{Reference, References, ShownConstant};
use crate::{FunctionId, Program};

/// One function or global by itself.
#[derive(Debug)]
struct Part {
    /// The SHA-256 of its text, in which what it refers to is numbered.
    hash: [u8; 32],
    /// What the numbers mean.
    references: Vec<Reference>,
}

/// The fingerprints of a program's functions. Keeps the parts, so that many fingerprints cost little more than one.
#[derive(Debug)]
pub struct Fingerprints<'p> {
    program: &'p Program,
    functions: Vec<OnceCell<Part>>,
    globals: Vec<OnceCell<Part>>,
}

impl<'p> Fingerprints<'p> {
    /// For a program.
    pub fn new(program: &'p Program) -> Self {
        Fingerprints {
            program,
            functions: program.functions.iter().map(|_| OnceCell::new()).collect(),
            globals: program.globals.iter().map(|_| OnceCell::new()).collect(),
        }
    }

    /// The fingerprint of some functions together, in their order: SHA-256.
    ///
    /// ```
    /// use labrys_program::{Fingerprints, Program};
    /// let text = "define double @g(double %x) { ret double %x } define double @f(double %x) { %y = call double @g(double %x) ret double %y }";
    /// let program = Program::from_bytes(text.as_bytes(), "f.ll").unwrap();
    /// let fingerprints = Fingerprints::new(&program);
    /// let of = |name| fingerprints.of(&[program.function(name).unwrap()]);
    /// assert_ne!(of("f"), of("g"));
    /// assert_eq!(of("f"), program.fingerprint(program.function("f").unwrap()));
    /// ```
    pub fn of(&self, roots: &[FunctionId]) -> [u8; 32] {
        let mut reached: Vec<Reference> = roots.iter().map(|root| Reference::Function(*root)).collect();
        let mut places: FxHashMap<Reference, usize> = FxHashMap::default();
        reached.iter().enumerate().for_each(|(place, reference)| {
            places.entry(*reference).or_insert(place);
        });
        let mut hash = Sha256::new();
        hash.update(roots.len().to_le_bytes());
        let mut next = 0;
        while let Some(reference) = reached.get(next).copied() {
            next += 1;
            let Some(part) = self.part(reference) else { continue };
            hash.update(part.hash);
            for reference in &part.references {
                let place = *places.entry(*reference).or_insert_with(|| {
                    reached.push(*reference);
                    reached.len() - 1
                });
                hash.update((place as u64).to_le_bytes());
            }
        }
        hash.finalize().into()
    }

    fn part(&self, reference: Reference) -> Option<&Part> {
        let made = |text: &dyn Fn(&References) -> String| {
            let references = References::default();
            let hash = Sha256::digest(text(&references)).into();
            Part { hash, references: references.into_vec() }
        };
        match reference {
            Reference::Function(id) => Some(self.functions.get(id.index())?.get_or_init(|| {
                made(&|references| self.program.display().only(id).collecting(references).to_string())
            })),
            Reference::Global(id) => {
                let global = self.program.globals.get(id.index())?;
                Some(self.globals.get(id.index())?.get_or_init(|| {
                    made(&|references| {
                        let mut text = format!("{} {} {}", global.ty, global.align, global.is_constant);
                        match &global.initializer {
                            Some(value) => {
                                let _ = write!(text, " = {}", ShownConstant(self.program, value, Some(references)));
                            }
                            None => text.push_str(&global.name),
                        }
                        text
                    })
                }))
            }
        }
    }
}

impl Program {
    /// The fingerprint of one function: see [`Fingerprints`], which is quicker for many.
    pub fn fingerprint(&self, function: FunctionId) -> [u8; 32] {
        Fingerprints::new(self).of(&[function])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(text: &str) -> [u8; 32] {
        let program = Program::from_bytes(text.as_bytes(), "test.ll").unwrap();
        program.fingerprint(program.function("f").unwrap())
    }

    const BODY: &str = "define double @f(double %x) {
        %c = load double, ptr @table
        %y = call double @h(double %c)
        %z = call double @f(double %y)
        ret double %z
    }";

    #[test]
    fn what_is_not_reached_does_not_matter() {
        let plain = format!(
            "@table = internal constant double 1.5\n define internal double @h(double %x) {{ ret double %x }}\n{BODY}"
        );
        let other = format!(
            "@other = internal constant double 2.5\n @table = internal constant double 1.5
            define double @unrelated(double %x) {{ ret double %x }}
            {BODY}
            define internal double @h(double %renamed) {{ ret double %renamed }}"
        );
        assert_eq!(fingerprint(&plain), fingerprint(&other));
        let renamed = plain.replace("@h(", "@other_name(").replace("@table", "@constants");
        assert_eq!(fingerprint(&plain), fingerprint(&renamed));
    }

    #[test]
    fn what_is_reached_matters() {
        let helper = "define internal double @h(double %x) { ret double %x }";
        let plain = fingerprint(&format!("@table = internal constant double 1.5\n{helper}\n{BODY}"));
        for changed in [
            format!("@table = internal constant double 2.5\n{helper}\n{BODY}"),
            format!("@table = internal global double 1.5\n{helper}\n{BODY}"),
            format!("@table = internal constant double 1.5\ndeclare double @h(double)\n{BODY}"),
            format!(
                "@table = internal constant double 1.5\n{}\n{BODY}",
                helper.replace("ret double %x", "ret double 1.0")
            ),
        ] {
            assert_ne!(plain, fingerprint(&changed), "{changed}");
        }
    }
}
