use serde::Serialize;

use super::{Client, Items};
use crate::error::Result;
use crate::models::{CreatedToken, List, Page, Token};

/// The calls for a workspace's tokens. For hosted services only; they need the role `admin`. From [`Client::tokens`].
///
/// ```
/// use workflow_execution_service::blocking::Tokens;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("https://wes.example").build_blocking()?;
/// let tokens: Tokens<'_> = client.tokens();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'a> {
    pub(super) client: &'a Client,
}

impl Tokens<'_> {
    /// A page of tokens, newest first, without their secrets.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} tokens", client.tokens().list(None)?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list(self, page: Option<Page>) -> Result<List<Token>> {
        self.client.wait(self.client.client.tokens().list(page))
    }

    /// All tokens, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for token in client.tokens().iter(None) {
    ///     println!("{}", token?.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(self, page: Option<Page>) -> Items<Token> {
        self.client.items(self.client.client.tokens().stream(page))
    }

    /// Creates a token, like [`crate::Tokens::create`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::{NewToken, Role};
    ///
    /// let token = client.tokens().create(NewToken::new("ci", Role::Write))?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn create<B: Serialize>(self, body: B) -> Result<CreatedToken> {
        self.client.wait(self.client.client.tokens().create(body))
    }

    /// Revokes a token, like [`crate::Tokens::revoke`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// client.tokens().revoke("tok_01jcx3b8e0e0t9qv2m5k7w4z6n")?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn revoke(self, id: &str) -> Result<()> {
        self.client.wait(self.client.client.tokens().revoke(id))
    }
}
