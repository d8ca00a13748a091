mod all_assignments;
mod models;
mod random_terms;
mod wide;
