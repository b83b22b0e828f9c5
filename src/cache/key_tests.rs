use std::collections::BTreeSet;
use std::hash::Hasher;
use std::ops::Range;

use serde_json::{Value, json};

use super::key::encode;
use super::{CacheKey, Normalization};

fn key(name: &str) -> CacheKey {
    CacheKey::of_text(name)
}

/// Takes down what it is told to hash.
#[derive(Default)]
struct Record(Vec<u8>);

impl Hasher for Record {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
    }

    fn finish(&self) -> u64 {
        unreachable!("only a record")
    }
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut record = Record::default();
    encode(value, &mut record);
    record.0
}

#[test]
fn no_encoding_has_two_readings() {
    let values = [
        json!(null),
        json!(false),
        json!(true),
        json!(0),
        json!(1),
        json!(-1),
        json!(0.5),
        json!(1e300),
        json!(9_007_199_254_740_993_u64),
        json!(9_007_199_254_740_992_u64),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(""),
        json!("0"),
        json!("null"),
        json!([]),
        json!({}),
        json!([null]),
        json!([[]]),
        json!([[], []]),
        json!([[[]]]),
        json!(["a", "b"]),
        json!(["b", "a"]),
        json!(["ab"]),
        json!(["a|b", "c"]),
        json!(["a", "b|c"]),
        json!([["a"], "b"]),
        json!(["a", ["b"]]),
        json!({"a": "b"}),
        json!({"a": null}),
        json!({"a": null, "b": null}),
        json!({"ab": null}),
        json!({"a": {"b": 1}}),
        json!({"a": {}, "b": 1}),
        json!({"a": {"b": 1}, "c": 2}),
        json!({"a": {"b": 1, "c": 2}}),
    ];
    for (at, one) in values.iter().enumerate() {
        for other in &values[at + 1..] {
            assert!(!encoded(one).starts_with(&encoded(other)), "{one} and {other}");
            assert!(!encoded(other).starts_with(&encoded(one)), "{one} and {other}");
        }
    }
}

#[test]
fn numbers_count_by_value() {
    for (one, other) in [
        (json!(1), json!(1.0)),
        (json!(-5), json!(-5.0)),
        (json!(0), json!(-0.0)),
        (json!(9_007_199_254_740_992_u64), json!(9_007_199_254_740_992.0)),
        (json!(1u64 << 63), json!(2_f64.powi(63))),
    ] {
        assert_eq!(encoded(&one), encoded(&other), "{one} and {other}");
    }
    for (one, other) in [
        (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
        (json!(u64::MAX), json!(2_f64.powi(64))),
        (json!(2_f64.powi(126)), json!(2_f64.powi(127))),
        (json!(f64::MAX), json!(2_f64.powi(127))),
        (json!(f64::MIN_POSITIVE), json!(0)),
    ] {
        assert_ne!(encoded(&one), encoded(&other), "{one} and {other}");
    }
}

#[test]
fn a_deep_request_overflows_no_stack() {
    let mut deep = json!(null);
    for _ in 0..200_000 {
        deep = Value::Array(vec![deep]);
    }
    let key = CacheKey::of_request(&deep);
    assert_ne!(key, CacheKey::of_request(&json!([null])));
    // serde_json's own drop is recursive.
    std::mem::forget(deep);
}

#[test]
fn both_halves_of_a_key_depend_on_all_of_the_request_and_differ() {
    let keys: Vec<String> = (0..1_000).map(|number| format!("{:?}", CacheKey::of_request(&json!(number)))).collect();
    let part = |range: Range<usize>| {
        let parts: BTreeSet<&str> = keys.iter().map(|key| &key[range.clone()]).collect();
        parts.len()
    };
    let start = "CacheKey(".len();
    assert_eq!((part(start..start + 16), part(start + 16..start + 32)), (1_000, 1_000));
    assert!(keys.iter().all(|key| key[start..start + 16] != key[start + 16..start + 32]), "not the same hash twice");
}

#[test]
fn a_scope_keeps_equal_requests_apart() {
    let request = CacheKey::of_request(&json!("hi"));
    let (one, other) = (key("user 1"), key("user 2"));
    assert_eq!(request.within(one), request.within(one));
    let all =
        [request, request.within(one), request.within(other), one.within(request), request.within(one).within(one)];
    for (at, key) in all.iter().enumerate() {
        assert!(!all[at + 1..].contains(key), "{all:?}");
    }
}

#[test]
fn each_normalization_ignores_what_its_table_says() {
    use Normalization::{Exact, LettersAndDigits, Wording};
    for (prompt, exact, wording, letters) in [
        ("", "", "", ""),
        (" \n\t", "", "", ""),
        ("？！。", "？！。", "", ""),
        ("+-*", "+-*", "+-*", ""),
        ("你好！", "你好！", "你好", "你好"),
        ("你好，　世界", "你好，　世界", "你好 世界", "你好 世界"),
        ("  HELLO,\n World!  ", "HELLO,\n World!", "hello world", "hello world"),
        ("What's 1.5?", "What's 1.5?", "what's 1.5", "what s 1 5"),
        ("C++ (not C#)", "C++ (not C#)", "c++ not c#", "c not c"),
        ("5+3!", "5+3!", "5+3", "5 3"),
        ("你好😀", "你好😀", "你好😀", "你好"),
        ("e.g., \"node.js\"", "e.g., \"node.js\"", "e.g node.js", "e g node js"),
        ("İ", "İ", "i\u{307}", "i\u{307}"),
        ("कि", "कि", "कि", "कि"),
    ] {
        assert_eq!(Exact.apply(prompt), exact);
        assert_eq!(Wording.apply(prompt), wording, "{prompt}");
        assert_eq!(LettersAndDigits.apply(prompt), letters, "{prompt}");
    }
}
