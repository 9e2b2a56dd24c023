use reqwest::header::{HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::execution_filter::ExecutionFilter;
use crate::execution_handle::ExecutionHandle;
use crate::items::Items;
use crate::json;
use crate::models::{Execution, ExecutionSummary, HistoryEntry, List, Page};
use crate::request_path::{path_of, with_page};
use crate::run_program::{random_key, run_program};
use crate::transport::Request;

pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The calls for Executions. From [`Client::executions`].
///
/// ```
/// use workflow_execution_service::{Client, Executions};
///
/// # fn main() -> workflow_execution_service::Result<()> {
/// let client = Client::builder().url("http://127.0.0.1:3477").build()?;
/// let executions: Executions<'_> = client.executions();
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Executions<'a> {
    pub(crate) client: &'a Client,
}

/// The options of a start.
///
/// ```
/// use workflow_execution_service::StartOptions;
///
/// let options = StartOptions::new().version(3).idempotency_key("order-4711");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct StartOptions {
    version: Option<u64>,
    idempotency_key: Option<String>,
    again_of: Option<String>,
}

impl StartOptions {
    /// No options.
    ///
    /// ```
    /// # use workflow_execution_service::StartOptions;
    /// assert_eq!(StartOptions::new(), StartOptions::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of the version to run. By default the newest runnable version.
    ///
    /// ```
    /// # use workflow_execution_service::StartOptions;
    /// let options = StartOptions::new().version(3);
    /// ```
    pub fn version(mut self, number: u64) -> Self {
        self.version = Some(number);
        self
    }

    /// 1–255 characters. For 24 hours, the same start with the same key returns the Execution of the first one, so that a
    /// start without an answer can be repeated.
    ///
    /// ```
    /// # use workflow_execution_service::StartOptions;
    /// let options = StartOptions::new().idempotency_key("order-4711");
    /// ```
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// The id of the Execution that the new one runs again.
    ///
    /// ```
    /// # use workflow_execution_service::StartOptions;
    /// let options = StartOptions::new().again_of("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// ```
    pub fn again_of(mut self, id: impl Into<String>) -> Self {
        self.again_of = Some(id.into());
        self
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StartBody<'a> {
    program_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    again_of: Option<&'a str>,
}

#[derive(Deserialize)]
pub(crate) struct Started {
    pub(crate) id: String,
}

impl Executions<'_> {
    /// Starts an Execution of a Program. Returns when the start is durable; the Execution may not have run yet.
    ///
    /// The input may be any type that serialises to JSON; `()` sends none. When the connection fails, the client does not repeat the
    /// request; see [`StartOptions::idempotency_key`] to repeat a start safely.
    ///
    /// ```no_run
    /// use serde_json::json;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().start("order-approval", json!({ "orderId": "4711", "cents": 1999 })).await?;
    /// println!("{}", handle.id());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn start<I: Serialize>(self, program: &str, input: I) -> Result<ExecutionHandle> {
        self.start_with(program, input, StartOptions::new()).await
    }

    /// Like [`start`](Self::start), with options.
    ///
    /// ```no_run
    /// use serde_json::json;
    /// use workflow_execution_service::StartOptions;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let options = StartOptions::new().version(3).idempotency_key("order-4711");
    /// let handle = client.executions().start_with("order-approval", json!({ "orderId": "4711" }), options).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn start_with<I: Serialize>(
        self,
        program: &str,
        input: I,
        options: StartOptions,
    ) -> Result<ExecutionHandle> {
        let started: Started = self.client.read(start_request(program, &input, &options)?).await?;
        Ok(self.handle(started.id))
    }

    /// Starts an Execution and waits until it has ended, like [`start`](Self::start) and
    /// [`result`](ExecutionHandle::result), in one request if it is quick.
    ///
    /// If the connection breaks, the client sends the start again with the same idempotency key: yours, or one made for
    /// this run. It does so until the client's [timeout](crate::ClientBuilder::timeout), which limits the start and the wait
    /// together, or without one for about two minutes. Neither the timeout nor dropping the future ends the Execution.
    ///
    /// ```no_run
    /// use serde_json::json;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let receipt = client.executions().run("order-approval", json!({ "orderId": "4711", "cents": 1999 })).await?;
    /// println!("{receipt}");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run<I: Serialize>(self, program: &str, input: I) -> Result<Value> {
        self.run_with(program, input, StartOptions::new()).await
    }

    /// Like [`run`](Self::run), with options.
    ///
    /// ```no_run
    /// use workflow_execution_service::StartOptions;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let options = StartOptions::new().idempotency_key("order-4711");
    /// let receipt = client.executions().run_with("order-approval", (), options).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn run_with<I: Serialize>(self, program: &str, input: I, options: StartOptions) -> Result<Value> {
        let options = StartOptions {
            idempotency_key: options.idempotency_key.or_else(|| Some(random_key())),
            ..options
        };
        run_program(self.client, start_request(program, &input, &options)?).await
    }

    /// A page of Executions, newest first.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for execution in client.executions().list(None).await? {
    ///     println!("{} {}", execution.id, execution.status);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list(self, page: Option<Page>) -> Result<List<ExecutionSummary>> {
        let path = with_page("/v1/executions", page.as_ref());
        self.client.read(Request::get(path)).await
    }

    /// A page of the Executions that match a filter, newest first.
    ///
    /// ```no_run
    /// use workflow_execution_service::ExecutionFilter;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let filter = ExecutionFilter::new().trigger("trg_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// for execution in client.executions().list_matching(&filter, None).await? {
    ///     println!("{} {}", execution.id, execution.status);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn list_matching(self, filter: &ExecutionFilter, page: Option<Page>) -> Result<List<ExecutionSummary>> {
        let list: List<ExecutionSummary> = self.client.read(Request::get(filter.path(page.as_ref()))).await?;
        filter.refuse_others(
            list.items
                .iter()
                .map(|one| (one.label.as_deref(), one.again_of.as_deref())),
        )?;
        Ok(list)
    }

    /// All Executions that match a filter, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// use workflow_execution_service::{ExecutionFilter, ExecutionStatus};
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let failed = ExecutionFilter::new().status(ExecutionStatus::Failed);
    /// let mut executions = client.executions().stream_matching(failed, None);
    /// while let Some(execution) = executions.next().await.transpose()? {
    ///     println!("{} {:?}", execution.id, execution.error);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream_matching(self, filter: ExecutionFilter, page: Option<Page>) -> Items<ExecutionSummary> {
        let client = self.client.clone();
        Items::new(page, move |page| {
            let (client, filter) = (client.clone(), filter.clone());
            async move { client.executions().list_matching(&filter, Some(page)).await }
        })
    }

    /// All Executions, newest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// use workflow_execution_service::Page;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let mut executions = client.executions().stream(Some(Page { limit: Some(200), cursor: None }));
    /// while let Some(execution) = executions.next().await.transpose()? {
    ///     println!("{} {}", execution.id, execution.status);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(self, page: Option<Page>) -> Items<ExecutionSummary> {
        let client = self.client.clone();
        Items::new(page, move |page| {
            let client = client.clone();
            async move { client.executions().list(Some(page)).await }
        })
    }

    /// One Execution, with its input and result.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let execution = client.executions().get("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").await?;
    /// println!("{}", execution.status);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn get(self, id: &str) -> Result<Execution> {
        self.client.read(Request::get(path_of("executions", id, "")?)).await
    }

    /// A page of an Execution's history, oldest first.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// for entry in client.executions().history("exe_01jcx3b8e0e0t9qv2m5k7w4z6n", None).await? {
    ///     println!("{} {}", entry.at, entry.kind);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn history(self, id: &str, page: Option<Page>) -> Result<List<HistoryEntry>> {
        let path = with_page(&path_of("executions", id, "/history")?, page.as_ref());
        self.client.read(Request::get(path)).await
    }

    /// An Execution's whole history, oldest first; the page sets the beginning and the page size.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let mut history = client.executions().history_stream("exe_01jcx3b8e0e0t9qv2m5k7w4z6n", None);
    /// while let Some(entry) = history.next().await.transpose()? {
    ///     println!("{} {}", entry.position, entry.kind);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn history_stream(self, id: &str, page: Option<Page>) -> Items<HistoryEntry> {
        let (client, id) = (self.client.clone(), id.to_owned());
        Items::new(page, move |page| {
            let (client, id) = (client.clone(), id.clone());
            async move { client.executions().history(&id, Some(page)).await }
        })
    }

    /// A handle for an existing Execution. Sends no request.
    ///
    /// ```
    /// use workflow_execution_service::Client;
    ///
    /// # fn main() -> workflow_execution_service::Result<()> {
    /// let client = Client::builder().url("http://127.0.0.1:3477").build()?;
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// assert_eq!(handle.id(), "exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn handle(self, id: impl Into<String>) -> ExecutionHandle {
        ExecutionHandle::new(self.client.clone(), id.into())
    }
}

fn start_request<I: Serialize>(program: &str, input: &I, options: &StartOptions) -> Result<Request> {
    let body = StartBody {
        program_id: program,
        input: json::to_text("input", input)?,
        version: options.version,
        again_of: options.again_of.as_deref(),
    };
    let mut request = Request::post("/v1/executions", Some(json::to_bytes("start", &body)?));
    if let Some(key) = &options.idempotency_key {
        request.headers.insert(IDEMPOTENCY_KEY, idempotency_key(key)?);
    }
    Ok(request)
}

/// Headers lose spaces and tabs at their ends, which would change the key.
pub(crate) fn idempotency_key(key: &str) -> Result<HeaderValue> {
    let value = HeaderValue::from_str(key)
        .ok()
        .filter(|_| !key.is_empty() && key.trim_matches([' ', '\t']) == key);
    value.ok_or_else(|| Error::invalid(format!("invalid idempotency key: {key:?}")))
}
