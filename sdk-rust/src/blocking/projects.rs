use serde::Serialize;

use super::Client;
use crate::error::Result;
use crate::models::{List, Project};

/// The calls for projects. From [`Client::projects`].
///
/// ```
/// use workflow_execution_service::blocking::Projects;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("http://127.0.0.1:3477").build_blocking()?;
/// let projects: Projects<'_> = client.projects();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Projects<'a> {
    pub(super) client: &'a Client,
}

impl Projects<'_> {
    /// All projects: the default project first, then oldest first.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for project in client.projects().list()? {
    ///     println!("{} {}", project.id, project.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list(self) -> Result<List<Project>> {
        self.client.wait(self.client.client.projects().list())
    }

    /// Creates a project, like [`crate::Projects::create`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::ProjectDescription;
    ///
    /// let project = client.projects().create(ProjectDescription::new("billing"))?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn create<B: Serialize>(self, body: B) -> Result<Project> {
        self.client.wait(self.client.client.projects().create(body))
    }
}
