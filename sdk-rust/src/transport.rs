//! One HTTP exchange: builds the request, reads the answer, and turns every failure into an `Error`.

use std::pin::pin;
use std::time::Duration;

use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderMap, HeaderName, HeaderValue, LOCATION, RETRY_AFTER,
};
use reqwest::{Method, RequestBuilder, Response};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

use crate::address::{Address, header_value};
use crate::error::{Error, Result};
use crate::executions::IDEMPOTENCY_KEY;
use crate::json;
use crate::repeat_refused::Refusals;

/// Longer than the service holds a result, and long enough to upload a large artifact on a slow connection.
pub(crate) const REQUEST_LIMIT: Duration = Duration::from_secs(75);
/// How many requests begin at once. Thousands of calls that begin at the same moment would otherwise all connect before the
/// first of them sends anything, and servers close connections over which nothing comes for some seconds.
pub(crate) const TURNS: usize = 100;
/// A request keeps its turn until it is answered, but no longer than this: the service may hold it, or not answer at all.
const LONGEST_TURN: Duration = Duration::from_millis(100);

const PROJECT_HEADER: HeaderName = HeaderName::from_static("x-service-project-id");

#[derive(Debug)]
pub(crate) struct Transport {
    pub(crate) http: reqwest::Client,
    pub(crate) address: Address,
    /// The caller's time limit for each call.
    pub(crate) timeout: Option<Duration>,
    /// How often a request is sent again that the service refused for the moment.
    pub(crate) max_retries: u32,
    /// As many as `TURNS`.
    pub(crate) turns: Semaphore,
}

#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    /// The path with the query, from `request_path`.
    pub(crate) path: String,
    /// JSON text.
    pub(crate) body: Option<Vec<u8>>,
    pub(crate) headers: HeaderMap,
    /// Of a request whose caller repeats it. By default the transport repeats it, within its own time limit.
    pub(crate) limit: Option<Duration>,
}

impl Request {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, None)
    }

    pub(crate) fn post(path: impl Into<String>, body: Option<Vec<u8>>) -> Self {
        Self::new(Method::POST, path, body)
    }

    pub(crate) fn put(path: impl Into<String>, body: Vec<u8>) -> Self {
        Self::new(Method::PUT, path, Some(body))
    }

    pub(crate) fn patch(path: impl Into<String>, body: Vec<u8>) -> Self {
        Self::new(Method::PATCH, path, Some(body))
    }

    pub(crate) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path, None)
    }

    /// For a path that names a project: it chooses the project, whichever one the client works in.
    pub(crate) fn in_project(mut self, project_id: &str) -> Result<Self> {
        self.headers
            .insert(PROJECT_HEADER, header_value("the project id", project_id)?);
        Ok(self)
    }

    fn is_safe_to_repeat(&self) -> bool {
        self.method == Method::GET || self.headers.contains_key(IDEMPOTENCY_KEY)
    }

    fn new(method: Method, path: impl Into<String>, body: Option<Vec<u8>>) -> Self {
        Self {
            method,
            path: path.into(),
            body,
            headers: HeaderMap::new(),
            limit: None,
        }
    }
}

/// An answer with a success status.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) request: String,
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// For calls whose answer says nothing. Fails for what is not the service's, such as a page of a proxy.
    pub(crate) fn read_nothing(&self) -> Result<()> {
        if self.body.trim_ascii().is_empty() {
            return Ok(());
        }
        self.read::<IgnoredAny>().map(|_| ())
    }

    fn is_json(&self) -> bool {
        let kind = self.headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        kind.is_some_and(|kind| kind.starts_with("application/json"))
    }

    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T> {
        let (request, status) = (&self.request, self.status);
        let (message, source) = match json::from_bytes(&self.body) {
            Ok(value) if json::is_object(&self.body) => return Ok(value),
            Err(source) if source.is_eof() && self.is_json() && !self.body.trim_ascii().is_empty() => {
                return Err(Error::CutOff {
                    request: request.clone(),
                    source,
                    id: None,
                });
            }
            Err(error) if !error.is_data() => (
                format!("{request} returned {status} without JSON; check that the address is the service's ({error})"),
                Some(error),
            ),
            Err(error) if json::is_object(&self.body) => {
                (format!("{request} returned unexpected JSON: {error}"), Some(error))
            }
            _ => (
                format!(
                    "{request} returned {status} with JSON of another API; check that the address is the service's"
                ),
                None,
            ),
        };
        Err(Error::Decode {
            status,
            message,
            source,
            id: None,
        })
    }
}

impl Transport {
    pub(crate) async fn read<T: DeserializeOwned>(&self, request: Request) -> Result<T> {
        self.exchange(request).await?.read()
    }

    pub(crate) async fn exchange(&self, request: Request) -> Result<Answer> {
        if let Some(limit) = request.limit {
            return self.exchange_once(&request, limit).await;
        }
        let limit = self.timeout.map_or(REQUEST_LIMIT, |timeout| timeout.min(REQUEST_LIMIT));
        let mut refusals = Refusals::new(self.max_retries, request.is_safe_to_repeat());
        let begun = Instant::now();
        loop {
            let remaining = limit.saturating_sub(begun.elapsed());
            match self.exchange_once(&request, remaining).await {
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    let remaining = limit.saturating_sub(begun.elapsed());
                    sleep(refusals.pause_after(error, Some(remaining))?).await;
                }
            }
        }
    }

    async fn exchange_once(&self, request: &Request, limit: Duration) -> Result<Answer> {
        let url = format!("{}{}", self.address.base_url, request.path);
        let described = format!("{} {url}", request.method);
        let begun = Instant::now();
        let turn = timeout(limit, self.turns.acquire()).await.map_err(|_| {
            timed_out(
                format!("{described} was not sent within {limit:?}: too many requests began before it"),
                limit,
            )
        })?;
        let mut sending = self
            .http
            .request(request.method.clone(), url)
            .headers(self.headers())
            // They take the place of the client's own, such as its project.
            .headers(request.headers.clone())
            .timeout(limit.saturating_sub(begun.elapsed()));
        if let Some(body) = &request.body {
            sending = sending.header(CONTENT_TYPE, "application/json").body(body.clone());
        }

        let mut answer = pin!(read_answer(described, sending, limit));
        if let Ok(answer) = timeout(LONGEST_TURN, &mut answer).await {
            return answer;
        }
        drop(turn);
        answer.await
    }

    fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(authorization) = &self.address.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if let Some(project_id) = &self.address.project_id {
            headers.insert(PROJECT_HEADER, project_id.clone());
        }
        headers
    }
}

async fn read_answer(request: String, sending: RequestBuilder, limit: Duration) -> Result<Answer> {
    let no_answer = |error| no_answer(&request, limit, error);
    let response = sending.send().await.map_err(no_answer)?;
    let (status, headers) = (response.status(), response.headers().clone());
    let Some(body) = read_body(response).await.map_err(no_answer)? else {
        return Err(too_large(&request, status.as_u16()));
    };
    if !status.is_success() {
        return Err(refusal(&request, status.as_u16(), &headers, &body));
    }
    Ok(Answer {
        request,
        status: status.as_u16(),
        headers,
        body,
    })
}

/// Four times as much as the largest answers, which are artifacts.
const LARGEST_MIB: usize = 64;

/// `None` if it is larger than any answer of the API.
async fn read_body(mut response: Response) -> reqwest::Result<Option<Vec<u8>>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > LARGEST_MIB * 1024 * 1024 {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

fn too_large(request: &str, status: u16) -> Error {
    Error::Decode {
        status,
        message: format!(
            "{request} returned {status} with more than {LARGEST_MIB} MiB, which is no answer of the API; check that the address is the service's"
        ),
        source: None,
        id: None,
    }
}

fn no_answer(request: &str, limit: Duration, error: reqwest::Error) -> Error {
    if error.is_timeout() && !error.is_connect() {
        return timed_out(format!("{request} got no answer within {limit:?}"), limit);
    }
    Error::Network {
        request: request.to_owned(),
        source: error.without_url(),
        id: None,
    }
}

fn timed_out(message: String, after: Duration) -> Error {
    Error::TimedOut {
        message,
        after,
        waiting: false,
        id: None,
        source: None,
    }
}

fn refusal(request: &str, status: u16, headers: &HeaderMap, body: &[u8]) -> Error {
    let said = json::from_bytes::<Value>(body).unwrap_or_default();
    let text = |member| said["error"][member].as_str().unwrap_or_default().to_owned();
    let (code, message) = (text("code"), text("message"));
    Error::Api {
        status,
        code: if code.is_empty() { code_of_status(status) } else { code },
        message: if message.is_empty() {
            unexplained(request, status, headers)
        } else {
            message
        },
        retry_after: read_retry_after(headers),
        id: None,
    }
}

fn unexplained(request: &str, status: u16, headers: &HeaderMap) -> String {
    if status == 407 {
        return format!("{request} was refused: a proxy in front of the service wants a user name and a password");
    }
    if matches!(status, 301..=303 | 307 | 308) {
        let location = headers.get(LOCATION).and_then(|location| location.to_str().ok());
        let to = location.map_or_else(String::new, |location| format!(" to {location}"));
        return format!(
            "{request} answered with a redirect{to}, and redirects are not followed; check that the address is the service's"
        );
    }
    format!("{request} was refused without a reason")
}

/// The code of an answer that is not from the service, such as a proxy's error page.
fn code_of_status(status: u16) -> String {
    let known = match status {
        400 => "invalid_request",
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not_found",
        405 => "method_not_allowed",
        413 => "payload_too_large",
        415 => "unsupported_media_type",
        429 => "rate_limited",
        500 => "internal",
        502..=504 => "unavailable",
        _ => return format!("http_{status}"),
    };
    known.to_owned()
}

/// Seconds, or a date. From a date the answer's own `Date` is subtracted, so the clocks need not be equal.
fn read_retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name)?.to_str().ok().map(str::trim);
    let said = text(RETRY_AFTER)?;
    let seconds = match read_date(said) {
        Some(date) => date.saturating_sub(read_date(text(DATE)?)?),
        None => read_digits(said)?,
    };
    Some(Duration::from_secs(seconds))
}

/// The seconds since 1970 of the one form that servers send, such as `Wed, 21 Oct 2026 07:28:00 GMT`.
fn read_date(text: &str) -> Option<u64> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let parts: Vec<&str> = text.split([' ', ':']).collect();
    let [_, day, month, year, hours, minutes, seconds, "GMT"] = parts[..] else {
        return None;
    };
    let month = MONTHS.find(month).filter(|_| month.len() == 3)? as u64 / 3;
    // Years that begin in March end with the day of a leap year.
    let year = read_digits(year).filter(|year| (1970..10_000).contains(year))? - u64::from(month < 2);
    let days_before_month = ((month + 10) % 12 * 153 + 2) / 5;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + days_before_month + read_digits(day)?;
    let hours = days.checked_sub(719_469)? * 24 + read_digits(hours)?;
    Some((hours * 60 + read_digits(minutes)?) * 60 + read_digits(seconds)?)
}

/// `parse` would accept a sign.
fn read_digits(text: &str) -> Option<u64> {
    let is_number = text.len() <= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_number)
}
