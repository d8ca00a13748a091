extern "C" {
    fn __VERIFIER_nondet_float() -> f32;
}

struct Sorted(Vec<f32>);

impl Sorted {
    fn insert(&mut self, x: f32) -> Result<(), String> {
        if x.is_nan() { //BUG:        if x.is_infinite() {
            return Err("a NaN has no place".to_owned());
        }
        let at = self.0.iter().position(|y| *y >= x).unwrap_or(self.0.len());
        self.0.insert(at, x);
        Ok(())
    }
}

fn main() {
    let mut sorted = Sorted(Vec::with_capacity(2));
    for _ in 0..3 {
        let x = unsafe { __VERIFIER_nondet_float() };
        if let Err(why) = sorted.insert(x) {
            eprintln!("{why}");
            return;
        }
    }
    for pair in sorted.0.windows(2) {
        assert!(pair[0] <= pair[1]);
    }
}
