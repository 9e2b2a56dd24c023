//! The client's requests, and its results for every kind of answer, with a real server that follows a script.

mod answers;
mod environment;
mod hosted;
mod requests;
mod samples;
#[path = "../support/mod.rs"]
mod support;
mod waits;
