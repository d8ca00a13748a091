use std::num::ParseIntError;

extern "C" {
    fn __VERIFIER_nondet_uchar() -> u8;
}

struct Counter<'a>(&'a str);

impl Counter<'_> {
    fn number(&self) -> Result<u32, ParseIntError> {
        self.0.trim().parse::<u32>()
    }
}

fn main() {
    assert_eq!(Counter(" 12 ").number().ok(), Some(12));
    assert!(Counter("x").number().is_err());
    assert_eq!(std::env::args().count(), 1);
    let x = [0.5, 1.25, 1e-3][unsafe { __VERIFIER_nondet_uchar() } as usize % 3];
    let text = x.to_string();
    assert_eq!(text.parse::<f64>(), Ok(x));
    assert!(text.len() <= 5); //BUG:    assert!(text.len() <= 4);
}
