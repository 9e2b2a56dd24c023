//! Starts the approval Program.
fn main() {}
