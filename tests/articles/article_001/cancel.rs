use std::sync::{Arc, Mutex};

use resilience::cancel::{CancelReason, CancelToken};
use resilience::classify::{CallError, ErrorClass};
use resilience::client::{Attempt, CallOptions};
use resilience::clock::{Clock, ManualClock, Timestamp};
use resilience::request::{RequestConfig, RequestOptions, RetryOutcome, cancellable_sleep, request_with_retry};
use resilience::retry::StopReason;

use super::Service;
use crate::support::{at, middle, ms, run};

fn options(cancel: Option<CancelToken>) -> RequestOptions {
    let call = CallOptions { cancel, ..CallOptions::default() };
    RequestOptions { call, rng: Some(Arc::new(middle)), ..RequestOptions::default() }
}

#[test]
fn a_cancel_in_a_wait_takes_effect_at_once_and_sends_no_further_request() {
    let service = Service::new(&ManualClock::new(), &[503, 200]);
    let (handle, result) = service.start(RequestConfig::default(), options(None));
    let cancel = at(&service.clock, 40, || handle.cancel());
    let result = run(&service.clock, async { tokio::join!(result, cancel).0 });
    assert_eq!((result.outcome, result.stop_reason), (RetryOutcome::Cancelled, StopReason::Cancelled));
    assert_eq!((result.trace.elapsed, service.asked_at()), (ms(40), vec![0]));
    assert_eq!((result.trace.attempts, result.trace.delays), (1, vec![ms(100)]), "as planned");
    assert_eq!(service.clock.pending_sleeps(), 0);
}

#[test]
fn the_request_in_flight_is_handed_the_cancel_signal() {
    let (clock, told) = (ManualClock::new(), Mutex::new(Vec::new()));
    let upload = async |attempt: &Attempt<'_>| {
        let token = attempt.cancel_token();
        token.cancelled().await;
        told.lock().unwrap().push(token.reason());
        Err::<u16, _>(CallError::new(ErrorClass::Unknown, "request destroyed"))
    };
    let (handle, result) =
        request_with_retry(upload, RequestConfig::default(), clock.clone(), RequestOptions::default()).unwrap();
    let cancel = at(&clock, 70, || handle.cancel());
    let result = run(&clock, async { tokio::join!(result, cancel).0 });
    assert_eq!(*told.lock().unwrap(), [Some(CancelReason::Cancelled)]);
    assert_eq!((result.outcome, result.trace.elapsed), (RetryOutcome::Cancelled, ms(70)));
    assert!(result.trace.requests[0].maybe_billed, "it had been sent");
}

#[test]
fn a_request_that_ignores_the_signal_is_left_behind_at_once() {
    let clock = ManualClock::new();
    let deaf = async |_: &Attempt<'_>| std::future::pending::<Result<u16, CallError>>().await;
    let (handle, result) =
        request_with_retry(deaf, RequestConfig::default(), clock.clone(), RequestOptions::default()).unwrap();
    let cancel = at(&clock, 70, || handle.cancel());
    let result = run(&clock, async { tokio::join!(result, cancel).0 });
    assert_eq!((result.outcome, result.trace.elapsed, clock.pending_sleeps()), (RetryOutcome::Cancelled, ms(70), 0));
}

#[test]
fn a_cancel_before_the_first_request_sends_none() {
    let service = Service::new(&ManualClock::new(), &[200]);
    let (handle, result) = service.start(RequestConfig::default(), options(None));
    handle.cancel();
    let result = run(&service.clock, result);
    assert_eq!((result.outcome, service.asked_at().len(), result.response), (RetryOutcome::Cancelled, 0, None));
    assert_eq!(result.trace.final_status, None);
}

#[test]
fn a_cancel_after_the_end_changes_nothing() {
    let service = Service::new(&ManualClock::new(), &[200]);
    let (handle, result) = service.start(RequestConfig::default(), options(None));
    assert_eq!(run(&service.clock, result).outcome, RetryOutcome::Success);
    handle.cancel();
    assert_eq!(handle.trace().outcome, Some(RetryOutcome::Success));
}

#[test]
fn one_token_ends_all_requests_of_a_page_and_a_handle_only_its_own() {
    let clock = ManualClock::new();
    let services = [(); 3].map(|()| Service::new(&clock, &[503]));
    let page = CancelToken::new();
    let [first, second, third] =
        [0, 1, 2].map(|index| services[index].start(RequestConfig::default(), options(Some(page.clone()))));
    let one = at(&clock, 10, || second.0.cancel());
    let all = at(&clock, 150, || page.cancel(CancelReason::Cancelled));
    let ended = run(&clock, async { tokio::join!(first.1, second.1, third.1, one, all) });
    let results = [ended.0, ended.1, ended.2].map(|result| (result.outcome, result.trace.elapsed));
    assert_eq!(results, [150, 10, 150].map(|millis| (RetryOutcome::Cancelled, ms(millis))));
    assert_eq!(page.listeners(), 0);
}

#[test]
fn a_token_that_served_many_requests_holds_nothing_of_them() {
    let (clock, page) = (ManualClock::new(), CancelToken::new());
    let mut kept = Vec::new();
    for _ in 0..1_000 {
        let (handle, result) =
            Service::new(&clock, &[503]).start(RequestConfig::default(), options(Some(page.clone())));
        run(&clock, result);
        kept.push(handle);
        assert_eq!(page.listeners(), 0);
    }
}

#[test]
fn a_cancellable_sleep_tells_slept_to_the_end_from_cancelled() {
    let (clock, token) = (ManualClock::new(), CancelToken::new());
    assert!(run(&clock, cancellable_sleep(&clock, ms(1_000), Some(&token))));
    assert_eq!(clock.now(), Timestamp::from_millis(1_000));
    assert!(run(&clock, cancellable_sleep(&clock, ms(0), None)));
    // Not at the next of some regular looks, as in the article: in that very millisecond.
    let cancel = at(&clock, 1_013, || token.cancel(CancelReason::Cancelled));
    let slept = run(&clock, async { tokio::join!(cancellable_sleep(&clock, ms(5_000), Some(&token)), cancel).0 });
    assert_eq!((slept, clock.now(), clock.pending_sleeps()), (false, Timestamp::from_millis(1_013), 0));
    assert!(!run(&clock, cancellable_sleep(&clock, ms(0), Some(&token))), "cancelled before");
    assert_eq!(clock.now(), Timestamp::from_millis(1_013));
}
