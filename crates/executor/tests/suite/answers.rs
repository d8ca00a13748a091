//! The solver's answers are kept, and a run that finds them asks nothing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use labrys_executor::{Answers, Fingerprint, Options};

use crate::support::{options, run_with};

#[derive(Debug, Default)]
struct Kept {
    answers: Mutex<HashMap<Fingerprint, Vec<u8>>>,
    /// How many were kept since somebody looked.
    new: Mutex<usize>,
}

impl Answers for Kept {
    fn recall(&self, question: &Fingerprint) -> Option<Vec<u8>> {
        self.answers.lock().expect("nothing panics").get(question).cloned()
    }

    fn keep(&self, question: &Fingerprint, answer: Vec<u8>, _is_fact: bool) {
        *self.new.lock().expect("nothing panics") += 1;
        self.answers.lock().expect("nothing panics").insert(*question, answer);
    }
}

const PROGRAM: &str = "\
int main(void) {
  int n = __VERIFIER_nondet_int(), m = __VERIFIER_nondet_int();
  double x = __VERIFIER_nondet_double();
  int *p = malloc(8);
  if (n < 0 || n > 6) return 0;
  if (x * x == 2.25) n++;
  if (n * m == 35) return p[n];
  for (int i = 0; i < n; i++) if (m == i * 77) return i;
  if (exp(x) > 20 && x < 2) return 9;
  return 0;
}";

/// Every path, test and violation is the same, and the solver has nothing to do.
#[test]
fn a_run_with_the_answers_of_another_is_the_same_run() {
    let kept = Arc::new(Kept::default());
    let with = || Options { answers: Some(kept.clone()), ..options() };
    let first = run_with(PROGRAM, &with());
    let asked = std::mem::take(&mut *kept.new.lock().expect("nothing panics"));
    assert!(asked > 5 && !first.violations.is_empty(), "{asked} {first:?}");
    let second = run_with(PROGRAM, &with());
    assert_eq!(*kept.new.lock().expect("nothing panics"), 0);
    assert_eq!(first, second);
    // What is not there is asked: a part is enough to go on from.
    let half = kept.answers.lock().expect("nothing panics").len() / 2;
    let mut count = 0;
    kept.answers.lock().expect("nothing panics").retain(|_, _| {
        count += 1;
        count <= half
    });
    let third = run_with(PROGRAM, &with());
    assert_eq!((third.paths, third.instructions), (first.paths, first.instructions));
    assert!(*kept.new.lock().expect("nothing panics") > 0);
}
