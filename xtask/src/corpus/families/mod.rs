//! The families of generated files. Each has three sizes; a claim of unsatisfiability names its theorem.

mod absorption;
mod bisection;
mod bit_tricks;
mod chains;
mod division;
mod error_free;
mod mixed_widths;
mod modes;
mod newton;
mod polynomial;
mod rounding;
mod sorting;
mod square_root;
mod sums;

use super::random::Random;
use super::script::{Naming, Script};

/// What makes one file of a family: a size from 0 to 2, and which of the family's instances.
pub type Maker = fn(&mut Script, usize, usize);

/// A family.
pub struct Family {
    pub name: &'static str,
    make: Maker,
    naming: Naming,
}

/// Instances of each size.
pub const INSTANCES: usize = 3;

/// The names of the three sizes.
pub const SIZES: [&str; 3] = ["small", "medium", "large"];

const fn family(name: &'static str, naming: Naming, make: Maker) -> Family {
    Family { name, make, naming }
}

/// All of them.
pub const FAMILIES: [Family; 14] = [
    family("absorption", Naming::Equated, absorption::make),
    family("bisection", Naming::Equated, bisection::make),
    family("bit-tricks", Naming::Defined, bit_tricks::make),
    family("chains", Naming::Defined, chains::make),
    family("division", Naming::Equated, division::make),
    family("error-free", Naming::Defined, error_free::make),
    family("mixed-widths", Naming::Defined, mixed_widths::make),
    family("modes", Naming::Defined, modes::make),
    family("newton", Naming::Defined, newton::make),
    family("polynomial", Naming::Defined, polynomial::make),
    family("rounding", Naming::Equated, rounding::make),
    family("sorting", Naming::Equated, sorting::make),
    family("square-root", Naming::Defined, square_root::make),
    family("sums", Naming::Equated, sums::make),
];

impl Family {
    /// The text of one file.
    pub fn file(&self, size: usize, instance: usize) -> String {
        let name = format!("{} {size} {instance}", self.name);
        let mut script = Script::new(self.naming, Random::named(&name));
        (self.make)(&mut script, size, instance);
        script.finish()
    }
}
