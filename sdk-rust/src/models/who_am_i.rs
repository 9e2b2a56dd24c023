use serde::{Deserialize, Serialize};

/// The token and its workspace. For hosted services only.
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
    /// The workspace of the token.
    pub workspace: Workspace,
    /// The token itself, without its secret.
    pub token: TokenDescription,
    /// The project of requests that name none.
    pub default_project_id: String,
}

/// A workspace, which contains projects.
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

/// A token, without its secret.
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
    /// Its name.
    pub name: String,
    /// When it was created.
    pub created_at: String,
}
