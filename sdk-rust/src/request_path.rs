//! Builds paths and queries. Percent-encodes every part that comes from a caller.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::error::{Error, Result};
use crate::models::Page;

/// The same characters as JavaScript's `encodeURIComponent`, so that both clients send the same bytes.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// `/v1/{collection}/{id}{rest}`.
pub(crate) fn path_of(collection: &str, id: &str, rest: &str) -> Result<String> {
    with_segment(&format!("/v1/{collection}"), id, rest)
}

/// `{path}/{id}{rest}`.
pub(crate) fn with_segment(path: &str, id: &str, rest: &str) -> Result<String> {
    // URL parsers remove dot segments, even encoded ones, so the request would go to another route.
    if matches!(id, "" | "." | "..") {
        return Err(Error::invalid(format!("invalid id: {id:?}")));
    }
    Ok(format!("{path}/{}{rest}", utf8_percent_encode(id, ENCODED)))
}

/// The path with the query of a page.
pub(crate) fn with_page(path: &str, page: Option<&Page>) -> String {
    with_query(path, page_pairs(page))
}

/// Only what is given.
pub(crate) fn page_pairs(page: Option<&Page>) -> Vec<(&'static str, String)> {
    let limit = page
        .and_then(|page| page.limit)
        .map(|limit| ("limit", limit.to_string()));
    let cursor = page
        .and_then(|page| page.cursor.clone())
        .map(|cursor| ("cursor", cursor));
    limit.into_iter().chain(cursor).collect()
}

/// The path with a query of these names and values.
pub(crate) fn with_query(path: &str, pairs: impl IntoIterator<Item = (&'static str, String)>) -> String {
    let query: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={}", utf8_percent_encode(&value, ENCODED)))
        .collect();
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", query.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_percent_encoded() {
        assert_eq!(
            path_of("programs", "a-b_c.d", "/versions").unwrap(),
            "/v1/programs/a-b_c.d/versions"
        );
        assert_eq!(
            path_of("programs", "../x?y#z %é", "").unwrap(),
            "/v1/programs/..%2Fx%3Fy%23z%20%25%C3%A9"
        );
    }

    #[test]
    fn ids_that_would_lead_to_another_route_are_refused() {
        for id in ["", ".", ".."] {
            assert_eq!(path_of("executions", id, "").unwrap_err().code(), "invalid_argument");
        }
    }

    #[test]
    fn only_what_is_given_of_a_page_is_sent() {
        let query = |limit, cursor: Option<&str>| {
            let page = Page {
                limit,
                cursor: cursor.map(str::to_owned),
            };
            with_page("/p", Some(&page))
        };
        assert_eq!(with_page("/p", None), "/p");
        assert_eq!(query(None, None), "/p");
        assert_eq!(query(Some(2), None), "/p?limit=2");
        assert_eq!(query(None, Some("a+/=&b")), "/p?cursor=a%2B%2F%3D%26b");
        assert_eq!(query(Some(0), Some("")), "/p?limit=0&cursor=");
    }
}
