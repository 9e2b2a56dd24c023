//! Shared by several test binaries.
#![allow(dead_code, reason = "each test binary uses another part")]

pub mod runtime;
pub mod scripted_server;

use workflow_execution_service::{Client, ClientBuilder};

/// Builds a client that does not depend on the tester's environment.
pub fn client_builder(url: &str) -> ClientBuilder {
    Client::builder().url(url).environment(|_| None)
}

pub fn client(url: &str) -> Client {
    client_builder(url).build().unwrap()
}
