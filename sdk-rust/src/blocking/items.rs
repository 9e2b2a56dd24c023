use std::fmt;
use std::sync::Arc;

use super::background::Background;
use crate::error::Result;

/// The items of all pages of a list. Fetches a page when its first item is needed. Ends after the first error.
///
/// ```no_run
/// # fn run(client: workflow_execution_service::blocking::Client) -> workflow_execution_service::Result<()> {
/// let ids = client.executions().iter(None).map(|execution| Ok(execution?.id));
/// let ids = ids.collect::<workflow_execution_service::Result<Vec<String>>>()?;
/// # Ok(())
/// # }
/// ```
#[must_use = "iterators do nothing unless consumed"]
pub struct Items<T> {
    pub(super) items: crate::Items<T>,
    pub(super) background: Arc<Background>,
}

impl<T> Iterator for Items<T> {
    type Item = Result<T>;

    #[track_caller]
    fn next(&mut self) -> Option<Self::Item> {
        self.background.wait(self.items.next())
    }
}

impl<T> std::iter::FusedIterator for Items<T> {}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(formatter)
    }
}
