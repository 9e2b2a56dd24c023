use serde::Serialize;

use super::Client;
use crate::error::Result;
use crate::models::{EnvironmentVariable, List};

/// The calls for the environment of a project's effects. For hosted services only. From [`Client::environment`].
///
/// ```
/// use workflow_execution_service::blocking::Environment;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("https://wes.example").build_blocking()?;
/// let environment: Environment<'_> = client.environment();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    pub(super) client: &'a Client,
}

impl Environment<'_> {
    /// What is set, by name, in one page. No answer has the values.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} variables", client.environment().list("default")?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list(self, project_id: &str) -> Result<List<EnvironmentVariable>> {
        self.client.wait(self.client.client.environment().list(project_id))
    }

    /// Sets and removes variables, like [`crate::Environment::change`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::EnvironmentChange;
    ///
    /// client.environment().change("default", EnvironmentChange::new().set("API_KEY", "secret"))?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn change<B: Serialize>(self, project_id: &str, body: B) -> Result<List<EnvironmentVariable>> {
        self.client
            .wait(self.client.client.environment().change(project_id, body))
    }
}
