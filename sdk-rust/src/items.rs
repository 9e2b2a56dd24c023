use std::collections::HashSet;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;

use crate::error::{Error, Result};
use crate::models::{List, Page};

type Fetching<T> = Pin<Box<dyn Future<Output = Result<List<T>>> + Send>>;

/// The items of all pages of a list. Fetches a page when its first item is needed.
///
/// It is a [`Stream`], and also has its own [`next`](Items::next). It ends after the first error.
///
/// ```no_run
/// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
/// let mut executions = client.executions().stream(None);
/// while let Some(execution) = executions.next().await.transpose()? {
///     println!("{} {}", execution.id, execution.status);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "streams do nothing unless polled"]
pub struct Items<T> {
    fetch: Box<dyn Fn(Page) -> Fetching<T> + Send>,
    limit: Option<u64>,
    on_page: std::vec::IntoIter<T>,
    /// Of all pages so far.
    cursors: HashSet<String>,
    next: Next<T>,
}

enum Next<T> {
    Page(Option<String>),
    Fetching(Fetching<T>),
    Nothing,
}

impl<T> Items<T> {
    pub(crate) fn new<Fetch, Fetched>(page: Option<Page>, fetch: Fetch) -> Self
    where
        Fetch: Fn(Page) -> Fetched + Send + 'static,
        Fetched: Future<Output = Result<List<T>>> + Send + 'static,
    {
        let page = page.unwrap_or_default();
        Self {
            fetch: Box::new(move |page| Box::pin(fetch(page))),
            limit: page.limit,
            on_page: Vec::new().into_iter(),
            cursors: page.cursor.clone().into_iter().collect(),
            next: Next::Page(page.cursor),
        }
    }

    /// The next item; `None` after the last one. Cancel safe.
    ///
    /// ```no_run
    /// # async fn run(client: workflow_execution_service::Client) -> workflow_execution_service::Result<()> {
    /// let newest = client.executions().stream(None).next().await.transpose()?;
    /// println!("{newest:?}");
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&mut self) -> Option<Result<T>> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T>>> {
        loop {
            if let Some(item) = self.on_page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match &mut self.next {
                Next::Nothing => return Poll::Ready(None),
                Next::Page(cursor) => {
                    let page = Page {
                        limit: self.limit,
                        cursor: cursor.take(),
                    };
                    self.next = Next::Fetching((self.fetch)(page));
                }
                Next::Fetching(fetching) => {
                    let fetched = ready!(fetching.as_mut().poll(context));
                    self.next = Next::Nothing;
                    match fetched.and_then(|list| check_progress(&mut self.cursors, list)) {
                        Ok(list) => {
                            self.on_page = list.items.into_iter();
                            if list.next_cursor.is_some() {
                                self.next = Next::Page(list.next_cursor);
                            }
                        }
                        Err(error) => return Poll::Ready(Some(Err(error))),
                    }
                }
            }
        }
    }
}

/// Ends the list if the service returns a cursor for the second time, after which it would never end.
fn check_progress<T>(cursors: &mut HashSet<String>, list: List<T>) -> Result<List<T>> {
    let is_new = list.next_cursor.clone().is_none_or(|cursor| cursors.insert(cursor));
    if !is_new {
        return Err(Error::Decode {
            status: 200,
            message: "the list's next page is one that came before".to_owned(),
            source: None,
            id: None,
        });
    }
    Ok(list)
}

impl<T> Stream for Items<T>
where
    Self: Unpin,
{
    type Item = Result<T>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll(context)
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Items")
            .field("limit", &self.limit)
            .field("left_on_page", &self.on_page.len())
            .field("finished", &matches!(self.next, Next::Nothing))
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[expect(clippy::unnecessary_wraps, reason = "the scripted answers are results")]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    fn pages(answers: Vec<Result<List<u8>>>) -> (Items<u8>, Arc<Mutex<Vec<Page>>>) {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (answers, pages) = (Arc::new(Mutex::new(answers.into_iter())), Arc::clone(&asked));
        let start = Page {
            limit: Some(2),
            cursor: None,
        };
        let items = Items::new(Some(start), move |page| {
            pages.lock().unwrap().push(page);
            let answer = answers
                .lock()
                .unwrap()
                .next()
                .expect("the client requests no more pages");
            async move { answer }
        });
        (items, asked)
    }

    fn page(items: &[u8], next_cursor: Option<&str>) -> Result<List<u8>> {
        Ok(List {
            items: items.to_vec(),
            next_cursor: next_cursor.map(str::to_owned),
        })
    }

    async fn drain(mut items: Items<u8>) -> Vec<Result<u8, String>> {
        let mut drained = Vec::new();
        while let Some(item) = items.next().await {
            drained.push(item.map_err(|error| error.to_string()));
        }
        assert!(items.next().await.is_none(), "it stays at its end");
        drained
    }

    #[tokio::test]
    async fn all_pages_are_walked_even_when_one_is_empty() {
        let (items, asked) = pages(vec![page(&[1, 2], Some("b")), page(&[], Some("c")), page(&[3], None)]);
        assert_eq!(drain(items).await, [Ok(1), Ok(2), Ok(3)]);
        let cursors: Vec<_> = asked
            .lock()
            .unwrap()
            .iter()
            .map(|page| (page.limit, page.cursor.clone()))
            .collect();
        assert_eq!(
            cursors,
            [
                (Some(2), None),
                (Some(2), Some("b".to_owned())),
                (Some(2), Some("c".to_owned()))
            ]
        );
    }

    #[tokio::test]
    async fn nothing_is_fetched_before_it_is_asked_for() {
        let (mut items, asked) = pages(vec![page(&[1, 2], Some("b"))]);
        assert_eq!(asked.lock().unwrap().len(), 0);
        items.next().await;
        items.next().await;
        assert_eq!(asked.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn an_error_is_the_last_item() {
        let (items, _) = pages(vec![page(&[1], Some("b")), Err(Error::invalid("broken"))]);
        assert_eq!(drain(items).await, [Ok(1), Err("broken".to_owned())]);
    }

    #[tokio::test]
    async fn a_list_that_does_not_move_on_is_an_error() {
        let (items, _) = pages(vec![page(&[1], Some("b")), page(&[1], Some("b"))]);
        let drained = drain(items).await;
        assert_eq!(drained.len(), 2);
        assert!(drained[1].as_ref().unwrap_err().contains("came before"));
    }

    #[tokio::test]
    async fn a_list_whose_cursors_go_round_in_a_circle_is_an_error() {
        let (items, asked) = pages(vec![
            page(&[1], Some("a")),
            page(&[2], Some("b")),
            page(&[3], Some("a")),
        ]);
        let drained = drain(items).await;
        assert_eq!(drained[..2], [Ok(1), Ok(2)]);
        assert!(drained[2].as_ref().unwrap_err().contains("came before"));
        assert_eq!(asked.lock().unwrap().len(), 3);
    }
}
