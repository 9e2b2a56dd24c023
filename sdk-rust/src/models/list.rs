use serde::{Deserialize, Serialize};

/// One page of a list.
///
/// ```
/// use workflow_execution_service::{List, Page};
///
/// let list: List<u8> = serde_json::from_str(r#"{ "items": [1, 2], "nextCursor": "abc" }"#)?;
/// let next = Page { cursor: list.next_cursor.clone(), ..Page::default() };
/// assert_eq!(next.cursor.as_deref(), Some("abc"));
/// assert_eq!(list.into_iter().sum::<u8>(), 3);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct List<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// The `cursor` of the next page; `None` on the last one.
    pub next_cursor: Option<String>,
}

impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

/// A page of a list. By default 50 items from the beginning.
///
/// ```
/// use workflow_execution_service::Page;
///
/// let page = Page { limit: Some(20), cursor: None };
/// assert_eq!(page, Page { limit: Some(20), ..Page::default() });
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Page {
    /// The maximum number of items, 1–200.
    pub limit: Option<u64>,
    /// [`List::next_cursor`] of the previous page.
    pub cursor: Option<String>,
}
