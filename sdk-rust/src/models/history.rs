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
    /// 1, 2, 3 … within the Execution.
    pub position: u64,
    /// When it was written.
    pub at: String,
    /// What happened. In the JSON it is called `type`.
    #[serde(rename = "type")]
    pub kind: HistoryEntryType,
    /// The number of the command within the Execution, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<u64>,
    /// Of the event or the effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Of the effect, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u64>,
    /// What belongs to the entry.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

open_words! {
    /// What an entry of the history tells of.
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
        /// An effect failed for good.
        EffectFailed = "effect_failed",
        /// The Program set a timer.
        TimerScheduled = "timer_scheduled",
        /// A timer was due.
        TimerFired = "timer_fired",
        /// The Program began to wait for an event.
        WaitScheduled = "wait_scheduled",
        /// A wait's time was up.
        WaitTimedOut = "wait_timed_out",
        /// An event was accepted.
        EventReceived = "event_received",
        /// An event was handed to a wait.
        EventDelivered = "event_delivered",
        /// The Program printed something.
        Log = "log",
        /// Cancellation was asked for.
        CancelRequested = "cancel_requested",
        /// The Program returned.
        ExecutionCompleted = "execution_completed",
        /// The Execution ended with an error.
        ExecutionFailed = "execution_failed",
        /// The Execution ended cancelled.
        ExecutionCancelled = "execution_cancelled",
    }
}
