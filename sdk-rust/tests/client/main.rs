//! What the client sends, and what it makes of every kind of answer, against a real server that follows a script.

mod answers;
mod environment;
mod requests;
mod samples;
#[path = "../support/mod.rs"]
mod support;
mod waits;
