use crate::error::{Error, Result};
use crate::models::{ExecutionStatus, Page};
use crate::request_path::{page_pairs, with_query};

/// Selects the Executions that match everything that is set.
///
/// Times are ISO 8601, and exclusive.
///
/// ```no_run
/// use workflow_execution_service::{ExecutionFilter, ExecutionStatus};
///
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let failed = ExecutionFilter::new().program("order-approval").status(ExecutionStatus::Failed);
/// for execution in client.executions().list_matching(&failed, None).await? {
///     println!("{}", execution.id);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[must_use]
pub struct ExecutionFilter {
    /// Names and values of the query.
    pairs: Vec<(&'static str, String)>,
}

/// Defines the methods that add a member, each with its example.
macro_rules! members {
    ($($(#[$about:meta])* $method:ident($value:ident: $type:ty, $example:literal) => $how:ident $name:literal;)+) => {
        impl ExecutionFilter {
            $(
                $(#[$about])*
                ///
                /// ```
                /// # use workflow_execution_service::{ExecutionFilter, ExecutionStatus};
                #[doc = concat!("let filter = ExecutionFilter::new().", stringify!($method), "(", $example, ");")]
                /// ```
                pub fn $method(self, $value: $type) -> Self {
                    self.$how($name, $value.to_string())
                }
            )+
        }
    };
}

members! {
    /// Executions with this status. May be repeated, for any of several.
    status(status: ExecutionStatus, "ExecutionStatus::Failed") => with "status";
    /// Executions without this status. May be repeated, for none of several.
    not_status(status: ExecutionStatus, "ExecutionStatus::Completed") => with "notStatus";
    /// Executions of this Program.
    program(id: &str, "\"order-approval\"") => only "programId";
    /// Executions of other Programs. May be repeated, for none of several.
    not_program(id: &str, "\"order-approval\"") => with "notProgramId";
    /// Executions of the version with this number.
    version(number: u64, "3") => only "version";
    /// Executions that were created after this time.
    created_after(time: &str, "\"2026-01-31T12:00:00.000Z\"") => only "createdAfter";
    /// Executions that were created before this time.
    created_before(time: &str, "\"2026-01-31T12:00:00.000Z\"") => only "createdBefore";
    /// Executions that ended after this time.
    finished_after(time: &str, "\"2026-01-31T12:00:00.000Z\"") => only "finishedAfter";
    /// Executions that ended before this time.
    finished_before(time: &str, "\"2026-01-31T12:00:00.000Z\"") => only "finishedBefore";
    /// Executions whose id begins with this text, or whose error's message contains it.
    text(text: &str, "\"declined\"") => only "q";
    /// Executions whose error's message does not contain this text.
    not_text(text: &str, "\"declined\"") => only "notQ";
    /// Executions whose label contains this text; `A` to `Z` match `a` to `z`. A service without `label-filter` among the
    /// features of `/healthz` ignores it: a list of other Executions is [`Error::Decode`](crate::Error::Decode).
    label(text: &str, "\"order 8841\"") => only "label";
    /// Executions that wait for this: `event`, `timer` or `effect`.
    waiting_kind(kind: &str, "\"event\"") => only "waitingKind";
    /// Executions that wait for the event or effect of this name.
    waiting_name(name: &str, "\"approved\"") => only "waitingName";
    /// Executions that failed with the error of this fingerprint.
    error_fingerprint(fingerprint: &str, "\"ecb099441e368f8ab71c33a9ba77f384\"") => only "errorFingerprint";
    /// Executions that this Trigger started, on a hosted service.
    trigger(id: &str, "\"trg_01jcx3b8e0e0t9qv2m5k7w4z6n\"") => only "triggerId";
    /// Executions that run this one again. May be repeated (at most 100 times), for any of several. A service without
    /// `label-filter` ignores it, too.
    again_of(id: &str, "\"exe_01jcx3b8e0e0t9qv2m5k7w4z6n\"") => with "againOf";
}

impl ExecutionFilter {
    /// Every Execution.
    ///
    /// ```
    /// # use workflow_execution_service::ExecutionFilter;
    /// assert_eq!(ExecutionFilter::new(), ExecutionFilter::default());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Only Executions that failed, wait while an effect backs off, or have waited for the same event for over an hour.
    ///
    /// ```
    /// # use workflow_execution_service::ExecutionFilter;
    /// let filter = ExecutionFilter::new().needs_attention();
    /// ```
    pub fn needs_attention(self) -> Self {
        self.only("needsAttention", "true".to_owned())
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.pairs.push((name, value));
        self
    }

    fn only(mut self, name: &'static str, value: String) -> Self {
        self.pairs.retain(|(known, _)| *known != name);
        self.with(name, value)
    }

    /// Fails where an Execution does not match `label` and `againOf`, which older services ignore: whoever asked for them may
    /// be about to delete what is listed.
    pub(crate) fn refuse_others<'a>(
        &self,
        mut listed: impl Iterator<Item = (Option<&'a str>, Option<&'a str>)>,
    ) -> Result<()> {
        let asked = |wanted| {
            self.pairs
                .iter()
                .filter(move |(name, _)| *name == wanted)
                .map(|(_, value)| value)
        };
        let label = asked("label")
            .next()
            .map(|text| text.to_ascii_lowercase())
            .unwrap_or_default();
        let ids: Vec<_> = asked("againOf").collect();
        let is_other = |(of_one, again_of): (Option<&str>, Option<&str>)| {
            !of_one.unwrap_or_default().to_ascii_lowercase().contains(&label)
                || !(ids.is_empty() || ids.iter().any(|id| Some(id.as_str()) == again_of))
        };
        if !listed.any(is_other) {
            return Ok(());
        }
        Err(Error::Decode {
            status: 200,
            message: "This service cannot find Executions by their label or by what they run again: it is older than this client."
                .to_owned(),
            source: None,
            id: None,
        })
    }

    pub(crate) fn path(&self, page: Option<&Page>) -> String {
        with_query("/v1/executions", page_pairs(page).into_iter().chain(self.pairs.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_set_is_asked_for_and_encoded() {
        assert_eq!(ExecutionFilter::new().path(None), "/v1/executions");
        let filter = ExecutionFilter::new()
            .status(ExecutionStatus::Failed)
            .status(ExecutionStatus::Cancelled)
            .text("a&b=c d");
        let page = Page {
            limit: Some(2),
            cursor: None,
        };
        assert_eq!(
            filter.path(Some(&page)),
            "/v1/executions?limit=2&status=failed&status=cancelled&q=a%26b%3Dc%20d"
        );
    }

    #[test]
    fn a_list_of_executions_that_do_not_match_is_refused() {
        let other = (None, None);
        let check = |filter: &ExecutionFilter, listed: &[_]| filter.refuse_others(listed.iter().copied());
        let labelled = ExecutionFilter::new().label("order 7");
        let again = ExecutionFilter::new().again_of("exe_1").again_of("exe_2");
        let found = (Some("Order 7, Anna"), Some("exe_2"));
        for filter in [&labelled, &again] {
            assert!(check(filter, &[found, found]).is_ok());
            for one in [other, (Some("order 8"), Some("exe_3"))] {
                let refused = check(filter, &[found, one]).unwrap_err();
                assert_eq!(refused.code(), "invalid_response");
            }
        }
        assert!(check(&ExecutionFilter::new(), &[other]).is_ok());
        assert!(check(&ExecutionFilter::new().label(""), &[other]).is_ok());
    }

    #[test]
    fn what_can_have_one_value_has_the_last_one() {
        let filter = ExecutionFilter::new()
            .trigger("trg_1")
            .needs_attention()
            .trigger("trg_2");
        assert_eq!(filter.path(None), "/v1/executions?needsAttention=true&triggerId=trg_2");
    }
}
