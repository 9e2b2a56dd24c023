use serde::{Deserialize, Serialize};

/// Groups Programs and Executions. The default project's id is `default`.
///
/// ```
/// use workflow_execution_service::Project;
///
/// let project: Project = serde_json::from_str(
///     r#"{ "id": "default", "name": "Default", "isDefault": true, "createdAt": "2026-11-20T12:00:00.000Z" }"#,
/// )?;
/// assert!(project.is_default);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Project {
    /// The id, for the builder's `project_id`.
    pub id: String,
    /// Unique in the workspace.
    #[serde(default)]
    pub name: String,
    /// Whether it is the project of requests that name none.
    #[serde(default)]
    pub is_default: bool,
    /// When it was created.
    #[serde(default)]
    pub created_at: String,
}

/// A project to be created.
///
/// ```
/// use workflow_execution_service::ProjectDescription;
///
/// let billing = ProjectDescription::new("billing");
/// assert_eq!(serde_json::to_string(&billing)?, r#"{"name":"billing"}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ProjectDescription {
    /// 1–80 characters, unique in the workspace.
    pub name: String,
}

impl ProjectDescription {
    /// A project of this name.
    ///
    /// ```
    /// # use workflow_execution_service::ProjectDescription;
    /// assert_eq!(ProjectDescription::new("billing").name, "billing");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into() }
    }
}
