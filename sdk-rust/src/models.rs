//! The types of the API's requests and answers.
//!
//! Times are ISO 8601 in UTC with milliseconds. Members that a newer service adds are ignored; enum values that it adds
//! become `Unknown`.

mod execution;
mod execution_status;
mod history;
mod list;
mod open_words;
mod program;
mod project;
mod who_am_i;

pub use execution::{CancelReceipt, ErrorCause, EventReceipt, Execution, ExecutionError, ExecutionSummary, Waiting};
pub use execution_status::ExecutionStatus;
pub use history::{HistoryEntry, HistoryEntryType};
pub use list::{List, Page};
pub use program::{EffectDeclaration, EventDeclaration, Program, ProgramManifest, ProgramVersion, VersionOrigin};
pub use project::{Project, ProjectDescription};
pub use who_am_i::{TokenDescription, WhoAmI, Workspace};

pub(crate) use execution::ResultView;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// serde treats null like a missing member; here they are different.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
