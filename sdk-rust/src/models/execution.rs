use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{ExecutionStatus, TriggerType, present};

/// One run of one version of a Program, as lists show it.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// for execution in client.executions().list(None).await? {
///     println!("{} {} {}", execution.id, execution.program_id, execution.status);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExecutionSummary {
    /// Its id.
    pub id: String,
    /// The project it belongs to.
    #[serde(default)]
    pub project_id: String,
    /// The Program's id.
    #[serde(default)]
    pub program_id: String,
    /// The id of the version that it runs.
    #[serde(default)]
    pub version_id: String,
    /// The number of the version that it runs.
    #[serde(default)]
    pub version_number: u64,
    /// The status.
    #[serde(default)]
    pub status: ExecutionStatus,
    /// The error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ExecutionError>,
    /// When it was accepted.
    #[serde(default)]
    pub created_at: String,
    /// When its code first ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it reached a terminal status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Empty when the status is terminal.
    #[serde(default)]
    pub waiting_for: Vec<Waiting>,
    /// The label that the Program gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The first 200 characters of the input's JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_preview: Option<String>,
    /// The id of the Execution that this one runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again_of: Option<String>,
    /// What started it, on a hosted service; `None` for other starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<ExecutionTrigger>,
}

/// One run of one version of a Program, with its input and result.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let execution = client.executions().get("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").await?;
/// println!("{} waits for {} things", execution.id, execution.waiting_for.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Execution {
    /// Its id.
    pub id: String,
    /// The project it belongs to.
    #[serde(default)]
    pub project_id: String,
    /// The Program's id.
    #[serde(default)]
    pub program_id: String,
    /// The id of the version that it runs.
    #[serde(default)]
    pub version_id: String,
    /// The number of the version that it runs.
    #[serde(default)]
    pub version_number: u64,
    /// The status.
    #[serde(default)]
    pub status: ExecutionStatus,
    /// The input; `None` if there is none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub input: Option<Value>,
    /// The Program's result; `None` if it returned nothing, or has not returned.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// The error, if it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ExecutionError>,
    /// When it was accepted.
    #[serde(default)]
    pub created_at: String,
    /// When its code first ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When its cancel was first requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_requested_at: Option<String>,
    /// When it reached a terminal status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Empty when the status is terminal.
    #[serde(default)]
    pub waiting_for: Vec<Waiting>,
    /// The label that the Program gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The first 200 characters of the input's JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_preview: Option<String>,
    /// The id of the Execution that this one runs again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub again_of: Option<String>,
    /// What started it, on a hosted service; `None` for other starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<ExecutionTrigger>,
}

/// The Trigger that started an Execution.
///
/// ```
/// use workflow_execution_service::{ExecutionTrigger, TriggerType};
///
/// let trigger: ExecutionTrigger = serde_json::from_str(r#"{ "id": "trg_1", "type": "webhook" }"#)?;
/// assert_eq!(trigger.kind, TriggerType::Webhook);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExecutionTrigger {
    /// Its id.
    pub id: String,
    /// What fired it; `type` in the JSON.
    #[serde(rename = "type")]
    pub kind: TriggerType,
}

/// One thing that an Execution waits for.
///
/// ```
/// use workflow_execution_service::Waiting;
///
/// let waiting: Waiting =
///     serde_json::from_str(r#"{ "kind": "event", "name": "approved", "since": "2026-11-20T12:00:00.000Z" }"#)?;
/// assert!(matches!(waiting, Waiting::Event { name, .. } if name == "approved"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Waiting {
    /// An event of this name.
    #[non_exhaustive]
    Event {
        /// The event's name.
        name: String,
        /// When the Program began to wait.
        since: String,
        /// When it times out.
        #[serde(skip_serializing_if = "Option::is_none")]
        timeout_at: Option<String>,
    },
    /// A timer.
    #[non_exhaustive]
    Timer {
        /// When it is due.
        wake_at: String,
    },
    /// The result of an effect.
    #[non_exhaustive]
    Effect {
        /// The effect's name.
        name: String,
        /// Starts at 1.
        attempt: u64,
        /// When the attempt may begin.
        #[serde(skip_serializing_if = "Option::is_none")]
        next_attempt_at: Option<String>,
    },
    /// A kind that this version of the client does not know.
    #[serde(untagged)]
    Unknown(Value),
}

/// The error of a failed Execution. For the code `program_error`, name and message are those of the thrown error.
///
/// ```
/// use workflow_execution_service::ExecutionError;
///
/// let error: ExecutionError =
///     serde_json::from_str(r#"{ "code": "program_error", "message": "no stock", "name": "OutOfStock" }"#)?;
/// assert_eq!(error.to_string(), "OutOfStock: no stock");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExecutionError {
    /// The code, such as `program_error`, `effect_failed`, `nondeterminism`, `program_timeout`.
    pub code: String,
    /// The message.
    pub message: String,
    /// The name of the error's class.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// With lines of the author's source if there is a source map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The cause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Box<ErrorCause>>,
}

/// The cause of an error: its `cause` in JavaScript, at most 8 levels and 64 KiB.
///
/// ```
/// use workflow_execution_service::ExecutionError;
///
/// let error: ExecutionError = serde_json::from_str(
///     r#"{ "code": "program_error", "message": "no receipt", "cause": { "message": "card declined" } }"#,
/// )?;
/// assert_eq!(error.cause.unwrap().message, "card declined");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ErrorCause {
    /// The name of the error's class; absent for other values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The message.
    pub message: String,
    /// With lines of the author's source if there is a source map.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The cause of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<Box<ErrorCause>>,
}

impl std::fmt::Display for ExecutionError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(formatter, "{name}: {}", self.message),
            None => formatter.write_str(&self.message),
        }
    }
}

/// Acknowledges an event.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
/// println!("stored as {}", handle.send("approved", ()).await?.id);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventReceipt {
    /// The event's id. Empty if the service does not tell it.
    pub id: String,
    /// The Execution's id.
    pub execution_id: String,
    /// The event's name.
    pub name: String,
    /// When it was stored. Empty if the service does not tell it.
    pub received_at: String,
}

/// Acknowledges a cancel.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let receipt = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").cancel().await?;
/// println!("{} is {}", receipt.id, receipt.status);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CancelReceipt {
    /// The Execution's id.
    pub id: String,
    /// The current status: it may still clean up.
    pub status: ExecutionStatus,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ResultView {
    pub(crate) status: ExecutionStatus,
    #[serde(default)]
    pub(crate) result: Value,
    /// Its form is not checked: the interface specification leaves it open.
    #[serde(default)]
    pub(crate) error: Value,
}
