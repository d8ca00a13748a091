// Numbers with few values become texts and are read back; conversions saturate; nothing panics inside catch_unwind.
use std::error::Error;

extern "C" {
    fn __VERIFIER_nondet_int() -> i32;
    fn __VERIFIER_nondet_double() -> f64;
}

fn price(quarters: i32) -> Result<f64, Box<dyn Error>> {
    if quarters < 0 {
        return Err("owed".into());
    }
    let text = format!("{:.2}", f64::from(quarters) / 4.0);
    assert!(text != "1.75 "); //BUG:    assert!(text != "1.75");
    Ok(text.parse::<f64>()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let quarters = unsafe { __VERIFIER_nondet_int() };
    if quarters < -1 || quarters > 9 {
        return Ok(());
    }
    let x = unsafe { __VERIFIER_nondet_double() };
    let whole = x as i32;
    assert!(x.is_nan() || (f64::from(whole) - x).abs() < 1.0 || whole == i32::MAX || whole == i32::MIN);
    let caught = std::panic::catch_unwind(|| quarters + 1);
    assert_eq!(caught.unwrap(), quarters + 1);
    let paid = price(quarters)?;
    assert_eq!(paid * 4.0, f64::from(quarters));
    Ok(())
}
