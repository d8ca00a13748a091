fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    assert!(arguments.len() == 1); //BUG:    assert!(arguments.len() == 0);
}
