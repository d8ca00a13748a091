use std::fmt;

extern "C" {
    fn __VERIFIER_nondet_double() -> f64;
}

#[derive(Debug, Clone)]
struct Summary {
    mean: f64,
    largest: f64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:.3} {:?}", self.mean, self.largest)
    }
}

fn summary(x: &[f64]) -> Option<Summary> {
    let largest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if x.is_empty() {
        return None;
    }
    Some(Summary { mean: x.iter().sum::<f64>() / x.len() as f64, largest })
}

fn main() {
    let mut v = Vec::new();
    for _ in 0..3 {
        let x = unsafe { __VERIFIER_nondet_double() };
        if !(x >= 0.0 && x <= 10.0) {
            return;
        }
        v.push(x);
    }
    let s = summary(&v).unwrap();
    println!("{} {:?}", s, v);
    assert!(s.mean <= 10.5, "the mean is {}", s.mean); //BUG:    assert!(s.mean < 9.5, "the mean is {}", s.mean);
}
