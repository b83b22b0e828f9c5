//! O: metrics and the registry of breakers.

use std::sync::Arc;

use resilience::breaker::{BreakerConfig, CircuitBreaker, FailureReport};
use resilience::metrics::{Metrics, render};
use resilience::registry::Registry;

use crate::support::TestBreaker;

/// The value of the line that begins so, up to the blank.
fn value<'a>(text: &'a str, series: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))
}

fn text_of(breakers: &[(String, Arc<CircuitBreaker>)]) -> String {
    render(&Metrics::of(breakers, &[]))
}

fn states(breaker: &TestBreaker) -> [Option<String>; 3] {
    let text = text_of(&[("x".to_owned(), breaker.breaker.clone())]);
    ["closed", "open", "half_open"].map(|state| {
        value(&text, &format!("resilience_breaker_state{{name=\"x\",state=\"{state}\"}}")).map(str::to_owned)
    })
}

fn one_hot(place: usize) -> [Option<String>; 3] {
    [0, 1, 2].map(|index| Some(u8::from(index == place).to_string()))
}

#[test]
fn o2_nora_441_a_closed_breaker_has_its_series_from_the_start() {
    assert_eq!(states(&TestBreaker::new()), one_hot(0));
}

#[test]
fn o3_crabtrap_13_exactly_one_state_is_on() {
    let breaker = TestBreaker::with(|config| config.failure_threshold = 1);
    breaker.fail();
    assert_eq!(states(&breaker), one_hot(1));
    let probe = breaker.at(1_000).admit();
    assert_eq!(states(&breaker), one_hot(2));
    probe.failure(FailureReport::default());
    assert_eq!(states(&breaker), one_hot(1));
    breaker.at(2_000);
    assert_eq!(states(&breaker), one_hot(1), "open until a call comes");
    let text = text_of(&[("x".to_owned(), breaker.breaker.clone())]);
    assert_eq!(value(&text, "resilience_breaker_retry_after_seconds{name=\"x\"}"), Some("0"), "but free to be asked");
}

#[test]
fn o4_omniroute_4114_the_limit_holds_and_an_open_breaker_is_not_forgotten() {
    let registry = Registry::<CircuitBreaker>::with_limit(500).unwrap();
    let open = registry.get_or_create("open", BreakerConfig { failure_threshold: 1, ..Default::default() }).unwrap().0;
    open.try_acquire().unwrap().failure(FailureReport::default());
    drop(open);
    for name in 0..10_000 {
        registry.get_or_create(&name.to_string(), BreakerConfig::default()).unwrap();
    }
    assert_eq!(registry.len(), 500);
    assert!(registry.get("open").is_some_and(|breaker| breaker.stats().opened == 1));
}

#[test]
fn o5_resilience4j_584_other_settings_for_the_same_name_are_reported() {
    let (first, mismatch) = CircuitBreaker::named("o5", BreakerConfig::default()).unwrap();
    assert!(!mismatch);
    let other = BreakerConfig { failure_threshold: 99, ..BreakerConfig::default() };
    let (second, mismatch) = CircuitBreaker::named("o5", other).unwrap();
    assert!(mismatch && Arc::ptr_eq(&first, &second));
    assert_eq!(second.config().failure_threshold, 3);
}

#[test]
fn o6_opossum_248_what_is_removed_leaves_no_series() {
    let named = |name: &str| resilience::metrics::prometheus_text().contains(&format!("name=\"{name}\""));
    let breaker = CircuitBreaker::named("o6", BreakerConfig::default()).unwrap().0;
    assert!(named("o6"));
    resilience::breaker::registry().remove("o6");
    assert!(!named("o6"), "although somebody still has it: {breaker:?}");
}

#[test]
fn names_are_escaped() {
    let breaker = Arc::new(CircuitBreaker::new(BreakerConfig::default()).unwrap());
    let text = text_of(&[("a\"b\\c\nd, 模型".to_owned(), breaker)]);
    assert!(text.contains("{name=\"a\\\"b\\\\c\\nd, 模型\",state=\"closed\"} 1\n"), "{text}");
    assert_eq!(text.lines().filter(|line| !line.starts_with("resilience_") && !line.starts_with("# ")).count(), 0);
}

#[test]
fn an_isolated_breaker_waits_for_ever() {
    let breaker = TestBreaker::new();
    breaker.isolate();
    let text = text_of(&[("x".to_owned(), breaker.breaker.clone())]);
    assert_eq!(value(&text, "resilience_breaker_retry_after_seconds{name=\"x\"}"), Some("+Inf"));
}

#[test]
fn all_threads_share_a_name() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..1_000 {
                    let breaker = CircuitBreaker::named("shared", BreakerConfig::default()).unwrap().0;
                    breaker.try_acquire().unwrap().success();
                }
            });
        }
    });
    let breaker = resilience::breaker::registry().get("shared").unwrap();
    assert_eq!(breaker.stats().successes, 8_000);
}

/// Names that would break a text that only pastes them in. A carriage return is not among them: the format allows it inside
/// a label, the parser takes it for the end of a line.
const HOSTILE: [&str; 12] = [
    "a\"b",
    "back\\slash",
    "line\nfeed",
    "} 1\nfake{x=\"",
    "\\",
    "\\\"",
    "\0",
    "模型 🐴",
    "# HELP x",
    "{}",
    " ",
    "\u{feff}",
];

#[test]
fn a_parser_reads_what_was_written_whatever_the_names() {
    use openmetrics_parser::prometheus::parse_prometheus;
    use resilience::bulkhead::{Bulkhead, BulkheadConfig};

    let breaker = |name: &&str| {
        let breaker = CircuitBreaker::new(BreakerConfig { failure_threshold: 1, ..Default::default() }).unwrap();
        breaker.try_acquire().unwrap().failure(FailureReport::default());
        breaker.isolate();
        ((*name).to_owned(), Arc::new(breaker))
    };
    let bulkhead = |name: &&str| {
        let bulkhead = Arc::new(Bulkhead::new(BulkheadConfig::default()).unwrap());
        drop(bulkhead.try_acquire().unwrap());
        ((*name).to_owned(), bulkhead)
    };
    let breakers: Vec<_> = HOSTILE.iter().map(breaker).collect();
    let bulkheads: Vec<_> = HOSTILE.iter().map(bulkhead).collect();
    let text = render(&Metrics::of(&breakers, &bulkheads));
    let read = parse_prometheus(&text).unwrap();
    let mut families: Vec<_> = read.families.iter().map(|(name, family)| (name.as_str(), family)).collect();
    families.sort_by_key(|(name, _)| *name);
    let per_name = [5, 1, 1, 3, 3, 5, 1, 1];
    assert_eq!(families.len(), per_name.len(), "{:?}", families.iter().map(|(name, _)| name).collect::<Vec<_>>());
    for ((family, read), per_name) in families.into_iter().zip(per_name) {
        assert!(!read.help.is_empty(), "{family}");
        let mut names: Vec<_> = read
            .iter_samples()
            .map(|sample| sample.get_labelset().unwrap().get_label_value("name").unwrap().to_owned())
            .collect();
        assert_eq!(names.len(), HOSTILE.len() * per_name, "{family}");
        names.sort_unstable();
        names.dedup();
        let mut written = HOSTILE.map(str::to_owned);
        written.sort_unstable();
        assert_eq!(names, written, "{family}");
    }
}
