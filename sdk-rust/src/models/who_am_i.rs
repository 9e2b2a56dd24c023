use serde::{Deserialize, Serialize};

use super::Role;

/// The token and its workspace. For hosted services only.
///
/// ```
/// use workflow_execution_service::WhoAmI;
///
/// let me: WhoAmI = serde_json::from_str(
///     r#"{ "workspace": { "id": "wsp_1", "name": "Acme" },
///          "token": { "id": "tok_1", "name": "ci", "role": "write", "createdAt": "2026-11-20T12:00:00.000Z" },
///          "defaultProjectId": "default" }"#,
/// )?;
/// assert_eq!(me.workspace.name, "Acme");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WhoAmI {
    /// The workspace of the token.
    pub workspace: WorkspaceDescription,
    /// The token itself, without its secret.
    #[serde(default)]
    pub token: TokenDescription,
    /// The project of requests that name none.
    #[serde(default)]
    pub default_project_id: String,
}

/// The name of a workspace. [`Client::workspace`](crate::Client::workspace) reads all of it.
///
/// ```
/// use workflow_execution_service::WorkspaceDescription;
///
/// let workspace: WorkspaceDescription = serde_json::from_str(r#"{ "id": "wsp_1", "name": "Acme" }"#)?;
/// assert_eq!(workspace.id, "wsp_1");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct WorkspaceDescription {
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
}

/// A token, without its secret.
///
/// ```
/// use workflow_execution_service::{Role, TokenDescription};
///
/// let token: TokenDescription = serde_json::from_str(
///     r#"{ "id": "tok_1", "name": "ci", "role": "write", "createdAt": "2026-11-20T12:00:00.000Z" }"#,
/// )?;
/// assert_eq!(token.role, Role::Write);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TokenDescription {
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// What it may do.
    #[serde(default)]
    pub role: Role,
    /// When it was created.
    #[serde(default)]
    pub created_at: String,
    /// From when on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
}
