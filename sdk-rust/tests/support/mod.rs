//! What several test binaries use; none of them uses all of it.
#![allow(dead_code, reason = "each test binary uses another part")]

pub mod runtime;
pub mod scripted_server;

use workflow_execution_service::{Client, ClientBuilder};

/// Sets up a client that does not depend on the environment of whoever runs the tests.
pub fn client_builder(url: &str) -> ClientBuilder {
    Client::builder().url(url).environment(|_| None)
}

pub fn client(url: &str) -> Client {
    client_builder(url).build().unwrap()
}
