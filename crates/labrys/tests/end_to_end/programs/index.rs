extern "C" {
    fn __VERIFIER_nondet_int() -> i32;
}

fn interpolate(table: &[(f64, f64)], x: f64) -> f64 {
    let mut i = 0;
    while i + 2 < table.len() && table[i + 1].0 < x { //BUG:    while i + 1 < table.len() && table[i + 1].0 < x {
        i += 1;
    }
    let ((x0, y0), (x1, y1)) = (table[i], table[i + 1]);
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

fn main() {
    let n = unsafe { __VERIFIER_nondet_int() };
    if n < 0 || n > 40 {
        return;
    }
    let table: Vec<(f64, f64)> = (0..4).map(|i| (i as f64, (i * i) as f64)).collect();
    let y = interpolate(&table, n as f64 / 10.0);
    println!("{y}");
}
