//! Starts an Execution and waits for its end. The start asks the service to hold its answer for a moment. If the Execution
//! has not ended by then, the wait continues as in `result()`.
//!
//! The service may have accepted a start whose connection broke. The start is therefore sent again with the same
//! idempotency key, which returns the id and starts no second Execution.

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tokio::time::Instant;

use crate::client::Client;
use crate::error::Result;
use crate::execution_handle::ask_to_hold;
use crate::executions::Started;
use crate::repeat_refused::Refusals;
use crate::transport::{Answer, Request};
use crate::wait_for_result::{Ask, BackOff, LONGEST_OUTAGE, WaitLimit, end_of};

/// Short, because only the answer names the Execution.
const HOLD: Duration = Duration::from_secs(1);

/// The start must have an idempotency key.
pub(crate) async fn run_program(client: &Client, start: Request) -> Result<Value> {
    let limit = WaitLimit::from_now(client.timeout());
    let (answer, Started { id }) = start_surely(client, &start, limit).await?;
    // The answer needs no more than the id. What else it says is read again, in errors that name the Execution.
    if let Some(end) = answer.read().ok().and_then(|view| end_of(&id, view)) {
        return end;
    }
    client.executions().handle(id).result_within(limit, true).await
}

async fn start_surely(client: &Client, start: &Request, limit: WaitLimit) -> Result<(Answer, Started)> {
    let begun = Instant::now();
    let mut back_off = BackOff::new();
    let mut refusals = Refusals::new(client.max_retries(), true);
    let mut unanswered = None;
    let mut asked_for = Duration::ZERO;
    loop {
        let remaining = limit.remaining();
        if remaining == Some(Duration::ZERO) {
            let (missing, so) = match unanswered {
                Some(_) => ("answered", "the Execution may have been started"),
                None => ("sent", "no Execution was started"),
            };
            let what = |after| format!("the start was not {missing} within {after:?}: {so}");
            return Err(limit.exceeded(what, unanswered));
        }

        let hold = remaining.map_or(HOLD, |remaining| remaining.min(HOLD));
        let mut request = start.clone();
        ask_to_hold(&mut request, Ask::holding(hold, remaining));

        let answered = client.exchange(request).await;
        let error = match answered.and_then(|answer| answer.read().map(|started| (answer, started))) {
            Ok(started) => return Ok(started),
            Err(error) => error,
        };
        if unanswered.is_none() && !error.leaves_open_whether_accepted() {
            limit.sleep(refusals.pause_after(error, limit.remaining())?).await;
            continue;
        }
        let is_repeated = unanswered.is_none() || error.is_passing();
        if !is_repeated || (remaining.is_none() && begun.elapsed().saturating_sub(asked_for) >= LONGEST_OUTAGE) {
            return Err(error);
        }
        let (own, pause) = back_off.after(&error);
        asked_for += pause.saturating_sub(own);
        unanswered = Some(error);
        limit.sleep(pause).await;
    }
}

/// 128 bits. The standard library gets its random keys from the system; the time and the process tell the copies of a
/// forked process apart.
pub(crate) fn random_key() -> String {
    let random = || RandomState::new().hash_one((SystemTime::now(), std::process::id()));
    format!("{:016x}{:016x}", random(), random())
}
