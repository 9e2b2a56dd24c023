use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::Serialize;

use super::background::Background;
use super::{Executions, Items, Programs, Projects};
use crate::error::Result;
use crate::models::{Program, WhoAmI};

/// The API, with one method per route. Cheap to clone; clones share their connections.
///
/// ```no_run
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::blocking::Client::from_env()?;
/// println!("{} Programs", client.programs().list(None)?.items.len());
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(super) client: crate::Client,
    pub(super) background: Arc<Background>,
}

impl crate::ClientBuilder {
    /// Builds a [blocking client](Client). Sends no request.
    ///
    /// Do not share your own HTTP client with other code: its connections end with this client.
    ///
    /// ```
    /// use workflow_execution_service::Client;
    ///
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// let client = Client::builder().url("http://127.0.0.1:3477").build_blocking()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn build_blocking(self) -> Result<Client> {
        Ok(Client {
            client: self.build()?,
            background: Background::start()?,
        })
    }
}

impl Client {
    /// A client with the settings of the environment, like [`crate::Client::from_env`].
    ///
    /// ```no_run
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// let client = workflow_execution_service::blocking::Client::from_env()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn from_env() -> Result<Self> {
        crate::Client::builder().build_blocking()
    }

    /// The token's workspace. For hosted services only; a local runtime refuses with `hosted_only`.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.whoami()?.workspace.name);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn whoami(&self) -> Result<WhoAmI> {
        self.background.wait(self.client.whoami())
    }

    /// Stores a compiled Program, like [`crate::Client::deploy`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let artifact: serde_json::Value = serde_json::from_slice(&std::fs::read("hello.program.json")?)?;
    /// println!("{}", client.deploy(&artifact)?.id);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn deploy<A: Serialize>(&self, artifact: A) -> Result<Program> {
        self.background.wait(self.client.deploy(artifact))
    }

    /// The calls for projects.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} projects", client.projects().list()?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn projects(&self) -> Projects<'_> {
        Projects { client: self }
    }

    /// The calls for Programs.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.programs().get("order-approval")?.runnable);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn programs(&self) -> Programs<'_> {
        Programs { client: self }
    }

    /// The calls for Executions.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().start("order-approval", ())?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn executions(&self) -> Executions<'_> {
        Executions { client: self }
    }

    #[track_caller]
    pub(super) fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.background.wait(answer)
    }

    pub(super) fn items<T>(&self, items: crate::Items<T>) -> Items<T> {
        Items {
            items,
            background: Arc::clone(&self.background),
        }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.client.fmt(formatter)
    }
}
