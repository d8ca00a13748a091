use super::*;
use labrys_term::{Op, Sort};

/// Every check of a random walk over levels, assertions and assumptions is answered as a fresh solver answers it.
#[test]
fn levels_and_assumptions_agree_with_fresh_solvers() {
    let mut store = Store::new();
    let x = store.variable("x", Sort::BitVec(4));
    let y = store.variable("y", Sort::BitVec(4));
    let product = store.mk(Op::BvMul, &[x, y]);
    let mut atoms = Vec::new();
    for value in [1u8, 6, 9] {
        let literal = store.bv_const(4, value);
        atoms.push(store.mk(Op::BvUlt, &[x, literal]));
        atoms.push(store.mk(Op::BvSlt, &[literal, y]));
        atoms.push(store.mk(Op::Eq, &[product, literal]));
    }
    let mut session = Session::new(Portfolio::new(PortfolioConfig::default()));
    let mut random = 12345u64;
    let mut next = |bound: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % bound
    };
    let (mut sat, mut unsat) = (0, 0);
    for _ in 0..300 {
        match next(6) {
            0 if next(8) == 0 => session.renew(),
            0 => session.push(),
            1 => drop(session.pop()),
            // What is asserted on the lowest level stays, and soon nothing would be satisfiable.
            2 if session.levels() > 0 => session.assert(&store, atoms[next(9) as usize]),
            _ => {
                let negated = store.not(atoms[next(9) as usize]);
                let assumptions = [atoms[next(9) as usize], negated];
                let terms = [session.assertions(), &assumptions].concat();
                let limits = Limits { work: 0, ..Limits::default() };
                let fresh = Portfolio::default().decide(&store, &terms, &limits).outcome;
                match session.check(&store, &assumptions, &limits) {
                    Answer::Sat => {
                        assert!(matches!(fresh, FloatOutcome::Sat(_)));
                        assert!(terms.iter().all(|&term| session.value(&store, term) == Some(Value::Bool(true))));
                        sat += 1;
                    }
                    Answer::Unsat => {
                        assert!(matches!(fresh, FloatOutcome::Unsat(_)));
                        let failed: Vec<TermId> =
                            session.failed_assumptions().unwrap().iter().map(|&place| assumptions[place]).collect();
                        let core = [session.assertions(), &failed].concat();
                        let again = Portfolio::default().decide(&store, &core, &limits).outcome;
                        assert!(matches!(again, FloatOutcome::Unsat(_)));
                        unsat += 1;
                    }
                    Answer::Unknown(why) => panic!("{why}"),
                }
            }
        }
    }
    assert!(sat > 5 && unsat > 5, "{sat} {unsat}");
}
