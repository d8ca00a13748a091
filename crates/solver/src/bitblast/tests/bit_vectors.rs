use labrys_formulas::Random;
use labrys_term::Value;

use super::random::Terms;
use crate::bitblast::BitBlaster;
use crate::domain::{BitVecDomain, BoolDomain, Domain, Facts, ModeDomain};
use crate::{Budget, Engine, Query, Verdict};

#[test]
fn answers_are_those_of_enumeration() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let terms = Terms::new(&mut random, 3, 25);
        let assertions: Vec<_> = (0..3).map(|_| random.pick(&terms.bools)).collect();
        let wanted = terms.models(3).iter().any(|model| terms.holds(model, &assertions));
        let facts = Facts::default();
        let query = Query { store: &terms.store, assertions: &assertions, facts: &facts };
        match BitBlaster::new().check(&query, &Budget::unlimited()) {
            Verdict::Sat(model) => {
                assert!(terms.holds(&model, &assertions), "seed {seed}: {model:?}");
                sat += 1;
            }
            Verdict::Unsat => {
                assert!(!wanted, "seed {seed}");
                unsat += 1;
            }
            Verdict::Unknown(why) => panic!("seed {seed}: {why}"),
        }
    }
    assert!(sat > 20 && unsat > 20, "{sat} and {unsat}");
}

/// The hull of the values that terms have in the models of the assertions: facts as strong as they can be.
fn strongest_facts(terms: &Terms, assertions: &[labrys_term::TermId]) -> Option<Facts> {
    let models: Vec<_> = terms.models(3).into_iter().filter(|model| terms.holds(model, assertions)).collect();
    let mut facts = Facts::default();
    for term in terms.store.reachable(assertions) {
        let values: Vec<Value> =
            models.iter().map(|model| labrys_term::eval(&terms.store, term, model).expect("a value")).collect();
        let numbers = || values.iter().filter_map(|value| u128::try_from(value.as_bits()?).ok());
        let domain = match values.first()? {
            Value::Bool(first) if values.iter().all(|value| value.as_bool() == Some(*first)) => {
                Domain::Bool(if *first { BoolDomain::True } else { BoolDomain::False })
            }
            Value::Bool(_) => Domain::Bool(BoolDomain::Any),
            Value::BitVec { width, .. } => Domain::BitVec(BitVecDomain {
                width: *width,
                low: numbers().min()?,
                high: numbers().max()?,
                ones: numbers().fold(u128::MAX, |ones, value| ones & value) & ((1 << width) - 1),
                zeros: numbers().fold(u128::MAX, |zeros, value| zeros & !value) & ((1 << width) - 1),
            }),
            _ => Domain::RoundingMode(ModeDomain(
                values
                    .iter()
                    .filter_map(Value::as_rounding_mode)
                    .fold(0, |modes, mode| modes | ModeDomain::only(mode).0),
            )),
        };
        facts.domains.insert(term, domain);
    }
    Some(facts)
}

#[test]
fn facts_change_circuits_but_not_answers() {
    let mut checked = 0;
    for seed in 1000..1150 {
        let mut random = Random::new(seed);
        let terms = Terms::new(&mut random, 3, 25);
        let assertions: Vec<_> = (0..2).map(|_| random.pick(&terms.bools)).collect();
        let Some(facts) = strongest_facts(&terms, &assertions) else { continue };
        let query = Query { store: &terms.store, assertions: &assertions, facts: &facts };
        match BitBlaster::new().check(&query, &Budget::unlimited()) {
            Verdict::Sat(model) => assert!(terms.holds(&model, &assertions), "seed {seed}: {model:?}"),
            other => panic!("seed {seed}: {other:?}"),
        }
        checked += 1;
    }
    assert!(checked > 50);
}

#[test]
fn dimacs_has_a_line_for_each_clause() {
    let mut random = Random::new(7);
    let terms = Terms::new(&mut random, 3, 10);
    let assertions = [terms.bools[1]];
    let query = Query { store: &terms.store, assertions: &assertions, facts: &Facts::default() };
    let text = BitBlaster::dimacs(&query, &Budget::unlimited()).expect("clauses");
    let header: Vec<&str> = text.lines().next().expect("a header").split(' ').collect();
    assert_eq!(header[..2], ["p", "cnf"]);
    assert_eq!(header[3].parse::<usize>().expect("a number"), text.lines().count() - 1);
    assert!(text.lines().skip(1).all(|line| line.ends_with(" 0")));
}
