//! Any names of breakers and bulkheads: what is written for Prometheus can be read, and the names come back.
//!
//! The names of an input are parted by the byte 0xFF, which no text holds.

use std::collections::BTreeSet;

use openmetrics_parser::prometheus::parse_prometheus;
use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport};
use resilience::bulkhead::{Bulkhead, BulkheadConfig};
use resilience::metrics::{Metrics, render};
use resilience::registry::Registry;

const MOST_NAMES: usize = 3;

pub fn run(data: &[u8]) {
    let (breakers, bulkheads) = (Registry::<CircuitBreaker>::new(), Registry::<Bulkhead>::new());
    let mut names = BTreeSet::new();
    for name in data.split(|&byte| byte == 0xFF).take(MOST_NAMES).map(String::from_utf8_lossy) {
        let is_allowed = (1..=100).contains(&name.chars().count());
        let breaker = breakers.get_or_create(&name, BreakerConfig { failure_threshold: 1, ..Default::default() });
        assert_eq!(breaker.is_ok(), is_allowed, "{name:?}");
        let bulkhead = bulkheads.get_or_create(&name, BulkheadConfig::default());
        assert_eq!(bulkhead.is_ok(), is_allowed, "{name:?}");
        if let Ok((breaker, _)) = breaker {
            let _ = breaker.try_acquire().map(|permit| permit.failure(FailureReport::default()));
            names.insert(name.into_owned());
        }
    }
    let text = render(&Metrics::of(&breakers.snapshot(), &bulkheads.snapshot()));
    // 13 samples of each breaker, 7 of each bulkhead.
    let read: Vec<String> = text.split('\n').filter_map(name_of_sample).collect();
    assert_eq!(read.len(), names.len() * (13 + 7), "{text}");
    assert_eq!(BTreeSet::from_iter(read), names, "{text}");
    // The parser takes its time: one input in eight, of which it reads the family that the length chooses.
    let families = text.split_inclusive('\n').fold(Vec::<String>::new(), |mut families, line| {
        match families.last_mut() {
            Some(family) if !line.starts_with("# HELP ") => family.push_str(line),
            _ => families.push(line.to_owned()),
        }
        families
    });
    // It takes a carriage return for the end of a line, which the format does not.
    let Some(text) = families.get(data.len() % 64).filter(|text| !text.contains('\r')) else {
        return;
    };
    let exposition = parse_prometheus(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let samples = exposition.families.values().flat_map(|family| family.iter_samples());
    let read = samples.map(|sample| {
        let labels = sample.get_labelset().expect("every sample has labels");
        labels.get_label_value("name").expect("of a name").to_owned()
    });
    assert_eq!(read.collect::<BTreeSet<_>>(), names, "{text}");
}

/// The name of a sample's line, read as the format says: `\\`, `\"` and `\n` are escapes.
fn name_of_sample(line: &str) -> Option<String> {
    let (family, rest) = line.split_once("{name=\"")?;
    let is_family =
        |family: &str| !family.is_empty() && family.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
    assert!(is_family(family), "{line:?}");
    let (mut name, mut rest) = (String::new(), rest.chars());
    loop {
        match rest.next().expect("a label ends") {
            '"' => break,
            '\\' => name.push(match rest.next() {
                Some('n') => '\n',
                Some(escaped @ ('\\' | '"')) => escaped,
                other => panic!("{other:?} is no escape: {line:?}"),
            }),
            letter => name.push(letter),
        }
    }
    let (labels, value) = rest.as_str().rsplit_once("} ").expect("a value follows");
    assert!(labels.is_empty() || labels.starts_with(','), "{line:?}");
    assert!(value == "+Inf" || value.parse::<f64>().is_ok_and(f64::is_finite), "{line:?}");
    Some(name)
}
