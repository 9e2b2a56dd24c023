use std::fmt;
use std::future::Future;
use std::sync::Arc;

use serde::Serialize;

use super::background::Background;
use super::{Billing, Environment, Executions, Items, Programs, Projects, Tokens, Triggers};
use crate::error::Result;
use crate::groups_of_calls::groups_of_calls;
use crate::models::{Program, Usage, UsageQuery, WhoAmI, Workspace};

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

    /// The whole workspace of the token, like [`crate::Client::workspace`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{:?}", client.workspace()?.limits);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn workspace(&self) -> Result<Workspace> {
        self.background.wait(self.client.workspace())
    }

    /// Changes the workspace of the token, like [`crate::Client::update_workspace`].
    ///
    /// ```no_run
    /// use workflow_execution_service::WorkspaceChange;
    ///
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// client.update_workspace(WorkspaceChange::new().name("Acme"))?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn update_workspace<B: Serialize>(&self, body: B) -> Result<Workspace> {
        self.background.wait(self.client.update_workspace(body))
    }

    /// What the workspace used, like [`crate::Client::usage`].
    ///
    /// ```no_run
    /// use workflow_execution_service::UsageQuery;
    ///
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{} Executions this month", client.usage(UsageQuery::new())?.total.executions);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn usage(&self, query: UsageQuery) -> Result<Usage> {
        self.background.wait(self.client.usage(query))
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

    groups_of_calls!();

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
