//! Which requests are sent again that the service refused for the moment, and when. Waits have pauses of their own.

use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use crate::error::{Error, Result};

pub(crate) const MAX_RETRIES: u32 = 4;
/// On average; doubled for each further repeat.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(8);
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Of one request.
#[derive(Debug)]
pub(crate) struct Refusals {
    max_retries: u32,
    is_safe: bool,
    count: u32,
}

impl Refusals {
    /// `is_safe`: the request may be sent again although the first one may have done what it asks for.
    pub(crate) fn new(max_retries: u32, is_safe: bool) -> Self {
        Self {
            max_retries,
            is_safe,
            count: 0,
        }
    }

    /// The pause before the next request. Returns the error if there is to be none within the time that remains.
    pub(crate) fn pause_after(&mut self, error: Error, remaining: Option<Duration>) -> Result<Duration> {
        if self.count >= self.max_retries || !self.is_for_the_moment(&error) {
            return Err(error);
        }
        let asked_for = error.retry_after().unwrap_or_default();
        let own_pause = FIRST_PAUSE
            .saturating_mul(2_u32.saturating_pow(self.count))
            .min(LONGEST_PAUSE);
        // Spread out, so that callers who were refused together do not all come back at once.
        let spread = u32::try_from(RandomState::new().hash_one(()) % 1001).unwrap_or_default();
        let pause = asked_for + own_pause * (500 + spread) / 1000;
        if asked_for > LONGEST_RETRY_AFTER || remaining.is_some_and(|remaining| pause >= remaining) {
            return Err(error);
        }
        self.count += 1;
        Ok(pause)
    }

    /// A request that is refused with 429 has done nothing. Behind other statuses, it may have done what it asks for.
    fn is_for_the_moment(&self, error: &Error) -> bool {
        matches!(error, Error::Api { status, .. } if self.is_safe || *status == 429) && error.is_passing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, code: &str, retry_after: Option<u64>) -> Error {
        Error::Api {
            status,
            code: code.to_owned(),
            message: "message".to_owned(),
            retry_after: retry_after.map(Duration::from_secs),
            id: None,
        }
    }

    fn limited() -> Error {
        refusal(429, "rate_limited", Some(2))
    }

    #[test]
    fn pauses_are_as_long_as_the_service_says_and_then_ever_longer() {
        let mut refusals = Refusals::new(4, false);
        for most in [750, 1_500, 3_000, 6_000] {
            let pause = refusals.pause_after(limited(), None).unwrap().as_millis() - 2_000;
            assert!((most / 3..=most).contains(&pause), "{pause} of {most}");
        }
        assert_eq!(refusals.pause_after(limited(), None).unwrap_err().status(), Some(429));
    }

    #[test]
    fn only_what_may_pass_and_is_safe_is_sent_again() {
        let is_repeated = |is_safe, error| Refusals::new(1, is_safe).pause_after(error, None).is_ok();
        for is_safe in [true, false] {
            assert!(is_repeated(is_safe, limited()));
            assert_eq!(is_repeated(is_safe, refusal(503, "unavailable", Some(1))), is_safe);
            assert_eq!(is_repeated(is_safe, refusal(502, "unavailable", None)), is_safe);
            assert!(!is_repeated(is_safe, refusal(429, "quota_exceeded", Some(1))));
            assert!(!is_repeated(is_safe, refusal(429, "rate_limited", Some(61))));
            assert!(!is_repeated(is_safe, refusal(500, "internal", None)));
        }
    }

    #[test]
    fn nothing_is_sent_again_that_would_come_after_the_time_limit() {
        let within = |seconds| {
            let remaining = Some(Duration::from_secs(seconds));
            Refusals::new(1, true).pause_after(limited(), remaining).is_ok()
        };
        assert!(within(3) && !within(2));
        assert!(Refusals::new(0, true).pause_after(limited(), None).is_err());
    }
}
