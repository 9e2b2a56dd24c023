//! The client for code that is not async.
//!
//! Every call blocks its thread until it has the answer. Threads may share a client.
//!
//! ```no_run
//! use serde_json::json;
//! use workflow_execution_service::blocking::Client;
//!
//! fn main() -> workflow_execution_service::Result<()> {
//!     let client = Client::from_env()?;
//!     let handle = client.executions().start("order-approval", json!({ "orderId": "4711" }))?;
//!     handle.send("approved", json!({ "by": "ada" }))?;
//!     println!("{}", handle.result()?);
//!     Ok(())
//! }
//! ```
//!
//! # Panics
//!
//! A call from async code would block its runtime, so it panics with "Cannot start a runtime from within a runtime".
//! There, use [`crate::Client`], or make the call inside `tokio::task::spawn_blocking`.

mod background;
mod billing;
mod client;
mod environment;
mod execution_handle;
mod executions;
mod items;
mod programs;
mod projects;
mod tokens;
mod triggers;

pub use billing::Billing;
pub use client::Client;
pub use environment::Environment;
pub use execution_handle::ExecutionHandle;
pub use executions::Executions;
pub use items::Items;
pub use programs::Programs;
pub use projects::Projects;
pub use tokens::Tokens;
pub use triggers::Triggers;
