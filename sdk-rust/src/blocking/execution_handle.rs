use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::background::Background;
use crate::error::Result;
use crate::models::{CancelReceipt, EventReceipt, Execution};

/// One Execution. From [`Executions::start`](super::Executions::start) or
/// [`Executions::handle`](super::Executions::handle).
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
    pub(super) handle: crate::ExecutionHandle,
    pub(super) background: Arc<Background>,
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

    /// The same handle, with another limit for the wait of [`result`](Self::result).
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

    /// Sends an event with an idempotency key, like [`crate::ExecutionHandle::send_with_key`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// handle.send_with_key("approved", (), "approval-4711")?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn send_with_key<P: Serialize>(&self, name: &str, payload: P, key: &str) -> Result<EventReceipt> {
        self.background.wait(self.handle.send_with_key(name, payload, key))
    }

    /// Fires a timer, or times out a wait, now, like [`crate::ExecutionHandle::fire_command`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").fire_command(1)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn fire_command(&self, command: u64) -> Result<Execution> {
        self.background.wait(self.handle.fire_command(command))
    }

    /// Starts the next attempt of an effect now, like [`crate::ExecutionHandle::retry_command`].
    ///
    /// ```no_run
    /// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
    /// client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").retry_command(1)?;
    /// # Ok(())
    /// # }
    /// ```
    #[track_caller]
    pub fn retry_command(&self, command: u64) -> Result<Execution> {
        self.background.wait(self.handle.retry_command(command))
    }

    /// Cancels the Execution, which may still clean up. May be repeated.
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

    /// Like [`result`](Self::result), deserialised to the caller's type.
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
