use std::fmt;

use serde::{Deserialize, Serialize};

/// A text that `Debug` hides: a token, or the secret with which a webhook's calls are signed.
///
/// Serialising it writes the text, so that it can be stored.
///
/// ```
/// use workflow_execution_service::Secret;
///
/// let secret: Secret = serde_json::from_str(r#""wes_secret""#)?;
/// assert_eq!(secret.expose(), "wes_secret");
/// assert_eq!(format!("{secret:?}"), "[hidden]");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub(crate) String);

impl Secret {
    /// The text itself.
    ///
    /// ```no_run
    /// use workflow_execution_service::{Client, NewToken, Role};
    ///
    /// # async fn run(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let token = client.tokens().create(NewToken::new("ci", Role::Write)).await?;
    /// std::fs::write("/run/secrets/wes-token", token.secret.expose())?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[hidden]")
    }
}
