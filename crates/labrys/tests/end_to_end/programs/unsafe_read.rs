extern "C" {
    fn __VERIFIER_nondet_int() -> i32;
}

fn at(data: &[f64], i: usize) -> f64 {
    unsafe { *data.as_ptr().add(i) }
}

fn main() {
    let i = unsafe { __VERIFIER_nondet_int() };
    let data = vec![1.0, 2.0, 3.0];
    if i < 0 || i >= 3 { //BUG:    if i < 0 || i > 3 {
        return;
    }
    if at(&data, i as usize) < 0.0 {
        println!("negative");
    }
}
