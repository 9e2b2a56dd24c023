//! Writes and reads JSON. Reading accepts more than `serde_json`: deeper nesting, unpaired surrogates, which JSON allows
//! and Rust strings do not, and a byte order mark, which gateways may add.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::error::{Error, Result};

/// The service nests values up to 256 levels, plus a few of its own. Deeper values could overflow the stack.
const DEPTH_LIMIT: usize = 300;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The JSON text of a value; `None` for `()`, which means no value.
pub(crate) fn to_text<T: Serialize>(what: &str, value: &T) -> Result<Option<Box<RawValue>>> {
    let text = serde_json::value::to_raw_value(value).map_err(|error| unwritable(what, error))?;
    // serde writes both `()` and a real null as null; only a type without content has no size.
    let is_nothing = size_of::<T>() == 0 && text.get() == "null";
    Ok((!is_nothing).then_some(text))
}

pub(crate) fn to_bytes<T: Serialize>(what: &str, value: &T) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| unwritable(what, error))
}

fn unwritable(what: &str, error: serde_json::Error) -> Error {
    Error::InvalidArgument {
        message: format!("cannot serialise the {what} as JSON: {error}"),
        source: Some(Box::new(error)),
    }
}

/// All answers of the API are objects. Structs can be read from arrays, too.
pub(crate) fn is_object(bytes: &[u8]) -> bool {
    without_mark(bytes).trim_ascii_start().starts_with(b"{")
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let bytes = without_mark(bytes);
    check_depth(bytes)?;
    match parse(bytes) {
        Ok(value) => Ok(value),
        Err(error) if error.is_syntax() => match replace_unpaired_surrogates(bytes) {
            Some(repaired) => parse(&repaired),
            None => Err(error),
        },
        Err(error) => Err(error),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> serde_json::Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    reader.disable_recursion_limit();
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

fn check_depth(bytes: &[u8]) -> serde_json::Result<()> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > DEPTH_LIMIT {
            return Err(serde::de::Error::custom(format!("nested over {DEPTH_LIMIT} levels")));
        }
    }
    Ok(())
}

/// Replaces unpaired surrogates by U+FFFD; `None` if there are none.
fn replace_unpaired_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut repaired = bytes.to_vec();
    let mut found = false;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match escaped_unit(bytes, at) {
            Some(0xd800..=0xdbff) if matches!(escaped_unit(bytes, at + 6), Some(0xdc00..=0xdfff)) => at += 12,
            Some(0xd800..=0xdfff) => {
                repaired[at..at + 6].copy_from_slice(br"\ufffd");
                found = true;
                at += 6;
            }
            _ => at += 2,
        }
    }
    found.then_some(repaired)
}

/// The UTF-16 unit of the `\uXXXX` at this position.
fn escaped_unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(br"\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn nested(depth: usize) -> Vec<u8> {
        [vec![b'['; depth], vec![b']'; depth]].concat()
    }

    #[test]
    fn unit_is_no_value_and_null_is_one() {
        let text = |value: Option<Box<RawValue>>| value.map(|value| value.get().to_owned());
        assert_eq!(text(to_text("input", &()).unwrap()), None);
        assert_eq!(text(to_text("input", &Value::Null).unwrap()).as_deref(), Some("null"));
        assert_eq!(text(to_text("input", &None::<u8>).unwrap()).as_deref(), Some("null"));
        assert_eq!(text(to_text("input", &json!({})).unwrap()).as_deref(), Some("{}"));
        assert_eq!(text(to_text("input", &[0_u8; 0]).unwrap()).as_deref(), Some("[]"));
    }

    #[test]
    fn what_json_cannot_say_is_an_error_that_names_the_argument() {
        let map = std::collections::HashMap::from([((1, 2), 3)]);
        let error = to_text("payload", &map).unwrap_err();
        assert!(
            error.to_string().starts_with("cannot serialise the payload as JSON"),
            "{error}"
        );
    }

    #[test]
    fn values_nested_as_deep_as_the_service_allows_are_read_on_a_small_stack() {
        let thread = std::thread::Builder::new().stack_size(1024 * 1024);
        let reading = thread
            .spawn(|| from_bytes::<Value>(&nested(DEPTH_LIMIT)).is_ok())
            .unwrap();
        assert!(reading.join().unwrap());
    }

    #[test]
    fn deeper_values_are_refused_before_they_can_overflow_the_stack() {
        let error = from_bytes::<Value>(&nested(1_000_000)).unwrap_err();
        assert!(error.to_string().contains("nested over 300 levels"), "{error}");
        assert!(from_bytes::<Value>(format!("\"{}\\\"[\"", "[".repeat(1000)).as_bytes()).is_ok());
    }

    #[test]
    fn unpaired_surrogates_become_replacement_characters_and_pairs_stay() {
        let read = |text: &str| from_bytes::<Value>(text.as_bytes()).unwrap();
        assert_eq!(read(r#""a\ud800b""#), json!("a\u{fffd}b"));
        assert_eq!(
            read(r#""\udc00\ud83d\ude00\uD83D""#),
            json!("\u{fffd}\u{1f600}\u{fffd}")
        );
        assert_eq!(read(r#"["\\ud800","\ud800"]"#), json!(["\\ud800", "\u{fffd}"]));
        assert!(from_bytes::<Value>(br#"{"broken\ud800":"#).is_err());
    }

    #[test]
    fn numbers_come_back_as_the_very_ones_that_were_sent() {
        for number in [0.1, 0.1 + 0.2, 5e-324, f64::MAX, -1.5] {
            let text = serde_json::to_vec(&number).unwrap();
            assert_eq!(from_bytes::<f64>(&text).unwrap().to_bits(), number.to_bits());
        }
        assert_eq!(
            from_bytes::<Value>(b"9007199254740993").unwrap(),
            json!(9_007_199_254_740_993_u64)
        );
    }

    #[test]
    fn one_byte_order_mark_before_the_value_is_skipped() {
        assert_eq!(from_bytes::<Value>(b"\xef\xbb\xbf{}").unwrap(), json!({}));
        assert!(from_bytes::<Value>(b"\xef\xbb\xbf\xef\xbb\xbf{}").is_err());
        assert!(from_bytes::<Value>(b"{}\xef\xbb\xbf").is_err());
    }

    #[test]
    fn trailing_text_is_refused() {
        assert!(from_bytes::<Value>(b"{} {}").is_err());
    }
}
