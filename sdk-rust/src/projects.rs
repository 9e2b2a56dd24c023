use serde::Serialize;

use crate::client::Client;
use crate::error::Result;
use crate::json;
use crate::models::{List, Project};
use crate::transport::Request;

/// The calls for projects. From [`Client::projects`].
///
/// ```
/// use workflow_execution_service::{Client, Projects};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("http://127.0.0.1:3477").build()?;
/// let projects: Projects<'_> = client.projects();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Projects<'a> {
    pub(crate) client: &'a Client,
}

impl Projects<'_> {
    /// All projects: the default project first, then oldest first.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for project in client.projects().list().await? {
    ///     println!("{} {}", project.id, project.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(self) -> Result<List<Project>> {
        self.client.read(Request::get("/v1/projects")).await
    }

    /// Creates a project. `body` is a [`ProjectDescription`](crate::ProjectDescription), or equivalent JSON.
    ///
    /// ```no_run
    /// use workflow_execution_service::ProjectDescription;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let project = client.projects().create(ProjectDescription::new("billing")).await?;
    /// println!("{}", project.id);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn create<B: Serialize>(self, body: B) -> Result<Project> {
        let body = json::to_bytes("project", &body)?;
        self.client.read(Request::post("/v1/projects", Some(body))).await
    }
}
