//! The types of the API's requests and answers.
//!
//! Times are ISO 8601 in UTC with milliseconds. Members that a newer service adds are ignored; enum values that it adds
//! become `Unknown`. The interface specification names only the ids of what the core routes answer: other members that an
//! answer lacks are empty.

mod billing;
mod environment;
mod execution;
mod execution_status;
mod history;
mod list;
mod new_trigger;
mod open_words;
mod program;
mod project;
mod secret;
mod token;
mod trigger;
mod usage;
mod who_am_i;
mod workspace;

pub use billing::{BillingPlan, Invoice, InvoiceLine, PlanPrices, Price};
pub use environment::{EnvironmentChange, EnvironmentVariable};
pub use execution::{
    CancelReceipt, ErrorCause, EventReceipt, Execution, ExecutionError, ExecutionSummary, ExecutionTrigger, Waiting,
};
pub use execution_status::ExecutionStatus;
pub use history::{HistoryEntry, HistoryEntryType};
pub use list::{List, Page};
pub use new_trigger::{NewTrigger, Schedule, Webhook};
pub use program::{EffectDeclaration, EventDeclaration, Program, ProgramManifest, ProgramVersion, VersionOrigin};
pub use project::{Project, ProjectDescription};
pub use secret::Secret;
pub use token::{CreatedToken, NewToken, Role, Token};
pub use trigger::{FiringReceipt, Trigger, TriggerList, TriggerType};
pub use usage::{Usage, UsageGrouping, UsageItem, UsageMetric, UsageQuery, UsageTotal};
pub use who_am_i::{TokenDescription, WhoAmI, WorkspaceDescription};
pub use workspace::{Workspace, WorkspaceChange, WorkspaceLimits};

pub(crate) use execution::ResultView;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// serde treats null like a missing member; here they are different.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
