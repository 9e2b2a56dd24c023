use crate::client::Client;
use crate::error::Result;
use crate::items::Items;
use crate::models::{List, Page, Program, ProgramVersion};
use crate::request_path::{path_of, with_page};
use crate::transport::Request;

/// The calls for Programs. From [`Client::programs`]; to deploy, use [`Client::deploy`].
///
/// ```
/// use workflow_execution_service::{Client, Programs};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("http://127.0.0.1:3477").build()?;
/// let programs: Programs<'_> = client.programs();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    pub(crate) client: &'a Client,
}

impl Programs<'_> {
    /// A page of Programs, by id.
    ///
    /// ```no_run
    /// use workflow_execution_service::Page;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let first = client.programs().list(Some(Page { limit: Some(20), cursor: None })).await?;
    /// let second = client.programs().list(Some(Page { limit: Some(20), cursor: first.next_cursor })).await?;
    /// println!("{}", second.items.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(self, page: Option<Page>) -> Result<List<Program>> {
        let path = with_page("/v1/programs", page.as_ref());
        self.client.read(Request::get(path)).await
    }

    /// All Programs, by id; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let mut programs = client.programs().stream(None);
    /// while let Some(program) = programs.next().await.transpose()? {
    ///     println!("{}", program.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(self, page: Option<Page>) -> Items<Program> {
        let client = self.client.clone();
        Items::new(page, move |page| {
            let client = client.clone();
            async move { client.programs().list(Some(page)).await }
        })
    }

    /// One Program.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let program = client.programs().get("order-approval").await?;
    /// println!("version {}", program.latest_version.number);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(self, id: &str) -> Result<Program> {
        self.client.read(Request::get(path_of("programs", id, "")?)).await
    }

    /// A page of a Program's versions, newest first.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for version in client.programs().versions("order-approval", None).await? {
    ///     println!("{} of {}", version.number, version.created_at);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn versions(self, id: &str, page: Option<Page>) -> Result<List<ProgramVersion>> {
        let path = with_page(&path_of("programs", id, "/versions")?, page.as_ref());
        self.client.read(Request::get(path)).await
    }

    /// Removes a version that no Execution uses and that is neither the newest nor the newest runnable one.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// client.programs().delete_version("order-approval", 3).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn delete_version(self, id: &str, number: u64) -> Result<()> {
        let path = path_of("programs", id, &format!("/versions/{number}"))?;
        self.client.exchange(Request::delete(path)).await?.read_nothing()
    }

    /// All versions of a Program, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let mut versions = client.programs().versions_stream("order-approval", None);
    /// while let Some(version) = versions.next().await.transpose()? {
    ///     println!("{}", version.digest);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn versions_stream(self, id: &str, page: Option<Page>) -> Items<ProgramVersion> {
        let (client, id) = (self.client.clone(), id.to_owned());
        Items::new(page, move |page| {
            let (client, id) = (client.clone(), id.clone());
            async move { client.programs().versions(&id, Some(page)).await }
        })
    }
}
