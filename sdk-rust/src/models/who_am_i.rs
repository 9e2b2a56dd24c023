use serde::{Deserialize, Serialize};

/// Whose token it is. Answered by hosted services only.
///
/// ```
/// use workflow_execution_service::WhoAmI;
///
/// let me: WhoAmI = serde_json::from_str(
///     r#"{ "workspace": { "id": "wsp_1", "name": "Acme" },
///          "token": { "id": "tok_1", "name": "ci", "createdAt": "2026-11-20T12:00:00.000Z" },
///          "defaultProjectId": "default" }"#,
/// )?;
/// assert_eq!(me.workspace.name, "Acme");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WhoAmI {
    /// What the token gives access to.
    pub workspace: Workspace,
    /// The token itself, without its secret.
    pub token: TokenDescription,
    /// The project of requests that name none.
    pub default_project_id: String,
}

/// What projects belong to.
///
/// ```
/// use workflow_execution_service::Workspace;
///
/// let workspace: Workspace = serde_json::from_str(r#"{ "id": "wsp_1", "name": "Acme" }"#)?;
/// assert_eq!(workspace.id, "wsp_1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Workspace {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// A token as the service shows it: never its secret.
///
/// ```
/// use workflow_execution_service::TokenDescription;
///
/// let token: TokenDescription =
///     serde_json::from_str(r#"{ "id": "tok_1", "name": "ci", "createdAt": "2026-11-20T12:00:00.000Z" }"#)?;
/// assert_eq!(token.name, "ci");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TokenDescription {
    /// Its id.
    pub id: String,
    /// What its owner calls it.
    pub name: String,
    /// When it was made.
    pub created_at: String,
}
