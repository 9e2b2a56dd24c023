use super::open_words::open_words;

open_words! {
    /// The status of an Execution.
    ///
    /// ```
    /// use workflow_execution_service::ExecutionStatus;
    ///
    /// let status: ExecutionStatus = serde_json::from_str(r#""waiting""#)?;
    /// assert_eq!(status, ExecutionStatus::Waiting);
    /// assert_eq!(ExecutionStatus::from("resting"), ExecutionStatus::Unknown("resting".to_owned()));
    /// assert_eq!(status.to_string(), "waiting");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub enum ExecutionStatus {
        /// Accepted; its code has not run yet.
        Queued = "queued",
        /// Its code runs, or is about to run.
        Running = "running",
        /// Waits for an event, a timer or an effect.
        Waiting = "waiting",
        /// A cancel was requested, and it cleans up.
        Cancelling = "cancelling",
        /// Terminal: it returned.
        Completed = "completed",
        /// Terminal: it ended with an error.
        Failed = "failed",
        /// Terminal: it was cancelled.
        Cancelled = "cancelled",
    }
}

impl ExecutionStatus {
    /// Whether the Execution has ended. An unknown status counts as not ended.
    ///
    /// ```
    /// use workflow_execution_service::ExecutionStatus;
    ///
    /// assert!(ExecutionStatus::Failed.is_terminal());
    /// assert!(!ExecutionStatus::Cancelling.is_terminal());
    /// assert!(!ExecutionStatus::from("resting").is_terminal());
    /// ```
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}
