use super::{Client, Items};
use crate::error::Result;
use crate::models::{List, Page, Program, ProgramVersion};

/// The calls for Programs. From [`Client::programs`].
///
/// ```
/// use workflow_execution_service::blocking::Programs;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("http://127.0.0.1:3477").build_blocking()?;
/// let programs: Programs<'_> = client.programs();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Programs<'a> {
    pub(super) client: &'a Client,
}

impl Programs<'_> {
    /// A page of Programs, by id.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} Programs", client.programs().list(None)?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list(self, page: Option<Page>) -> Result<List<Program>> {
        self.client.wait(self.client.client.programs().list(page))
    }

    /// All Programs, by id; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for program in client.programs().iter(None) {
    ///     println!("{}", program?.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(self, page: Option<Page>) -> Items<Program> {
        self.client.items(self.client.client.programs().stream(page))
    }

    /// One Program.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("version {}", client.programs().get("order-approval")?.latest_version.number);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn get(self, id: &str) -> Result<Program> {
        self.client.wait(self.client.client.programs().get(id))
    }

    /// A page of a Program's versions, newest first.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for version in client.programs().versions("order-approval", None)? {
    ///     println!("{} of {}", version.number, version.created_at);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn versions(self, id: &str, page: Option<Page>) -> Result<List<ProgramVersion>> {
        self.client.wait(self.client.client.programs().versions(id, page))
    }

    /// Removes a version, like [`crate::Programs::delete_version`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// client.programs().delete_version("order-approval", 3)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn delete_version(self, id: &str, number: u64) -> Result<()> {
        self.client
            .wait(self.client.client.programs().delete_version(id, number))
    }

    /// All versions of a Program, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for version in client.programs().versions_iter("order-approval", None) {
    ///     println!("{}", version?.digest);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn versions_iter(self, id: &str, page: Option<Page>) -> Items<ProgramVersion> {
        self.client
            .items(self.client.client.programs().versions_stream(id, page))
    }
}
