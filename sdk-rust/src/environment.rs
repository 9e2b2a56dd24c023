use serde::Serialize;

use crate::client::Client;
use crate::error::Result;
use crate::json;
use crate::models::{EnvironmentVariable, List};
use crate::request_path::path_of;
use crate::transport::Request;

/// The calls for the environment of a project's effects. For hosted services only. From [`Client::environment`].
///
/// A project is named by its id; `default` is the workspace's default project.
///
/// ```
/// use workflow_execution_service::{Client, Environment};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("https://wes.example").token("wes_secret").build()?;
/// let environment: Environment<'_> = client.environment();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    pub(crate) client: &'a Client,
}

impl Environment<'_> {
    /// What is set, by name, in one page. No answer has the values.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for variable in client.environment().list("default").await? {
    ///     println!("{}", variable.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(self, project_id: &str) -> Result<List<EnvironmentVariable>> {
        let request = Request::get(path_of("projects", project_id, "/environment")?);
        self.client.read(request.in_project(project_id)?).await
    }

    /// Sets and removes variables, all or none. `body` is an [`EnvironmentChange`](crate::EnvironmentChange), or equivalent
    /// JSON. Effects that begin 5 seconds later have the new values. Needs the role `admin`.
    ///
    /// ```no_run
    /// use workflow_execution_service::EnvironmentChange;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let change = EnvironmentChange::new().set("API_KEY", "secret").remove("OLD_KEY");
    /// println!("{} variables", client.environment().change("default", change).await?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn change<B: Serialize>(self, project_id: &str, body: B) -> Result<List<EnvironmentVariable>> {
        let body = json::to_bytes("environment", &body)?;
        let request = Request::put(path_of("projects", project_id, "/environment")?, body);
        self.client.read(request.in_project(project_id)?).await
    }
}
