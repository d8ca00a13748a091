//! The literature's programs: their bounds are at most FPTaylor's.

use labrys_bounds::{Options, Outcome, bound};

use crate::source::Program;
use crate::table::TABLE;

#[test]
fn bounds_are_at_most_those_of_the_literature() {
    for (name, published, _) in TABLE {
        let program = Program::example(name);
        // The published bounds count elementary functions as correctly rounded.
        let options = Options { floats: 0, ..Options::default() };
        let Outcome::Proved(found) = bound(&program.request(), &options).expect("a valid request") else {
            panic!("{name}: nothing is proved")
        };
        assert!(found.upper <= published, "{name}: {:e} > {published:e}", found.upper);
        // What is proved is no more than the method's own maximum by the gap asked for, or a little.
        assert!(found.upper <= 1.05 * found.reached, "{name}: {:e}, {:e}", found.upper, found.reached);
    }
}
