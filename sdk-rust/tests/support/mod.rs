//! Shared by several test binaries.
#![allow(dead_code, reason = "each test binary uses another part")]

pub mod runtime;
pub mod scripted_server;

use workflow_execution_service::{Client, ClientBuilder};

/// Builds a client that does not depend on the tester's environment, with the token of the service that runs there.
pub fn client_builder(url: &str) -> ClientBuilder {
    let builder = Client::builder().url(url).environment(|_| None);
    match runtime::token_of(url) {
        Some(token) => builder.token(token),
        None => builder,
    }
}

pub fn client(url: &str) -> Client {
    client_builder(url).build().unwrap()
}
