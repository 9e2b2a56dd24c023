//! The one error type of the crate.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use crate::models::ExecutionError;

/// The result of every call of this crate.
///
/// ```no_run
/// # async fn run() -> workflow_execution_service::Result<()> {
/// let client = workflow_execution_service::Client::from_env()?;
/// println!("{} Programs", client.programs().list(None).await?.items.len());
/// # Ok(())
/// # }
/// ```
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The errors of all calls.
///
/// [`status`](Error::status) and [`code`](Error::code) match `status` and `code` of the TypeScript client's error, whose
/// status is 0 where there is none here. Only refused arguments differ: there they are a `TypeError`, or `invalid_request`
/// if a body cannot be JSON.
///
/// Messages and `Debug` output never contain the token.
///
/// ```no_run
/// use workflow_execution_service::{Client, Error};
///
/// # async fn run(client: Client) -> workflow_execution_service::Result<()> {
/// let handle = client.executions().handle("exe_01jcx3b8e0e0t9qv2m5k7w4z6n");
/// match handle.result().await {
///     Ok(result) => println!("it returned {result}"),
///     Err(Error::ExecutionFailed { error, .. }) => println!("it threw {}", error.message),
///     Err(Error::ExecutionCancelled { .. }) => println!("it was cancelled"),
///     Err(error) if error.code() == "execution_not_found" => println!("there is no such Execution"),
///     Err(error) => return Err(error),
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The service refused the request.
    #[error("{message} ({status} {code})")]
    #[non_exhaustive]
    Api {
        /// The HTTP status.
        status: u16,
        /// The service's error code, such as `program_not_found`.
        code: String,
        /// The service's explanation.
        message: String,
        /// The delay before a retry, if the service sent one.
        retry_after: Option<Duration>,
        /// The id of the Execution, in the error of a wait for its result.
        id: Option<String>,
    },

    /// There was no complete answer: the connection failed or broke.
    #[error("{request} got no answer: {}", innermost(source))]
    #[non_exhaustive]
    Network {
        /// Method and address of the request.
        request: String,
        /// What went wrong below.
        source: reqwest::Error,
        /// The id of the Execution, in the error of a wait for its result.
        id: Option<String>,
    },

    /// The answer's JSON was cut off, as by a proxy that lost its connection to the service.
    #[error("{request} got no answer: its JSON was cut off")]
    #[non_exhaustive]
    CutOff {
        /// Method and address of the request.
        request: String,
        /// Where the JSON ends.
        source: serde_json::Error,
        /// The id of the Execution, in the error of a wait for its result.
        id: Option<String>,
    },

    /// The answer, or a result, has an unexpected format. If that happens on every call, another server is probably
    /// answering.
    #[error("{message}")]
    #[non_exhaustive]
    Decode {
        /// The HTTP status of the answer.
        status: u16,
        /// The problem.
        message: String,
        /// The JSON error, if the answer is JSON.
        source: Option<serde_json::Error>,
        /// The id of the Execution, in the error of a wait for its result.
        id: Option<String>,
    },

    /// A wait found that the Execution had failed.
    #[error("Execution {id} failed: {error}")]
    #[non_exhaustive]
    ExecutionFailed {
        /// The Execution's id.
        id: String,
        /// The Execution's error.
        error: Box<ExecutionError>,
    },

    /// A wait found that the Execution had been cancelled.
    #[error("Execution {id} was cancelled")]
    #[non_exhaustive]
    ExecutionCancelled {
        /// The Execution's id.
        id: String,
    },

    /// The caller's time limit was exceeded. A request that changes something may or may not have succeeded.
    #[error("{message}")]
    #[non_exhaustive]
    TimedOut {
        /// The call that did not finish.
        message: String,
        /// The time limit.
        after: Duration,
        /// Whether it was a wait for a result, not a single request.
        waiting: bool,
        /// The id of the Execution, in the error of a wait for its result.
        id: Option<String>,
        /// The error of the last attempt of a wait, if it failed.
        source: Option<Box<Error>>,
    },

    /// The arguments or settings are invalid; the client sent no request.
    #[error("{message}")]
    #[non_exhaustive]
    InvalidArgument {
        /// The argument, and the reason.
        message: String,
        /// What went wrong below.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
}

impl Error {
    /// The HTTP status; `None` without an answer.
    ///
    /// It is 200 if the wait found that the Execution failed or was cancelled.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) {
    /// let error = client.programs().get("nothing-here").await.unwrap_err();
    /// assert_eq!(error.status(), Some(404));
    /// # }
    /// ```
    #[must_use]
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api { status, .. } | Self::Decode { status, .. } => Some(*status),
            Self::ExecutionFailed { .. } | Self::ExecutionCancelled { .. } => Some(200),
            Self::Network { .. } | Self::CutOff { .. } | Self::TimedOut { .. } | Self::InvalidArgument { .. } => None,
        }
    }

    /// The service's error code, or one of the client's own: `network_error`, `invalid_response`, `execution_failed`,
    /// `execution_cancelled`, `wait_timeout`, `invalid_argument`. A single request that got no answer in time is
    /// [`Error::TimedOut`], with `network_error`.
    ///
    /// ```
    /// use workflow_execution_service::Client;
    ///
    /// let error = Client::builder().url("not an address").build().unwrap_err();
    /// assert_eq!(error.code(), "invalid_argument");
    /// ```
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Api { code, .. } => code,
            Self::Network { .. } | Self::CutOff { .. } | Self::TimedOut { waiting: false, .. } => "network_error",
            Self::Decode { .. } => "invalid_response",
            Self::ExecutionFailed { .. } => "execution_failed",
            Self::ExecutionCancelled { .. } => "execution_cancelled",
            Self::TimedOut { waiting: true, .. } => "wait_timeout",
            Self::InvalidArgument { .. } => "invalid_argument",
        }
    }

    /// The error of a failed Execution.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let handle = client.executions().start("order-approval", ()).await?;
    /// if let Some(error) = handle.result().await.err().as_ref().and_then(|error| error.execution_error()) {
    ///     eprintln!("{}", error.stack.as_deref().unwrap_or(&error.message));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn execution_error(&self) -> Option<&ExecutionError> {
        match self {
            Self::ExecutionFailed { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The id of the Execution whose result was waited for. `None` if the start of a [`run`](crate::Executions::run) was not
    /// answered.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// if let Err(error) = client.executions().run("order-approval", ()).await {
    ///     if let Some(id) = error.execution_id() {
    ///         client.executions().handle(id).cancel().await?;
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn execution_id(&self) -> Option<&str> {
        match self {
            Self::ExecutionFailed { id, .. } | Self::ExecutionCancelled { id } => Some(id),
            Self::Api { id, .. }
            | Self::Network { id, .. }
            | Self::CutOff { id, .. }
            | Self::Decode { id, .. }
            | Self::TimedOut { id, .. } => id.as_deref(),
            Self::InvalidArgument { .. } => None,
        }
    }

    /// For the errors of a wait for the result of this Execution.
    pub(crate) fn naming(mut self, execution: &str) -> Self {
        if let Self::Api { id, .. }
        | Self::Network { id, .. }
        | Self::CutOff { id, .. }
        | Self::Decode { id, .. }
        | Self::TimedOut { id, .. } = &mut self
        {
            *id = Some(execution.to_owned());
        }
        self
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::InvalidArgument {
            message: message.into(),
            source: None,
        }
    }

    /// The service is temporarily unavailable, or asks the caller to wait. Repeating a read is safe.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Api { code, .. } if code == "quota_exceeded" => false,
            Self::Api { status, code, .. } => {
                matches!(status, 408 | 429 | 502 | 503 | 504) || is_of_gateway(*status, code)
            }
            Self::Network { source, .. } => {
                !source.is_builder() && !is_bad_handshake(source) && !is_refused_by_proxy(source)
            }
            Self::CutOff { .. } | Self::TimedOut { .. } => true,
            _ => false,
        }
    }

    /// Not if the service said no, and not if nothing listens.
    pub(crate) fn leaves_open_whether_accepted(&self) -> bool {
        match self {
            Self::Api { status, code, .. } => matches!(status, 502 | 504) || is_of_gateway(*status, code),
            Self::Network { source, .. } => !source.is_builder() && !source.is_connect(),
            Self::CutOff { .. } | Self::TimedOut { .. } => true,
            _ => false,
        }
    }

    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Api { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

/// A gateway says in its own way that it got no answer, such as Cloudflare with 521. The service has codes.
fn is_of_gateway(status: u16, code: &str) -> bool {
    status > 500 && code == format!("http_{status}")
}

/// A refused certificate will be refused again. TLS reports it as invalid data.
fn is_bad_handshake(error: &reqwest::Error) -> bool {
    causes(error)
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(is_invalid_data)
}

/// Errors of this type do not return their inner error from `source`.
fn is_invalid_data(error: &io::Error) -> bool {
    let wrapped = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    error.kind() == io::ErrorKind::InvalidData || wrapped.is_some_and(is_invalid_data)
}

/// A proxy that wants a password opens no tunnel. Its error has no public type.
fn is_refused_by_proxy(error: &reqwest::Error) -> bool {
    innermost(error).ends_with("proxy authorization required")
}

/// The innermost error, which says what happened.
fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map(ToString::to_string).unwrap_or_default()
}

fn causes<'a>(error: &'a (dyn StdError + 'static)) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    let mut next = Some(error);
    std::iter::from_fn(move || {
        let error = next?;
        next = error.source();
        Some(error)
    })
}
