extern "C" {
    fn __VERIFIER_nondet_int() -> i32;
}

fn average(a: i32, b: i32) -> i32 {
    a / 2 + b / 2 + (a % 2 + b % 2) / 2 //BUG:    (a + b) / 2
}

fn main() {
    let (a, b) = unsafe { (__VERIFIER_nondet_int(), __VERIFIER_nondet_int()) };
    let boxed: Box<dyn Fn(i32) -> i32> = Box::new(move |x| average(x, b));
    let m = boxed(a);
    let text = if m > 0 { "positive".to_string() } else { String::from("not") };
    if text.len() != 8 && text != "not" {
        panic!("{text}");
    }
}
