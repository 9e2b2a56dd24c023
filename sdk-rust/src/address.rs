//! The address, token and project of a client's requests. Chosen once, when the client is built.

use reqwest::Url;
use reqwest::header::HeaderValue;

use crate::error::{Error, Result};
use crate::models::Secret;

/// The default with a token.
pub(crate) const HOSTED_BASE_URL: &str = "https://api.workflow-execution-service.example";

/// The default without a token: the local runtime.
pub(crate) const LOCAL_BASE_URL: &str = "http://127.0.0.1:3477";

#[derive(Clone, Debug, Default)]
pub(crate) struct AddressOptions {
    pub(crate) url: Option<String>,
    pub(crate) token: Option<Secret>,
    pub(crate) project_id: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// Without a trailing slash.
    pub(crate) base_url: String,
    /// Marked as sensitive, so its `Debug` hides it.
    pub(crate) authorization: Option<HeaderValue>,
    pub(crate) project_id: Option<HeaderValue>,
    /// Whether the address is on this machine, which needs no proxy.
    pub(crate) is_loopback: bool,
    pub(crate) is_https: bool,
}

/// Empty options count as unset, and so do variables that are empty or blank. White space around a variable is dropped:
/// files and secret stores often add a line end.
pub(crate) fn choose_address(
    options: AddressOptions,
    read_environment: impl Fn(&str) -> Option<String>,
) -> Result<Address> {
    let variable = |name| {
        let value = read_environment(name)?.trim().to_owned();
        Some(value).filter(|value| !value.is_empty())
    };
    let given_token = options
        .token
        .map(|Secret(token)| token)
        .filter(|token| !token.is_empty());
    let token_name = given_token.as_ref().map_or("SERVICE_TOKEN", |_| "the token");
    let token = given_token.or_else(|| variable("SERVICE_TOKEN"));
    let (url_variable, default_url) = match token {
        Some(_) => ("SERVICE_API_BASE_URL", HOSTED_BASE_URL),
        None => ("SERVICE_RUNTIME_URL", LOCAL_BASE_URL),
    };
    let given_url = options.url.filter(|url| !url.is_empty());
    let (url_name, url) = match (given_url, variable(url_variable)) {
        (Some(url), _) => ("the address", url),
        (None, Some(url)) => (url_variable, url),
        (None, None) => ("the address", default_url.to_owned()),
    };
    let parsed = check_url(url_name, &url)?;
    Ok(Address {
        authorization: token.map(|token| bearer(token_name, &token)).transpose()?,
        project_id: options
            .project_id
            .filter(|id| !id.is_empty())
            .map(|id| header_value("the project id", &id))
            .transpose()?,
        is_loopback: is_loopback(&parsed),
        is_https: parsed.scheme() == "https",
        base_url: url.trim_end_matches('/').to_owned(),
    })
}

/// `what`: where the address comes from, in messages. They never quote parts of it that may contain a secret.
fn check_url(what: &str, url: &str) -> Result<Url> {
    let authority = authority_of(url);
    if authority.contains('@') {
        return Err(Error::invalid(format!(
            "{what} contains a user name or a password: pass a token instead"
        )));
    }
    if url.contains(['?', '#']) {
        return Err(Error::invalid(format!("{what} must have no query or fragment")));
    }
    let parsed = Url::parse(url).ok().filter(|parsed| {
        matches!(parsed.scheme(), "http" | "https")
            && url.contains("://")
            && !authority.is_empty()
            && !url.contains(char::is_whitespace)
    });
    parsed.ok_or_else(|| {
        Error::invalid(format!(
            "{what} must be absolute, such as {LOCAL_BASE_URL}, not {url:?}"
        ))
    })
}

/// The part that names the server: the text itself where it names no scheme.
fn authority_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// For logs: an address that no client would accept may contain a secret.
pub(crate) fn shown(url: &str) -> &str {
    check_url("the address", url).map_or("…", |_| url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || address
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

fn bearer(what: &str, token: &str) -> Result<HeaderValue> {
    header_value(what, token)?;
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|_| unfit_for_header(what))?;
    value.set_sensitive(true);
    Ok(value)
}

pub(crate) fn header_value(what: &str, text: &str) -> Result<HeaderValue> {
    let is_fit = text.bytes().all(|byte| byte.is_ascii_graphic());
    let value = HeaderValue::from_str(text).ok().filter(|_| is_fit);
    value.ok_or_else(|| unfit_for_header(what))
}

fn unfit_for_header(what: &str) -> Error {
    Error::invalid(format!("{what} contains characters that are not valid in a header"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(url: &str, token: &str) -> AddressOptions {
        AddressOptions {
            url: Some(url.to_owned()),
            token: Some(Secret(token.to_owned())),
            project_id: None,
        }
    }

    fn choose(options: AddressOptions, environment: &[(&str, &str)]) -> Result<Address> {
        choose_address(options, |name| {
            let found = environment.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn base_url(options: AddressOptions, environment: &[(&str, &str)]) -> String {
        choose(options, environment).unwrap().base_url
    }

    #[test]
    fn without_a_token_the_local_runtime_is_used() {
        assert_eq!(base_url(AddressOptions::default(), &[]), "http://127.0.0.1:3477");
        let environment = [
            ("SERVICE_RUNTIME_URL", "http://127.0.0.1:9"),
            ("SERVICE_API_BASE_URL", "https://no"),
        ];
        assert_eq!(base_url(AddressOptions::default(), &environment), "http://127.0.0.1:9");
    }

    #[test]
    fn with_a_token_the_hosted_service_is_used_wherever_the_token_comes_from() {
        let environment = [("SERVICE_TOKEN", "t"), ("SERVICE_RUNTIME_URL", "http://no")];
        assert_eq!(base_url(AddressOptions::default(), &environment), HOSTED_BASE_URL);
        assert_eq!(base_url(options("", "t"), &[]), HOSTED_BASE_URL);
        assert_eq!(
            base_url(options("", "t"), &[("SERVICE_API_BASE_URL", "https://eu.example")]),
            "https://eu.example"
        );
    }

    #[test]
    fn options_win_over_the_environment() {
        let environment = [
            ("SERVICE_TOKEN", "other"),
            ("SERVICE_API_BASE_URL", "https://no"),
            ("SERVICE_RUNTIME_URL", "http://no"),
        ];
        let address = choose(options("https://yes.example", "mine"), &environment).unwrap();
        assert_eq!(address.base_url, "https://yes.example");
        assert_eq!(address.authorization.unwrap(), "Bearer mine");
    }

    #[test]
    fn empty_options_and_variables_count_as_not_given() {
        let environment = [
            ("SERVICE_TOKEN", ""),
            ("SERVICE_API_BASE_URL", ""),
            ("SERVICE_RUNTIME_URL", ""),
        ];
        let empty = AddressOptions {
            project_id: Some(String::new()),
            ..options("", "")
        };
        let address = choose(empty, &environment).unwrap();
        assert_eq!(address.base_url, LOCAL_BASE_URL);
        assert_eq!(address.authorization, None);
        assert_eq!(address.project_id, None);
        let with_token = [("SERVICE_TOKEN", "t"), ("SERVICE_API_BASE_URL", "")];
        assert_eq!(base_url(AddressOptions::default(), &with_token), HOSTED_BASE_URL);
    }

    #[test]
    fn blank_variables_count_as_unset_and_white_space_around_others_is_dropped() {
        let blank = [("SERVICE_TOKEN", " "), ("SERVICE_RUNTIME_URL", "\t\n")];
        let address = choose(AddressOptions::default(), &blank).unwrap();
        assert_eq!(address.base_url, LOCAL_BASE_URL);
        assert_eq!(address.authorization, None);
        let padded = [
            ("SERVICE_TOKEN", " t\r\n"),
            ("SERVICE_API_BASE_URL", " https://eu.example/\n"),
        ];
        let address = choose(AddressOptions::default(), &padded).unwrap();
        assert_eq!(address.base_url, "https://eu.example");
        assert_eq!(address.authorization.unwrap(), "Bearer t");
    }

    #[test]
    fn trailing_slashes_are_dropped_and_paths_kept() {
        assert_eq!(base_url(options("http://host:1/a/b//", ""), &[]), "http://host:1/a/b");
        let environment = [("SERVICE_RUNTIME_URL", "http://localhost:1/")];
        assert_eq!(base_url(AddressOptions::default(), &environment), "http://localhost:1");
    }

    #[test]
    fn an_address_must_be_absolute_http_without_query_or_fragment() {
        for url in [
            "localhost:3477",
            "/v1",
            "http://",
            "http:///v1",
            "http:host",
            "file:///etc/passwd",
            "http://h/ x",
            "http://h/\n",
        ] {
            let error = choose(options(url, ""), &[]).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{url} gave {error}");
        }
        for url in ["http://h/?key=secret", "http://h/#secret"] {
            let text = choose(options(url, ""), &[]).unwrap_err().to_string();
            assert!(text.contains("no query or fragment") && !text.contains("secret"));
        }
    }

    #[test]
    fn secrets_are_neither_quoted_in_errors_nor_shown_in_debug_output() {
        for url in [
            "http://user:secret@host",
            "user:secret@host",
            "ftp://secret@host",
            "http://secret@",
        ] {
            let error = choose(options(url, ""), &[]).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
        }
        let error = choose(options("", "secret\n"), &[]).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
        let address = choose(options("", "secret"), &[]).unwrap();
        assert!(!format!("{address:?}").contains("secret"), "{address:?}");
        assert!(!format!("{:?}", options("", "secret")).contains("secret"));
        assert_eq!(shown("http://user:secret@host"), "…");
        assert_eq!(shown("https://host?key=secret"), "…");
        assert_eq!(shown("https://host/a"), "https://host/a");
    }

    #[test]
    fn a_project_id_that_no_header_can_carry_unchanged_is_refused() {
        for id in ["a b", "é", "😀", "a\nb", " "] {
            let options = AddressOptions {
                project_id: Some(id.to_owned()),
                ..options("", "")
            };
            let error = choose(options, &[]).unwrap_err();
            assert!(matches!(error, Error::InvalidArgument { .. }), "{id:?} gave {error}");
            assert!(header_value("the project id", id).is_err());
        }
    }

    #[test]
    fn a_refused_variable_is_named() {
        let refusal = |environment: &[_]| {
            let error = choose(AddressOptions::default(), environment).unwrap_err();
            error.to_string().split(' ').next().unwrap().to_owned()
        };
        assert_eq!(
            refusal(&[("SERVICE_RUNTIME_URL", "localhost:3477")]),
            "SERVICE_RUNTIME_URL"
        );
        let hosted = [("SERVICE_TOKEN", "t"), ("SERVICE_API_BASE_URL", "https://a.example/?b")];
        assert_eq!(refusal(&hosted), "SERVICE_API_BASE_URL");
        assert_eq!(refusal(&[("SERVICE_TOKEN", "a b")]), "SERVICE_TOKEN");
    }

    #[test]
    fn loopback_addresses_are_recognised() {
        for (url, expected) in [
            ("http://localhost:1", true),
            ("http://127.0.0.1", true),
            ("http://127.9.9.9", true),
            ("http://[::1]:1", true),
            ("http://localhost.example", false),
            ("https://10.0.0.1", false),
        ] {
            assert_eq!(choose(options(url, ""), &[]).unwrap().is_loopback, expected, "{url}");
        }
    }
}
