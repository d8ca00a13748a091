//! The reproducer of a finding, ID.c: a program in C that shows the difference, or the exception, without labrys.
//!
//! For C the file holds the source itself: compiled as it stands it is the code under test, which each build's command
//! makes a shared object of with that build's own flags; compiled with `-O0 -DMAIN` it is a program that loads both
//! shared objects, calls the function on the witness, reads the exceptions with `<fenv.h>` and exits with 1 where the
//! builds differ in outcome, watched exceptions, result class or by more than the allowed ulps, and with 0 where they do
//! not. For other languages only the program is in the file, and the libraries come from the commands in its comment.
//!
//! An exception's reproducer has one build: its program exits with 1 where the exception is raised, with 0 where it is not. That of an
//! error has the true output, rounded: it exits with 1 where the result is further from it than half of what was observed.
//!
//! Each build runs in a forked child that alone loads its library, because start-up code of one build (gcc's
//! `crtfastmath`) would change the control register under the other. A difference in traces alone can't be seen this way;
//! the comment says so.

mod commands;
mod flags;
mod program;
mod subject;
pub(crate) mod witness;

pub use commands::shell_word;
pub use flags::absolute_flags;
pub use subject::{Claim, Library, Reproducer, ReproducerBuild};
