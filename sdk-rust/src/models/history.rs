use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::open_words::open_words;
use super::present;

/// One entry of an Execution's journal.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// for entry in client.executions().history("exe_01jcx3b8e0e0t9qv2m5k7w4z6n", None).await? {
///     println!("{:>4} {} {} {}", entry.position, entry.at, entry.kind, entry.name.unwrap_or_default());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryEntry {
    /// Its position in the history, from 1.
    pub position: u64,
    /// When it was written.
    pub at: String,
    /// The type of the entry; `type` in the JSON.
    #[serde(rename = "type")]
    pub kind: HistoryEntryType,
    /// The number of the command within the Execution, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<u64>,
    /// The name of the event or the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The attempt of the effect, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// The data of the entry.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

open_words! {
    /// The type of a history entry.
    ///
    /// ```
    /// use workflow_execution_service::HistoryEntryType;
    ///
    /// assert_eq!(HistoryEntryType::from("timer_fired"), HistoryEntryType::TimerFired);
    /// assert_eq!(HistoryEntryType::TimerFired.as_str(), "timer_fired");
    /// ```
    pub enum HistoryEntryType {
        /// The Execution was accepted.
        ExecutionStarted = "execution_started",
        /// The Program called an effect.
        EffectScheduled = "effect_scheduled",
        /// An attempt of an effect failed; another one may follow.
        EffectAttemptFailed = "effect_attempt_failed",
        /// An effect returned.
        EffectCompleted = "effect_completed",
        /// All attempts of an effect failed.
        EffectFailed = "effect_failed",
        /// The Program set a timer.
        TimerScheduled = "timer_scheduled",
        /// A timer fired.
        TimerFired = "timer_fired",
        /// The Program began to wait for an event.
        WaitScheduled = "wait_scheduled",
        /// A wait timed out.
        WaitTimedOut = "wait_timed_out",
        /// An event was accepted.
        EventReceived = "event_received",
        /// An event was delivered to a wait.
        EventDelivered = "event_delivered",
        /// The Program wrote a log entry.
        Log = "log",
        /// A cancel was requested.
        CancelRequested = "cancel_requested",
        /// The Program returned.
        ExecutionCompleted = "execution_completed",
        /// The Execution ended with an error.
        ExecutionFailed = "execution_failed",
        /// The Execution was cancelled.
        ExecutionCancelled = "execution_cancelled",
    }
}
