use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::*;
use crate::classify::{CallError, ErrorClass};
use crate::client::Attempt;
use crate::clock::ManualClock;
use crate::lock::lock;

fn of_status(class: ErrorClass, status: u16) -> CallError {
    CallError { status: Some(status), ..CallError::new(class, "") }
}

#[test]
fn what_the_error_says_about_a_retry_comes_before_the_status() {
    let config = RequestConfig { retry_statuses: vec![429], ..RequestConfig::read() };
    let says = |retryable, status| CallError { retryable, ..of_status(ErrorClass::Unknown, status) };
    for (retryable, status, expected) in [
        (None, 404, false),
        (Some(true), 404, true),
        (None, 500, true),
        (Some(false), 500, false),
        (None, 429, true),
        (Some(false), 429, false),
    ] {
        assert_eq!(config.judge(says(retryable, status)).is_retryable(), expected, "{status} {retryable:?}");
    }
}

#[test]
fn an_empty_account_is_not_asked_again_whatever_its_status() {
    let config = RequestConfig { retry_statuses: vec![402, 429], ..RequestConfig::read() };
    for status in [402, 429, 503] {
        assert!(!config.judge(of_status(ErrorClass::Quota, status)).is_retryable(), "{status}");
    }
}

#[test]
fn without_a_status_the_error_table_decides_but_for_a_device_without_network() {
    for class in ErrorClass::ALL {
        let expected = class.handling().retry || class == ErrorClass::Offline;
        assert_eq!(RequestConfig::read().judge(CallError::new(class, "")).is_retryable(), expected, "{class}");
    }
}

#[test]
fn what_may_have_been_done_is_marked_so() {
    let judge = |error| RequestConfig::write().judge(error).maybe_billed;
    for status in 100..=999 {
        let expected = (500..=599).contains(&status) && ![501, 503, 505, 529].contains(&status);
        assert_eq!(judge(of_status(ErrorClass::Unknown, status)), expected, "{status}");
    }
    let done: Vec<_> = ErrorClass::ALL.into_iter().filter(|&class| judge(CallError::new(class, ""))).collect();
    assert_eq!(done, [ErrorClass::Timeout, ErrorClass::Interrupted, ErrorClass::InvalidResponse, ErrorClass::Unknown]);
}

#[test]
fn bad_settings_are_refused_by_name() {
    let refused = |change: fn(&mut RequestConfig)| {
        let mut config = RequestConfig::read();
        change(&mut config);
        let started = request_with_retry(async |_| Ok(200_u16), config, ManualClock::new(), RequestOptions::default());
        started.err().map(|error| error.field)
    };
    assert_eq!(refused(|_| ()), None);
    assert_eq!(refused(|config| config.retry_statuses = vec![408, 99]), Some("retryStatuses"));
    assert_eq!(refused(|config| config.final_statuses = vec![1_000]), Some("finalStatuses"));
    assert_eq!(refused(|config| config.retry.max_retries = 101), Some("maxRetries"));
    assert_eq!(refused(|config| config.retry.backoff.factor = f64::NAN), Some("factor"));
}

#[test]
fn a_cap_below_the_base_is_the_wait() {
    let config = RequestConfig::new(Duration::from_secs(1), 2.0, Duration::from_millis(300), 4);
    assert!(config.retry.build().is_ok());
    let top = |attempt| config.next_delay(attempt, &|| 1.0).as_millis();
    assert_eq!([1, 2, u32::MAX].map(top), [299; 3]);
}

#[test]
fn no_figures_make_a_wait_panic() {
    for factor in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300] {
        let config = RequestConfig::new(Duration::MAX, factor, Duration::MAX, 4);
        [0, 1, 64, u32::MAX].into_iter().for_each(|attempt| _ = config.next_delay(attempt, &|| 1.0));
    }
}

#[test]
fn a_request_may_run_on_any_thread() {
    fn sendable<T: Send>(_: &T) {}
    let request = |_: &Attempt<'_>| std::future::ready(Ok(200_u16));
    let started = request_with_retry(request, RequestConfig::read(), ManualClock::new(), RequestOptions::default());
    let (handle, result) = started.unwrap();
    sendable(&handle);
    sendable(&result);
}

#[test]
fn a_long_url_is_cut() {
    let options = RequestOptions { url: "重".repeat(1_000), ..RequestOptions::default() };
    let started = request_with_retry(async |_| Ok(200_u16), RequestConfig::read(), ManualClock::new(), options);
    assert_eq!(started.unwrap().0.trace().url.len(), MAX_URL_BYTES - MAX_URL_BYTES % 3);
}

#[test]
fn a_log_keeps_the_latest_and_has_a_limit() {
    let log = TraceLog::new();
    (0..500).for_each(|trace| log.add(trace));
    let kept: Vec<_> = log.all().iter().map(|trace| **trace).collect();
    assert_eq!(kept, (300..500).collect::<Vec<_>>());
    log.clear();
    assert!(log.all().is_empty());
    for limit in [0, 10_001] {
        assert_eq!(TraceLog::<u32>::with_limit(limit).err().map(|error| error.field), Some("limit"));
    }
    let one = TraceLog::with_limit(1).unwrap();
    [1, 2].into_iter().for_each(|trace| one.add(trace));
    assert_eq!(*one.all()[0], 2);
}

#[test]
fn listeners_hear_of_each_change_in_their_order_until_they_are_taken_back() {
    let (log, heard) = (TraceLog::new(), Arc::new(Mutex::new(Vec::new())));
    let note = |name| {
        let heard = heard.clone();
        log.subscribe(move |added: Option<&u32>| lock(&heard).push((name, added.copied())))
    };
    let (first, second) = (note("first"), note("second"));
    log.add(7);
    assert!(log.unsubscribe(first) && !log.unsubscribe(first));
    log.clear();
    assert_eq!(*lock(&heard), [("first", Some(7)), ("second", Some(7)), ("second", None)]);
    assert!(log.unsubscribe(second));
    log.add(8);
    assert_eq!(lock(&heard).len(), 3);
}

#[test]
fn a_listener_may_panic_take_others_back_and_ask_and_change_the_log() {
    let (log, heard) = (Arc::new(TraceLog::new()), Arc::new(AtomicUsize::new(0)));
    log.subscribe(|_| panic!("listener gone wrong"));
    let within = Arc::downgrade(&log);
    log.subscribe(move |added| {
        let log = within.upgrade().unwrap();
        if added == Some(&1) {
            assert_eq!(log.all().len(), 1);
            assert!(log.unsubscribe(3));
            log.add(2);
        }
    });
    let count = heard.clone();
    log.subscribe(move |_| _ = count.fetch_add(1, Ordering::Relaxed));
    log.add(1);
    assert_eq!((log.all().len(), heard.load(Ordering::Relaxed), log.listener_errors()), (2, 0, 1));
    log.clear();
    assert_eq!(log.listener_errors(), 2, "it is told again");
}

#[test]
fn a_listener_that_comes_while_a_change_is_told_hears_of_the_next_one() {
    let (log, heard) = (Arc::new(TraceLog::new()), Arc::new(Mutex::new(Vec::new())));
    let (within, note) = (Arc::downgrade(&log), heard.clone());
    log.subscribe(move |added| {
        let note = note.clone();
        if added == Some(&1) {
            within.upgrade().unwrap().subscribe(move |added: Option<&u32>| lock(&note).push(added.copied()));
        }
    });
    [1, 2].into_iter().for_each(|trace| log.add(trace));
    assert_eq!(*lock(&heard), [Some(2)]);
}

#[test]
fn a_listener_that_changes_the_log_each_time_does_not_go_on_for_ever() {
    let (log, heard) = (Arc::new(TraceLog::new()), Arc::new(AtomicUsize::new(0)));
    let (within, count) = (Arc::downgrade(&log), heard.clone());
    log.subscribe(move |_| {
        count.fetch_add(1, Ordering::Relaxed);
        within.upgrade().unwrap().add(0);
    });
    (1..=3).for_each(|trace| log.add(trace));
    let kept: Vec<_> = log.all().iter().map(|trace| **trace).collect();
    assert_eq!((kept, heard.load(Ordering::Relaxed)), (vec![1, 0, 2, 0, 3, 0], 3));
}

#[test]
fn a_change_on_another_thread_is_told_there_meanwhile() {
    let (log, heard) = (Arc::new(TraceLog::new()), Arc::new(Mutex::new(Vec::new())));
    let (within, note) = (Arc::downgrade(&log), heard.clone());
    log.subscribe(move |added: Option<&u32>| {
        if added == Some(&1) {
            let log = within.upgrade().unwrap();
            std::thread::spawn(move || log.add(2)).join().unwrap();
        }
        lock(&note).push(added.copied());
    });
    log.add(1);
    assert_eq!(*lock(&heard), [Some(2), Some(1)]);
}
