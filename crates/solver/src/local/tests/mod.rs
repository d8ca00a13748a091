mod models;
mod random_terms;
