use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use super::{Client, ExecutionHandle, Items};
use crate::error::Result;
use crate::models::{Execution, ExecutionSummary, HistoryEntry, List, Page};
use crate::{ExecutionFilter, StartOptions};

/// The calls for Executions. From [`Client::executions`].
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
    pub(super) client: &'a Client,
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

    /// Starts an Execution and waits until it has ended, like [`crate::Executions::run`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// println!("{}", client.executions().run("order-approval", ())?);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn run<I: Serialize>(self, program: &str, input: I) -> Result<Value> {
        self.run_with(program, input, StartOptions::new())
    }

    /// Like [`run`](Self::run), with options.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::StartOptions;
    ///
    /// let options = StartOptions::new().idempotency_key("order-4711");
    /// println!("{}", client.executions().run_with("order-approval", (), options)?);
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn run_with<I: Serialize>(self, program: &str, input: I, options: StartOptions) -> Result<Value> {
        self.client
            .wait(self.client.client.executions().run_with(program, input, options))
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

    /// A page of the Executions that match a filter, newest first.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::ExecutionFilter;
    ///
    /// let filter = ExecutionFilter::new().program("order-approval");
    /// println!("{}", client.executions().list_matching(&filter, None)?.items.len());
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn list_matching(self, filter: &ExecutionFilter, page: Option<Page>) -> Result<List<ExecutionSummary>> {
        self.client
            .wait(self.client.client.executions().list_matching(filter, page))
    }

    /// All Executions that match a filter, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// use workflow_execution_service::ExecutionFilter;
    ///
    /// let filter = ExecutionFilter::new().program("order-approval");
    /// for execution in client.executions().iter_matching(filter, None) {
    ///     println!("{}", execution?.id);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn iter_matching(self, filter: ExecutionFilter, page: Option<Page>) -> Items<ExecutionSummary> {
        self.client
            .items(self.client.client.executions().stream_matching(filter, page))
    }

    /// All Executions, newest first; the page sets the beginning and the page size.
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

    /// An Execution's whole history, oldest first; the page sets the beginning and the page size.
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

    /// A handle for an existing Execution. Sends no request.
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
