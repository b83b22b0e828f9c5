use std::sync::{Arc, Mutex};

use resilience::clock::ManualClock;
use resilience::random::Rng;
use resilience::request::{RequestConfig, RequestOptions, RetryOutcome, RetryTrace, TraceLog};
use resilience::retry::StopReason;

use super::{Service, request};
use crate::support::{at, ms, run};

/// Chance that makes the waits come out as given, one after the other.
fn chance_for(waits: &'static [f64]) -> impl Rng {
    let next = Mutex::new(0);
    move || {
        let mut next = next.lock().unwrap();
        *next += 1;
        let top = (200.0 * 2_f64.powi(*next - 1)).min(5_000.0);
        (waits[*next as usize - 1] + 0.5) / top
    }
}

#[test]
fn the_trace_tells_of_the_four_failures_before_the_success() {
    let clock = ManualClock::new();
    let service = Service::new(&clock, &[503, 0, 500, 503, 200]);
    let rng = Arc::new(chance_for(&[86.0, 310.0, 740.0, 1_480.0]));
    let options = RequestOptions { url: "feed?page=2".to_owned(), rng: Some(rng), ..RequestOptions::default() };
    let trace = run(&clock, service.start(RequestConfig::default(), options).1).trace;
    assert_eq!((trace.url.as_str(), trace.attempts, trace.final_status), ("feed?page=2", 4, Some(200)));
    assert_eq!(trace.delays, [86, 310, 740, 1_480].map(ms));
    assert_eq!(trace.elapsed, ms(86 + 310 + 740 + 1_480), "with the waits, not that of the last request alone");
    let statuses: Vec<_> = trace.requests.iter().map(|request| request.status).collect();
    assert_eq!(statuses, [Some(503), None, Some(500), Some(503), Some(200)]);
    let began: Vec<_> = trace.requests.iter().map(|request| request.started_at).collect();
    assert_eq!(began, [0, 86, 396, 1_136, 2_616].map(ms));
}

#[test]
fn a_request_that_came_through_at_once_has_no_retries_in_its_trace() {
    let (result, _) = request(&[200], RequestConfig::default());
    let RetryTrace { attempts, delays, final_status, requests, .. } = result.trace;
    assert_eq!((attempts, delays.len(), final_status, requests.len()), (0, 0, Some(200), 1));
}

#[test]
fn the_panel_can_tell_given_up_from_a_final_answer() {
    let end = |script: &[u16]| {
        let trace = request(script, RequestConfig::default()).0.trace;
        (trace.outcome.unwrap(), trace.stop_reason.unwrap(), trace.attempts, trace.final_status)
    };
    assert_eq!(end(&[503]), (RetryOutcome::GivenUp, StopReason::Attempts, 4, Some(503)));
    assert_eq!(end(&[0]), (RetryOutcome::GivenUp, StopReason::Attempts, 4, None));
    assert_eq!(end(&[503, 404]), (RetryOutcome::Final, StopReason::NotRetryable, 1, Some(404)));
    assert_eq!(end(&[503, 0, 200]), (RetryOutcome::Success, StopReason::Success, 2, Some(200)));
}

#[test]
fn the_handle_shows_the_trace_while_the_request_runs() {
    let service = Service::new(&ManualClock::new(), &[503, 503, 200]);
    let options = RequestOptions { rng: Some(Arc::new(|| 0.5)), ..RequestOptions::default() };
    let (handle, result) = service.start(RequestConfig::default(), options);
    assert_eq!(handle.trace().request_id, "");
    let mut seen = None;
    let look = at(&service.clock, 50, || seen = Some(handle.trace()));
    let result = run(&service.clock, async { tokio::join!(result, look).0 });
    let seen = seen.unwrap();
    assert_eq!((seen.attempts, seen.delays, seen.outcome), (1, vec![ms(100)], None));
    assert_eq!(seen.request_id, result.trace.request_id);
    assert_eq!(handle.trace(), result.trace);
}

#[test]
fn the_log_of_the_panel_keeps_the_latest_traces_and_tells_of_each() {
    let (log, told) = (TraceLog::with_limit(3).unwrap(), Arc::new(Mutex::new(Vec::new())));
    let note = told.clone();
    log.subscribe(move |added: Option<&RetryTrace>| {
        note.lock().unwrap().push(added.and_then(|trace| trace.final_status))
    });
    for status in [200, 201, 202, 404, 503] {
        log.add(request(&[status], RequestConfig::default()).0.trace);
    }
    let kept: Vec<_> = log.all().iter().map(|trace| trace.final_status.unwrap()).collect();
    assert_eq!(kept, [202, 404, 503]);
    assert_eq!(*told.lock().unwrap(), [200, 201, 202, 404, 503].map(Some));
}
