use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::Client;
use crate::error::{Error, Result};
use crate::executions::{IDEMPOTENCY_KEY, idempotency_key};
use crate::json;
use crate::models::{CancelReceipt, EventReceipt, Execution, ExecutionStatus};
use crate::request_path::path_of;
use crate::transport::Request;
use crate::wait_for_result::{Ask, ResultAnswer, WaitLimit, wait_for_result};

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// One Execution. From [`Executions::start`](crate::Executions::start) or
/// [`Executions::handle`](crate::Executions::handle).
///
/// ```no_run
/// use serde_json::json;
///
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let handle = client.executions().start("order-approval", json!({ "orderId": "4711" })).await?;
/// handle.send("approved", json!({ "by": "ada" })).await?;
/// println!("{}", handle.result().await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct ExecutionHandle {
    client: Client,
    id: String,
    timeout: Option<Duration>,
}

#[derive(Serialize)]
struct EventBody<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<Box<RawValue>>,
}

/// The interface specification leaves the form of an acknowledgement open: any members may be missing or different, or all
/// of it. An error would make its caller send again what the service has stored.
type Acknowledgement = serde_json::Map<String, Value>;

fn text<'a>(told: &'a Acknowledgement, member: &str) -> Option<&'a str> {
    told.get(member).and_then(Value::as_str)
}

impl ExecutionHandle {
    pub(crate) fn new(client: Client, id: String) -> Self {
        let timeout = client.timeout();
        Self { client, id, timeout }
    }

    /// The Execution's id. [`Executions::handle`](crate::Executions::handle) takes it, also in another process.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().start("order-approval", ()).await?;
    /// println!("{}", handle.id());
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The same handle, with another limit for the wait of [`result`](Self::result).
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().start("order-approval", ()).await?;
    /// match handle.with_timeout(Duration::from_secs(10)).result().await {
    ///     Err(error) if error.code() == "wait_timeout" => println!("still running"),
    ///     end => println!("{}", end?),
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sends the Execution an event. The service keeps it until the Program waits for it.
    ///
    /// The payload may be any type that serialises to JSON; `()` sends none. When the connection fails, the client does not repeat the
    /// request.
    ///
    /// ```no_run
    /// use serde_json::json;
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// handle.send("approved", json!({ "by": "ada" })).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send<P: Serialize>(&self, name: &str, payload: P) -> Result<EventReceipt> {
        self.send_request(name, self.event_request(name, &payload)?).await
    }

    /// Like [`send`](Self::send), with an idempotency key of 1–255 characters. For 24 hours, the service stores the same
    /// event with the same key once, so that an event without an answer can be sent again.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// handle.send_with_key("approved", (), "approval-4711").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn send_with_key<P: Serialize>(&self, name: &str, payload: P, key: &str) -> Result<EventReceipt> {
        let mut request = self.event_request(name, &payload)?;
        request.headers.insert(IDEMPOTENCY_KEY, idempotency_key(key)?);
        self.send_request(name, request).await
    }

    async fn send_request(&self, name: &str, request: Request) -> Result<EventReceipt> {
        let told = self.acknowledged(request).await?;
        Ok(EventReceipt {
            id: text(&told, "id").unwrap_or_default().to_owned(),
            execution_id: text(&told, "executionId").unwrap_or(&self.id).to_owned(),
            name: text(&told, "name").unwrap_or(name).to_owned(),
            received_at: text(&told, "receivedAt").unwrap_or_default().to_owned(),
        })
    }

    async fn acknowledged(&self, request: Request) -> Result<Acknowledgement> {
        let answer = self.client.exchange(request).await?;
        if answer.body.trim_ascii().is_empty() {
            return Ok(Acknowledgement::default());
        }
        answer.read()
    }

    fn event_request<P: Serialize>(&self, name: &str, payload: &P) -> Result<Request> {
        let body = EventBody {
            name,
            payload: json::to_text("payload", payload)?,
        };
        let path = path_of("executions", &self.id, "/events")?;
        Ok(Request::post(path, Some(json::to_bytes("event", &body)?)))
    }

    /// Fires a timer, or times out a wait, now. May be repeated.
    ///
    /// `command` is its number in the history. Refused with `command_not_open` if the command has a result.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").fire_command(1).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn fire_command(&self, command: u64) -> Result<Execution> {
        self.act_on_command(command, "fire").await
    }

    /// Starts the next attempt of a failed effect now instead of after its delay, like [`fire_command`](Self::fire_command).
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n").retry_command(1).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn retry_command(&self, command: u64) -> Result<Execution> {
        self.act_on_command(command, "retry").await
    }

    async fn act_on_command(&self, command: u64, action: &str) -> Result<Execution> {
        let path = path_of("executions", &self.id, &format!("/commands/{command}/{action}"))?;
        self.client.read(Request::post(path, None)).await
    }

    /// Cancels the Execution, which may still clean up. May be repeated.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// handle.cancel().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn cancel(&self) -> Result<CancelReceipt> {
        let path = path_of("executions", &self.id, "/cancel")?;
        let told = self.acknowledged(Request::post(path, None)).await?;
        Ok(CancelReceipt {
            id: text(&told, "id").unwrap_or(&self.id).to_owned(),
            status: text(&told, "status").map_or(ExecutionStatus::Cancelling, ExecutionStatus::from),
        })
    }

    /// Waits until the Execution has ended, and returns the Program's result: null if it returned nothing.
    ///
    /// Fails with [`Error::ExecutionFailed`] or [`Error::ExecutionCancelled`] if it ended otherwise. Continues after a
    /// restart of the service. Without a [timeout](crate::ClientBuilder::timeout) the wait has no limit, but fails once the
    /// service has been unreachable for about two minutes. To end a wait, drop its future. Neither ends the Execution.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// println!("{}", handle.result().await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn result(&self) -> Result<Value> {
        self.result_within(WaitLimit::from_now(self.timeout), false).await
    }

    pub(crate) async fn result_within(&self, limit: WaitLimit, is_known: bool) -> Result<Value> {
        let path = path_of("executions", &self.id, "/result")?;
        wait_for_result(&self.id, limit, is_known, |ask| read_result(&self.client, &path, ask)).await
    }

    /// Like [`result`](Self::result), deserialised to the caller's type.
    ///
    /// ```no_run
    /// #[derive(serde::Deserialize)]
    /// struct Approval {
    ///     receipt: String,
    /// }
    ///
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
    /// let approval = handle.result_as::<Approval>().await?;
    /// println!("{}", approval.receipt);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn result_as<T: DeserializeOwned>(&self) -> Result<T> {
        let result = self.result().await?;
        serde_json::from_value(result).map_err(|error| Error::Decode {
            status: 200,
            message: format!("the result of Execution {} has another type: {error}", self.id),
            source: Some(error),
            id: Some(self.id.clone()),
        })
    }
}

async fn read_result(client: &Client, path: &str, ask: Ask) -> Result<ResultAnswer> {
    let mut request = Request::get(path);
    ask_to_hold(&mut request, ask);
    let answer = client.exchange(request).await?;
    Ok(ResultAnswer {
        view: answer.read()?,
        held: was_held(&answer.headers),
    })
}

/// Asks the service to hold its answer until the Execution has ended.
pub(crate) fn ask_to_hold(request: &mut Request, ask: Ask) {
    request.limit = Some(ask.limit);
    if let Ok(value) = HeaderValue::from_str(&format!("wait={}", ask.hold_seconds)) {
        request.headers.insert(PREFER, value);
    }
}

fn was_held(headers: &HeaderMap) -> bool {
    let mut applied = headers
        .get_all(PREFERENCE_APPLIED)
        .iter()
        .filter_map(|value| value.to_str().ok());
    applied.any(|value| {
        value.split([',', ';']).any(|preference| {
            preference
                .split('=')
                .next()
                .unwrap_or_default()
                .trim()
                .eq_ignore_ascii_case("wait")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_preference_to_wait_counts_as_applied() {
        let held = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(PREFERENCE_APPLIED, HeaderValue::from_static(value));
            }
            was_held(&headers)
        };
        assert!(held(&["wait=50"]) && held(&["respond-async", "Wait = 1"]) && held(&["respond-async, wait=50"]));
        assert!(!held(&[]) && !held(&["respond-async"]) && !held(&["waiting=1"]));
    }
}
