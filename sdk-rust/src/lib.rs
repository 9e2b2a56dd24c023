//! Client for the Workflow Execution Service: deploys Programs, starts durable Executions, sends them events, and waits
//! for their results.
//!
//! ```no_run
//! use serde_json::json;
//! use workflow_execution_service::Client;
//!
//! #[tokio::main]
//! async fn main() -> workflow_execution_service::Result<()> {
//!     let client = Client::from_env()?;
//!     let handle = client.executions().start("order-approval", json!({ "orderId": "4711", "cents": 1999 })).await?;
//!     handle.send("approved", json!({ "by": "ada" })).await?;
//!     println!("{}", handle.result().await?);
//!     Ok(())
//! }
//! ```
//!
//! # Which service it calls
//!
//! [`Client::from_env`] reads the environment, and so does [`Client::builder`] for settings that are not set. Empty
//! variables count as unset.
//!
//! | | address |
//! |---|---|
//! | `SERVICE_TOKEN` is set | `SERVICE_API_BASE_URL`, otherwise the hosted service |
//! | it is not | `SERVICE_RUNTIME_URL`, otherwise `http://127.0.0.1:3477`, the local runtime |
//!
//! # Runtimes
//!
//! The client runs on tokio. The feature `blocking` adds a client for code that is not async:
#![cfg_attr(feature = "blocking", doc = "[`blocking::Client`].")]
#![cfg_attr(not(feature = "blocking"), doc = "`blocking::Client`.")]
//!
//! # Hosted services
//!
//! [`Client::workspace`], [`Client::tokens`], [`Client::triggers`], [`Client::environment`], [`Client::usage`] and
//! [`Client::billing`] are beyond the interface specification, like [`Client::whoami`]: only a hosted service has them. A
//! local runtime refuses them with `hosted_only`.
//!
//! # Newer services
//!
//! The client ignores members that a newer service adds to its answers, and maps new enum values, such as a new status,
//! to `Unknown`. Enums and answers are non-exhaustive, so that this crate can add them without a new major version. The
//! oldest supported Rust is 1.85; raising it is a minor version.

#![forbid(unsafe_code)]
#![warn(missing_docs, unreachable_pub, clippy::unwrap_used, clippy::expect_used)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod address;
mod billing;
#[cfg(feature = "blocking")]
#[cfg_attr(docsrs, doc(cfg(feature = "blocking")))]
pub mod blocking;
mod client;
mod environment;
mod error;
mod execution_filter;
mod execution_handle;
mod executions;
mod groups_of_calls;
mod items;
mod json;
mod models;
mod programs;
mod projects;
mod repeat_refused;
mod request_path;
mod run_program;
mod tokens;
mod transport;
mod triggers;
mod wait_for_result;

pub use billing::Billing;
pub use client::{Client, ClientBuilder};
pub use environment::Environment;
pub use error::{Error, Result};
pub use execution_filter::ExecutionFilter;
pub use execution_handle::ExecutionHandle;
pub use executions::{Executions, StartOptions};
pub use items::Items;
pub use models::{
    BillingPlan, CancelReceipt, CreatedToken, EffectDeclaration, EnvironmentChange, EnvironmentVariable, ErrorCause,
    EventDeclaration, EventReceipt, Execution, ExecutionError, ExecutionStatus, ExecutionSummary, ExecutionTrigger,
    FiringReceipt, HistoryEntry, HistoryEntryType, Invoice, InvoiceLine, List, NewToken, NewTrigger, Page, PlanPrices,
    Price, Program, ProgramManifest, ProgramVersion, Project, ProjectDescription, Role, Schedule, Secret, Token,
    TokenDescription, Trigger, TriggerList, TriggerType, Usage, UsageGrouping, UsageItem, UsageMetric, UsageQuery,
    UsageTotal, VersionOrigin, Waiting, Webhook, WhoAmI, Workspace, WorkspaceChange, WorkspaceDescription,
    WorkspaceLimits,
};
pub use programs::Programs;
pub use projects::Projects;
pub use tokens::Tokens;
pub use triggers::Triggers;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
