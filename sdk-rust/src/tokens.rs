use serde::Serialize;

use crate::client::Client;
use crate::error::Result;
use crate::items::Items;
use crate::json;
use crate::models::{CreatedToken, List, Page, Token};
use crate::request_path::{path_of, with_page};
use crate::transport::Request;

const TOKENS: &str = "workspaces/current/tokens";

/// The calls for a workspace's tokens. For hosted services only; they need the role `admin`. From [`Client::tokens`].
///
/// ```
/// use workflow_execution_service::{Client, Tokens};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("https://wes.example").token("wes_secret").build()?;
/// let tokens: Tokens<'_> = client.tokens();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tokens<'a> {
    pub(crate) client: &'a Client,
}

impl Tokens<'_> {
    /// A page of tokens, newest first, without their secrets.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for token in client.tokens().list(None).await? {
    ///     println!("{} {}", token.name, token.role);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(self, page: Option<Page>) -> Result<List<Token>> {
        let path = with_page(&format!("/v1/{TOKENS}"), page.as_ref());
        self.client.read(Request::get(path)).await
    }

    /// All tokens, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let mut tokens = client.tokens().stream(None);
    /// while let Some(token) = tokens.next().await.transpose()? {
    ///     println!("{}", token.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(self, page: Option<Page>) -> Items<Token> {
        let client = self.client.clone();
        Items::new(page, move |page| {
            let client = client.clone();
            async move { client.tokens().list(Some(page)).await }
        })
    }

    /// Creates a token. `body` is a [`NewToken`](crate::NewToken), or equivalent JSON.
    ///
    /// ```no_run
    /// use workflow_execution_service::{NewToken, Role};
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let token = client.tokens().create(NewToken::new("ci", Role::Write)).await?;
    /// println!("{}", token.secret.expose());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create<B: Serialize>(self, body: B) -> Result<CreatedToken> {
        let body = json::to_bytes("token", &body)?;
        self.client
            .read(Request::post(format!("/v1/{TOKENS}"), Some(body)))
            .await
    }

    /// Revokes a token. Within 5 seconds, the whole service refuses it.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// client.tokens().revoke("tok_01jcx3b8e0e0t9qv2m5k7w4z6n").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn revoke(self, id: &str) -> Result<()> {
        let request = Request::delete(path_of(TOKENS, id, "")?);
        self.client.exchange(request).await?.read_nothing()
    }
}
