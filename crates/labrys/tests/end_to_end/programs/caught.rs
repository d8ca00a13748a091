// Panics that catch_unwind takes: what is dropped on the way, poisoned locks, a panic that goes on.
use std::cell::Cell;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::Mutex;

extern "C" {
    fn __VERIFIER_nondet_uchar() -> u8;
}

struct Counted<'a>(&'a Cell<u32>);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + if std::thread::panicking() { 10 } else { 1 });
    }
}

fn entry(values: &[i32], index: usize, dropped: &Cell<u32>) -> i32 {
    let _counted = Counted(dropped);
    let sum = Mutex::new(0);
    let inner = catch_unwind(AssertUnwindSafe(|| {
        let mut guard = sum.lock().unwrap();
        *guard += values[index];
    }));
    assert_eq!(sum.is_poisoned(), inner.is_err());
    if let Err(payload) = inner {
        resume_unwind(payload);
    }
    values[index]
}

fn main() {
    let index = usize::from(unsafe { __VERIFIER_nondet_uchar() });
    let values = [1, 2, 3];
    let dropped = Cell::new(0);
    let caught = catch_unwind(AssertUnwindSafe(|| entry(&values, index, &dropped)));
    assert!(!std::thread::panicking());
    assert!(dropped.get() == if index < 3 { 1 } else { 10 });
    match caught {
        Ok(value) => assert_eq!(value as usize, index + 1),
        Err(_) => assert!(index > 2), //BUG:        Err(_) => assert!(index > 3),
    }
}
