//! The same client for code that is not async.
//!
//! Every call blocks its thread until the answer is there. A client may be shared between threads.
//!
//! ```no_run
//! use serde_json::json;
//! use workflow_execution_service::blocking::Client;
//!
//! fn main() -> workflow_execution_service::Result<()> {
//!     let client = Client::from_env()?;
//!     let handle = client.executions().start("order-approval", json!({ "orderId": "4711" }))?;
//!     handle.send("approved", json!({ "by": "ada" }))?;
//!     println!("{}", handle.result()?);
//!     Ok(())
//! }
//! ```
//!
//! # Panics
//!
//! A call from async code would stall the thread that runs it, so it panics with "Cannot start a runtime from within a
//! runtime". There, use [`crate::Client`], or make the call inside of `tokio::task::spawn_blocking`.

use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::StartOptions;
use crate::error::{Error, Result};
use crate::models::{
    CancelReceipt, EventReceipt, Execution, ExecutionSummary, HistoryEntry, List, Page, Program, ProgramVersion,
    Project, WhoAmI,
};

/// One thread of its own, so that connections are served also while nobody waits for an answer.
struct Background {
    handle: Handle,
    runtime: Option<Runtime>,
}

impl Background {
    fn start() -> Result<Arc<Self>> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("wes-client")
            .enable_all()
            .build()
            .map_err(|error| Error::InvalidArgument {
                message: format!("no thread could be started for the client: {error}"),
                source: Some(Box::new(error)),
            })?;
        Ok(Arc::new(Self {
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        }))
    }

    #[track_caller]
    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.handle.block_on(answer)
    }
}

impl Drop for Background {
    /// Without waiting for its thread, which async code, where the last client may be dropped, must not do.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The API, one method for each route. Cheap to clone; clones share their connections.
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
    client: crate::Client,
    background: Arc<Background>,
}

impl crate::ClientBuilder {
    /// Makes a [blocking client](Client). Nothing is sent yet.
    ///
    /// An HTTP client of the caller's should be for this client alone: its connections end with it.
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
    /// A client that is set up by the environment alone, like [`crate::Client::from_env`].
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

    /// The token's workspace. Hosted services only; a local runtime refuses with `hosted_only`.
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

    /// Calls about projects.
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

    /// Calls about Programs.
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

    /// Calls about Executions.
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
    fn wait<T>(&self, answer: impl Future<Output = T>) -> T {
        self.background.wait(answer)
    }

    fn items<T>(&self, items: crate::Items<T>) -> Items<T> {
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

/// Calls about projects. From [`Client::projects`].
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
    client: &'a Client,
}

impl Projects<'_> {
    /// All of them: the default project first, then oldest first.
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

/// Calls about Programs. From [`Client::programs`].
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
    client: &'a Client,
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

    /// All Programs, by id; the page says where to begin and how many to fetch at once.
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

    /// All versions of a Program, newest first; the page says where to begin and how many to fetch at once.
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

/// Calls about Executions. From [`Client::executions`].
///
/// ```
/// use workflow_execution_service::blocking::Executions;
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::builder().url("http://127.0.0.1:3477").build_blocking()?;
/// let executions: Executions<'_> = client.executions();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Executions<'a> {
    client: &'a Client,
}

impl Executions<'_> {
    /// Starts an Execution of a Program, like [`crate::Executions::start`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().start("order-approval", serde_json::json!({ "orderId": "4711" }))?;
    /// println!("{}", handle.id());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn start<I: Serialize>(self, program: &str, input: I) -> Result<ExecutionHandle> {
        self.start_with(program, input, StartOptions::new())
    }

    /// Like [`start`](Self::start), with options.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::StartOptions;
    ///
    /// let options = StartOptions::new().idempotency_key("order-4711");
    /// let handle = client.executions().start_with("order-approval", (), options)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn start_with<I: Serialize>(self, program: &str, input: I, options: StartOptions) -> Result<ExecutionHandle> {
        let handle = self
            .client
            .wait(self.client.client.executions().start_with(program, input, options))?;
        Ok(self.own(handle))
    }

    /// A page of Executions, newest first.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for execution in client.executions().list(None)? {
    ///     println!("{} {}", execution.id, execution.status);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list(self, page: Option<Page>) -> Result<List<ExecutionSummary>> {
        self.client.wait(self.client.client.executions().list(page))
    }

    /// All Executions, newest first; the page says where to begin and how many to fetch at once.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for execution in client.executions().iter(None).take(1000) {
    ///     println!("{}", execution?.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter(self, page: Option<Page>) -> Items<ExecutionSummary> {
        self.client.items(self.client.client.executions().stream(page))
    }

    /// One Execution, with its input and result.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.executions().get("exe_01jcx3b8e0e0t9qv2m5k7w4z6n")?.status);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn get(self, id: &str) -> Result<Execution> {
        self.client.wait(self.client.client.executions().get(id))
    }

    /// A page of an Execution's history, oldest first.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for entry in client.executions().history("exe_01jcx3b8e0e0t9qv2m5k7w4z6n", None)? {
    ///     println!("{} {}", entry.at, entry.kind);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn history(self, id: &str, page: Option<Page>) -> Result<List<HistoryEntry>> {
        self.client.wait(self.client.client.executions().history(id, page))
    }

    /// All of an Execution's history, oldest first; the page says where to begin and how many to fetch at once.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// for entry in client.executions().history_iter("exe_01jcx3b8e0e0t9qv2m5k7w4z6n", None) {
    ///     println!("{}", entry?.kind);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn history_iter(self, id: &str, page: Option<Page>) -> Items<HistoryEntry> {
        self.client
            .items(self.client.client.executions().history_stream(id, page))
    }

    /// The handle of an Execution that was started before. Nothing is sent.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// println!("{}", handle.result()?);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn handle(self, id: impl Into<String>) -> ExecutionHandle {
        self.own(self.client.client.executions().handle(id))
    }

    fn own(self, handle: crate::ExecutionHandle) -> ExecutionHandle {
        ExecutionHandle {
            handle,
            background: Arc::clone(&self.client.background),
        }
    }
}

/// One Execution. From [`Executions::start`] or [`Executions::handle`].
///
/// ```no_run
/// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
/// let handle = client.executions().start("order-approval", ())?;
/// println!("{}", handle.result()?);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct ExecutionHandle {
    handle: crate::ExecutionHandle,
    background: Arc<Background>,
}

impl ExecutionHandle {
    /// The Execution's id.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.executions().start("order-approval", ())?.id());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        self.handle.id()
    }

    /// The same Execution, with another limit for how long [`result`](Self::result) waits.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use std::time::Duration;
    ///
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// println!("{}", handle.with_timeout(Duration::from_secs(10)).result()?);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.handle = self.handle.with_timeout(timeout);
        self
    }

    /// Sends the Execution an event, like [`crate::ExecutionHandle::send`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// handle.send("approved", serde_json::json!({ "by": "ada" }))?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn send<P: Serialize>(&self, name: &str, payload: P) -> Result<EventReceipt> {
        self.background.wait(self.handle.send(name, payload))
    }

    /// Asks the Execution to cancel; it may still clean up. May be repeated.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").cancel()?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn cancel(&self) -> Result<CancelReceipt> {
        self.background.wait(self.handle.cancel())
    }

    /// Waits until the Execution has ended, like [`crate::ExecutionHandle::result`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").result()?);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn result(&self) -> Result<Value> {
        self.background.wait(self.handle.result())
    }

    /// Like [`result`](Self::result), as a type of the caller's.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let receipts: Vec<String> = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").result_as()?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn result_as<T: DeserializeOwned>(&self) -> Result<T> {
        self.background.wait(self.handle.result_as())
    }
}

impl fmt::Debug for ExecutionHandle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handle.fmt(formatter)
    }
}

/// The items of all pages of a list, one after the other; a page is fetched when its first item is asked for. It ends
/// after the first error.
///
/// ```no_run
/// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
/// let ids = client.executions().iter(None).map(|execution| Ok(execution?.id));
/// let ids = ids.collect::<workflow_execution_service::Result<Vec<String>>>()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "iterators do nothing unless consumed"]
pub struct Items<T> {
    items: crate::Items<T>,
    background: Arc<Background>,
}

impl<T> Iterator for Items<T> {
    type Item = Result<T>;

    #[track_caller]
    fn next(&mut self) -> Option<Self::Item> {
        self.background.wait(self.items.next())
    }
}

impl<T> std::iter::FusedIterator for Items<T> {}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(formatter)
    }
}
