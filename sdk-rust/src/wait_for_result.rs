//! The wait of `result()`: long-polls if the service supports it, else polls with growing delays, and continues after a
//! restart of the service. Requests for a result only read, so they may be repeated.

use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use crate::error::{Error, Result};
use crate::models::{ExecutionError, ExecutionStatus, ResultView};

/// Below 60 s, the usual timeout of proxies.
const HOLD: Duration = Duration::from_secs(50);
/// Of the requests after a failure, so that an answer soon ends an outage.
const OUTAGE_HOLD: Duration = Duration::from_secs(1);
/// Attempts and delays after which a wait, or a start, without a time limit gives the service up. The time for which the
/// service asked with `Retry-After` does not count.
pub(crate) const LONGEST_OUTAGE: Duration = Duration::from_secs(120);
/// The way of a held answer, which comes before the deadline, so that the wait's end can say what the service said.
const ANSWER: Duration = Duration::from_millis(250);
/// A held request without an answer by then has a dead connection.
const HOLD_GRACE: Duration = Duration::from_secs(15);
/// Only a computer that slept misses the deadline by this much. It then asks for as long again, because the Execution may
/// have ended.
const LATE: Duration = Duration::from_secs(5);
/// A sooner answer was not held, whatever its headers say.
const SHORTEST_HOLD: Duration = Duration::from_secs(1);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The caller's time limit for a whole wait.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WaitLimit {
    timeout: Option<Duration>,
    deadline: Option<Instant>,
}

impl WaitLimit {
    pub(crate) fn from_now(timeout: Option<Duration>) -> Self {
        Self {
            timeout,
            deadline: timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        }
    }

    fn is_long_past(&self) -> bool {
        self.deadline.is_some_and(|deadline| deadline.elapsed() >= LATE)
    }

    pub(crate) fn remaining(&self) -> Option<Duration> {
        self.deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Sleeps, but not beyond the end.
    pub(crate) async fn sleep(&self, pause: Duration) {
        sleep(self.remaining().map_or(pause, |remaining| pause.min(remaining))).await;
    }

    /// The error of a wait that took longer.
    pub(crate) fn exceeded(&self, what: impl FnOnce(Duration) -> String, trouble: Option<Error>) -> Error {
        let after = self.timeout.unwrap_or_default();
        // A request that was cancelled at the end of the wait is not an error of its own.
        let trouble = trouble.filter(|error| !matches!(error, Error::TimedOut { .. }));
        let reason = trouble
            .as_ref()
            .map_or_else(String::new, |error| format!("; the last attempt failed: {error}"));
        Error::TimedOut {
            message: what(after) + &reason,
            after,
            waiting: true,
            id: None,
            source: trouble.map(Box::new),
        }
    }
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ask {
    /// The value of `Prefer: wait`.
    pub(crate) hold_seconds: u64,
    /// The time limit of the request.
    pub(crate) limit: Duration,
}

impl Ask {
    /// `hold` counts in whole seconds.
    pub(crate) fn holding(hold: Duration, remaining: Option<Duration>) -> Self {
        let hold_seconds = hold.as_secs();
        let longest_answer = Duration::from_secs(hold_seconds) + HOLD_GRACE;
        Self {
            hold_seconds,
            limit: remaining.map_or(longest_answer, |remaining| remaining.min(longest_answer)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct ResultAnswer {
    pub(crate) view: ResultView,
    /// Whether the service held the request.
    pub(crate) held: bool,
}

/// `is_known`: the service has just said that the Execution had not ended.
pub(crate) async fn wait_for_result<Read, Reading>(
    id: &str,
    mut limit: WaitLimit,
    mut is_known: bool,
    read: Read,
) -> Result<Value>
where
    Read: Fn(Ask) -> Reading,
    Reading: Future<Output = Result<ResultAnswer>>,
{
    let mut back_off = BackOff::new();
    let mut trouble = None;
    let mut outage: Option<Duration> = None;
    let mut was_late = false;
    loop {
        if !was_late && limit.is_long_past() {
            was_late = true;
            limit.deadline = Some(Instant::now() + LATE);
        }
        let remaining = limit.remaining();
        if remaining == Some(Duration::ZERO) {
            let what = |after| {
                if is_known {
                    format!("Execution {id} had not ended after {after:?}")
                } else {
                    format!("the service gave no answer about Execution {id} within {after:?}")
                }
            };
            return Err(limit.exceeded(what, trouble).naming(id));
        }

        let asked_at = Instant::now();
        let longest_hold = if outage.is_some() { OUTAGE_HOLD } else { HOLD };
        let hold = remaining.map_or(longest_hold, |remaining| {
            remaining.saturating_sub(ANSWER).min(longest_hold)
        });
        let pause = match read(Ask::holding(hold, remaining)).await {
            Ok(answer) => {
                if let Some(end) = end_of(id, answer.view) {
                    return end;
                }
                is_known = true;
                trouble = None;
                outage = None;
                if answer.held && asked_at.elapsed() >= SHORTEST_HOLD {
                    back_off = BackOff::new();
                    continue;
                }
                back_off.next()
            }
            Err(error) if error.is_passing() => {
                // The service may have held the request of the first failure.
                let passed = outage.map_or(Duration::ZERO, |outage| outage + asked_at.elapsed());
                if limit.timeout.is_none() && passed >= LONGEST_OUTAGE {
                    return Err(error.naming(id));
                }
                let (own, pause) = back_off.after(&error);
                outage = Some(passed + own);
                trouble = Some(error);
                pause
            }
            Err(error) => return Err(error.naming(id)),
        };

        limit.sleep(pause).await;
    }
}

/// `None` while the Execution has not ended, or if its status is unknown.
pub(crate) fn end_of(id: &str, view: ResultView) -> Option<Result<Value>> {
    match view.status {
        ExecutionStatus::Completed => Some(Ok(view.result)),
        ExecutionStatus::Failed => Some(Err(Error::ExecutionFailed {
            id: id.to_owned(),
            error: Box::new(read_error(view.error)),
        })),
        ExecutionStatus::Cancelled => Some(Err(Error::ExecutionCancelled { id: id.to_owned() })),
        _ => None,
    }
}

/// Of any form, because that an Execution failed must not be lost.
fn read_error(said: Value) -> ExecutionError {
    let text = |member: &str, otherwise: &str| said[member].as_str().unwrap_or(otherwise).to_owned();
    let (code, message) = (text("code", "unknown"), text("message", "the service gave no reason"));
    serde_json::from_value(said).unwrap_or(ExecutionError {
        code,
        message,
        name: None,
        stack: None,
        cause: None,
    })
}

pub(crate) struct BackOff {
    pause: Duration,
}

impl BackOff {
    pub(crate) fn new() -> Self {
        Self { pause: FIRST_PAUSE }
    }

    /// The pause after an attempt that failed: the client's own, and the one to take, which is longer if the service
    /// asked for that.
    pub(crate) fn after(&mut self, error: &Error) -> (Duration, Duration) {
        let asked_for = error.retry_after().unwrap_or_default().min(LONGEST_RETRY_AFTER);
        let own = self.next();
        (own, own.max(asked_for))
    }

    /// Adds a random quarter, so that many waiting clients do not send requests at the same time.
    fn next(&mut self) -> Duration {
        let planned = self.pause;
        self.pause = (planned * 3 / 2).min(LONGEST_PAUSE);
        let spread = u32::try_from(RandomState::new().hash_one(()) % 501).unwrap_or_default();
        planned * (750 + spread) / 1000
    }
}

#[cfg(test)]
#[expect(clippy::unnecessary_wraps, reason = "the scripted answers are results")]
mod tests {
    use std::cell::RefCell;

    use serde_json::json;

    use super::*;

    fn view(body: Value, held: bool) -> Result<ResultAnswer> {
        Ok(ResultAnswer {
            view: serde_json::from_value(body).unwrap(),
            held,
        })
    }

    fn refusal(status: u16, retry_after: Option<u64>) -> Result<ResultAnswer> {
        Err(Error::Api {
            status,
            code: "code".to_owned(),
            message: "message".to_owned(),
            retry_after: retry_after.map(Duration::from_secs),
            id: None,
        })
    }

    /// Waits with simulated time. Returns the outcome, and the times of all requests in milliseconds.
    async fn wait(
        timeout: Option<Duration>,
        hold: Duration,
        answer: impl Fn(usize) -> Result<ResultAnswer>,
    ) -> (Result<Value>, Vec<(u128, Ask)>) {
        let begun = Instant::now();
        let asked = RefCell::new(Vec::new());
        let end = wait_for_result("exe_1", WaitLimit::from_now(timeout), false, |ask| {
            let count = asked.borrow().len();
            asked.borrow_mut().push((begun.elapsed().as_millis(), ask));
            let answer = answer(count);
            async move {
                if answer.as_ref().is_ok_and(|answer| answer.held) {
                    sleep(hold).await;
                }
                answer
            }
        })
        .await;
        (end, asked.into_inner())
    }

    const NO_TIME: Duration = Duration::ZERO;

    #[tokio::test(start_paused = true)]
    async fn a_completed_execution_gives_its_result_and_null_when_there_is_none() {
        let completed = |body: Value| async move { wait(None, NO_TIME, |_| view(body.clone(), true)).await.0.unwrap() };
        assert_eq!(
            completed(json!({ "status": "completed", "result": { "a": 1 } })).await,
            json!({ "a": 1 })
        );
        assert_eq!(
            completed(json!({ "status": "completed", "result": null })).await,
            Value::Null
        );
        assert_eq!(completed(json!({ "status": "completed" })).await, Value::Null);
    }

    #[tokio::test(start_paused = true)]
    async fn failed_and_cancelled_executions_are_errors() {
        let body = json!({ "status": "failed", "error": { "code": "program_error", "message": "no stock" } });
        let error = wait(None, NO_TIME, |_| view(body.clone(), true)).await.0.unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(200), "execution_failed"));
        assert_eq!(error.to_string(), "Execution exe_1 failed: no stock");
        assert_eq!(error.execution_error().unwrap().code, "program_error");

        let error = wait(None, NO_TIME, |_| view(json!({ "status": "failed" }), true))
            .await
            .0
            .unwrap_err();
        assert_eq!(error.to_string(), "Execution exe_1 failed: the service gave no reason");

        let error = wait(None, NO_TIME, |_| view(json!({ "status": "cancelled" }), true))
            .await
            .0
            .unwrap_err();
        assert_eq!((error.status(), error.code()), (Some(200), "execution_cancelled"));
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_service_holds_requests_they_follow_one_another_without_pause() {
        let hold = Duration::from_secs(50);
        let (end, asked) = wait(None, hold, |count| {
            view(
                json!({ "status": if count < 3 { "waiting" } else { "completed" } }),
                true,
            )
        })
        .await;
        assert!(end.is_ok());
        let times: Vec<u128> = asked.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [0, 50_000, 100_000, 150_000]);
        assert_eq!(
            asked[0].1,
            Ask {
                hold_seconds: 50,
                limit: Duration::from_secs(65)
            }
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_service_that_does_not_hold_or_only_says_so_is_polled_ever_more_slowly() {
        for held in [false, true] {
            let (end, asked) = wait(None, NO_TIME, |count| {
                view(
                    json!({ "status": if count < 20 { "running" } else { "completed" } }),
                    held,
                )
            })
            .await;
            assert!(end.is_ok());
            let pauses: Vec<u128> = asked.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
            assert!((75..=126).contains(&pauses[0]), "{pauses:?}");
            assert!(
                pauses[15..].iter().all(|pause| (3_750..=6_251).contains(pause)),
                "{pauses:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_status_that_is_not_known_keeps_the_wait_going() {
        let (end, asked) = wait(None, NO_TIME, |count| {
            view(
                json!({ "status": if count == 0 { "resting" } else { "completed" } }),
                false,
            )
        })
        .await;
        assert!(end.is_ok());
        assert_eq!(asked.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_with_a_timeout_rides_out_any_outage_within_it() {
        let (end, asked) = wait(Some(Duration::from_secs(86_400)), NO_TIME, |count| match count {
            0..5_000 => refusal([502, 503, 504, 429, 408][count % 5], None),
            _ => view(json!({ "status": "completed", "result": 1 }), false),
        })
        .await;
        assert_eq!(end.unwrap(), json!(1));
        let last = asked.last().unwrap().0;
        assert!(last > 3_600_000, "an outage of hours, here of {last} ms");
        assert!(asked.windows(2).all(|pair| pair[1].0 - pair[0].0 <= 6_251));
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_without_a_timeout_gives_up_after_an_outage_of_two_minutes() {
        let (end, asked) = wait(None, NO_TIME, |_| refusal(503, None)).await;
        let error = end.unwrap_err();
        assert_eq!((error.status(), error.execution_id()), (Some(503), Some("exe_1")));
        let last = asked.last().unwrap().0;
        assert!((120_000..126_251).contains(&last), "it gave up after {last} ms");

        // The first request may have been held, and each later attempt counts with its time.
        let begun = Instant::now();
        let silent = wait_for_result("exe_1", WaitLimit::from_now(None), false, |ask| async move {
            sleep(ask.limit).await;
            refusal(504, None)
        });
        assert_eq!(silent.await.unwrap_err().status(), Some(504));
        let took = begun.elapsed().as_secs();
        assert!((65 + 120..65 + 145).contains(&took), "it gave up after {took} s");
    }

    #[tokio::test(start_paused = true)]
    async fn answers_between_failures_keep_a_wait_without_a_timeout_going() {
        // A proxy that ends held requests after 30 s.
        let begun = Instant::now();
        let hour = Duration::from_secs(3_600);
        let end = wait_for_result("exe_1", WaitLimit::from_now(None), false, |ask| async move {
            if begun.elapsed() >= hour {
                return view(json!({ "status": "completed", "result": 1 }), false);
            }
            if ask.hold_seconds > 30 {
                sleep(Duration::from_secs(30)).await;
                return refusal(504, None);
            }
            sleep(Duration::from_secs(ask.hold_seconds)).await;
            view(json!({ "status": "waiting" }), true)
        });
        assert_eq!(end.await.unwrap(), json!(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_computer_that_slept_past_the_deadline_asks_again() {
        let hour = Duration::from_secs(3_600);
        let minute = Some(Duration::from_secs(60));
        let (end, asked) = wait(minute, hour, |count| match count {
            0 => view(json!({ "status": "waiting" }), true),
            1 => refusal(502, None),
            _ => view(json!({ "status": "completed", "result": 1 }), false),
        })
        .await;
        assert_eq!(end.unwrap(), json!(1));
        assert_eq!(asked[1].1.hold_seconds, 4);

        let (end, asked) = wait(minute, hour, |_| view(json!({ "status": "waiting" }), true)).await;
        assert_eq!(end.unwrap_err().code(), "wait_timeout");
        assert_eq!(asked.len(), 2);
    }

    #[tokio::test(start_paused = true)]
    async fn the_service_is_left_alone_for_as_long_as_it_asks_within_reason() {
        let (_, asked) = wait(None, NO_TIME, |count| match count {
            0 => refusal(429, Some(7)),
            1 => refusal(503, Some(86_400)),
            _ => view(json!({ "status": "completed" }), false),
        })
        .await;
        assert_eq!(asked[1].0, 7_000);
        assert_eq!(asked[2].0, 67_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_for_which_the_service_asks_is_no_outage() {
        let (end, asked) = wait(None, NO_TIME, |count| match count {
            0..10 => refusal(503, Some(60)),
            _ => view(json!({ "status": "completed", "result": 1 }), false),
        })
        .await;
        assert_eq!(end.unwrap(), json!(1));
        assert_eq!(asked[10].0, 600_000);
        assert!(wait(None, NO_TIME, |_| refusal(503, Some(60))).await.0.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_status_that_only_a_gateway_sends_does_not_end_the_wait() {
        let unexplained = || {
            let mut refused = refusal(521, None);
            if let Err(Error::Api { code, .. }) = &mut refused {
                "http_521".clone_into(code);
            }
            refused
        };
        let (end, asked) = wait(None, NO_TIME, |count| match count {
            0 => unexplained(),
            _ => view(json!({ "status": "completed", "result": 1 }), false),
        })
        .await;
        assert_eq!(end.unwrap(), json!(1));
        assert_eq!(asked.len(), 2);
        assert!(unexplained().unwrap_err().leaves_open_whether_accepted());
    }

    #[tokio::test(start_paused = true)]
    async fn other_refusals_end_the_wait() {
        for status in [400, 401, 404, 500, 521] {
            let (end, asked) = wait(None, NO_TIME, |_| refusal(status, None)).await;
            assert_eq!(end.unwrap_err().status(), Some(status));
            assert_eq!(asked.len(), 1);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_timeout_ends_the_wait_and_bounds_its_requests() {
        let begun = Instant::now();
        let timeout = Duration::from_millis(52_500);
        let (end, asked) = wait(Some(timeout), Duration::from_secs(50), |_| {
            view(json!({ "status": "waiting" }), true)
        })
        .await;
        let error = end.unwrap_err();
        assert_eq!((error.status(), error.code()), (None, "wait_timeout"));
        assert_eq!(error.to_string(), "Execution exe_1 had not ended after 52.5s");
        assert_eq!(
            asked[1].1,
            Ask {
                hold_seconds: 2,
                limit: Duration::from_millis(2_500)
            }
        );
        assert!(begun.elapsed() >= timeout);
    }

    #[tokio::test(start_paused = true)]
    async fn after_requests_that_the_service_held_as_long_as_asked_the_execution_had_not_ended() {
        for timeout in [400, 30_000, 30_001].map(Duration::from_millis) {
            let end = wait_for_result("exe_1", WaitLimit::from_now(Some(timeout)), false, |ask| async move {
                let hold = Duration::from_secs(ask.hold_seconds) + Duration::from_millis(20);
                sleep(hold.min(ask.limit)).await;
                // Pauses are of chance lengths, so the last request may have less time than an answer takes.
                if hold < ask.limit || ask.hold_seconds == 0 {
                    view(json!({ "status": "waiting" }), true)
                } else {
                    refusal(504, None)
                }
            });
            let message = format!("Execution exe_1 had not ended after {timeout:?}");
            assert_eq!(end.await.unwrap_err().to_string(), message);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_timeout_during_an_outage_says_what_the_trouble_was() {
        let (end, _) = wait(Some(Duration::from_secs(3)), NO_TIME, |_| refusal(503, None)).await;
        let error = end.unwrap_err();
        assert!(
            error
                .to_string()
                .ends_with("the last attempt failed: message (503 code)"),
            "{error}"
        );
        let source = std::error::Error::source(&error).unwrap();
        assert_eq!(source.to_string(), "message (503 code)");
    }

    #[tokio::test(start_paused = true)]
    async fn timeouts_too_long_for_the_clock_are_no_timeouts() {
        let (end, _) = wait(Some(Duration::MAX), NO_TIME, |_| {
            view(json!({ "status": "completed" }), false)
        })
        .await;
        assert!(end.is_ok());
    }
}
