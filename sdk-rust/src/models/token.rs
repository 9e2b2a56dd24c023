use serde::{Deserialize, Serialize};

use super::Secret;
use super::open_words::open_words;

open_words! {
    /// What a token may do. Each role includes those before it.
    ///
    /// ```
    /// use workflow_execution_service::Role;
    ///
    /// assert_eq!(Role::from("write"), Role::Write);
    /// assert_eq!(Role::Write.as_str(), "write");
    /// ```
    pub enum Role {
        /// Reads.
        Read = "read",
        /// Deploys, starts, sends, and changes Triggers.
        Write = "write",
        /// Does everything.
        Admin = "admin",
    }
}

/// A token, without its secret.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// for token in client.tokens().list(None).await? {
///     println!("{} {} {:?}", token.name, token.role, token.last_used_at);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Token {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was created.
    pub created_at: String,
    /// From when on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// When it was last used, to the minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<String>,
}

/// A token to be created.
///
/// ```
/// use workflow_execution_service::{NewToken, Role};
///
/// let token = NewToken::new("ci", Role::Write).expires_at("2027-01-01T00:00:00.000Z");
/// assert_eq!(
///     serde_json::to_string(&token)?,
///     r#"{"name":"ci","role":"write","expiresAt":"2027-01-01T00:00:00.000Z"}"#,
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[must_use]
pub struct NewToken {
    name: String,
    role: Role,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

impl NewToken {
    /// A token that does not expire. The name has 1–80 characters.
    ///
    /// ```
    /// # use workflow_execution_service::{NewToken, Role};
    /// let token = NewToken::new("ci", Role::Write);
    /// ```
    pub fn new(name: impl Into<String>, role: Role) -> Self {
        Self {
            name: name.into(),
            role,
            expires_at: None,
        }
    }

    /// From when on it is refused: an ISO 8601 time in the future.
    ///
    /// ```
    /// # use workflow_execution_service::{NewToken, Role};
    /// let token = NewToken::new("ci", Role::Write).expires_at("2027-01-01T00:00:00.000Z");
    /// ```
    pub fn expires_at(mut self, time: impl Into<String>) -> Self {
        self.expires_at = Some(time.into());
        self
    }
}

/// A new token with its secret, which no other answer has.
///
/// ```no_run
/// use workflow_execution_service::{Client, NewToken, Role};
///
/// # async fn run(client: Client) -> workflow_execution_service::Result<()> {
/// let token = client.tokens().create(NewToken::new("ci", Role::Write)).await?;
/// let other = Client::builder().url("https://wes.example").token(token.secret.expose()).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreatedToken {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// When it was created.
    pub created_at: String,
    /// From when on it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// The bearer token.
    pub secret: Secret,
}
