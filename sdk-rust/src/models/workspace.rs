use serde::{Deserialize, Serialize};

/// A workspace, which contains projects. For hosted services only.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let workspace = client.workspace().await?;
/// println!("{} keeps Executions for {} days", workspace.name, workspace.limits.retention_days);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// When it was created.
    pub created_at: String,
    /// The project of requests that name none.
    pub default_project_id: String,
    /// How much it may use.
    pub limits: WorkspaceLimits,
}

/// How much a workspace may use.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let limits = client.workspace().await?.limits;
/// println!("{} requests per second, {} bytes", limits.requests_per_second, limits.stored_bytes);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkspaceLimits {
    /// Requests of each token, in each API process. Further ones are refused with `rate_limited`.
    pub requests_per_second: u64,
    /// The number of requests that may come at once.
    pub request_burst: u64,
    /// Calls of each webhook Trigger, in each ingress process. Further ones are refused with `rate_limited`.
    pub hooks_per_second: u64,
    /// The number of calls that may come at once.
    pub hook_burst: u64,
    /// Beyond that, starts and deploys are refused with `quota_exceeded`.
    pub stored_bytes: u64,
    /// Turns of Programs in each worker process. Further ones wait.
    pub turns_at_once: u64,
    /// Effects in each worker process. Further ones wait.
    pub effects_at_once: u64,
    /// Executions that ended so many days ago are removed.
    pub retention_days: u64,
}

/// A change of a workspace. What is not set stays as it is.
///
/// ```
/// use workflow_execution_service::WorkspaceChange;
///
/// let change = WorkspaceChange::new().name("Acme");
/// assert_eq!(serde_json::to_string(&change)?, r#"{"name":"Acme"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[must_use]
pub struct WorkspaceChange {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl WorkspaceChange {
    /// No change.
    ///
    /// ```
    /// # use workflow_execution_service::WorkspaceChange;
    /// assert_eq!(WorkspaceChange::new(), WorkspaceChange::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// The new name, 1–80 characters.
    ///
    /// ```
    /// # use workflow_execution_service::WorkspaceChange;
    /// let change = WorkspaceChange::new().name("Acme");
    /// ```
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
}
