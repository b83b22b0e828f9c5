use std::sync::{Arc, Mutex};

use resilience::classify::{CallError, ErrorClass, ErrorFacts, classify};
use resilience::client::Attempt;
use resilience::clock::ManualClock;
use resilience::request::{RequestConfig, RequestOptions, Response, RetryOutcome, request_with_retry};
use resilience::retry::StopReason;

use super::{Service, request};
use crate::support::{ms, run};

#[test]
fn a_2xx_is_done() {
    for status in [200, 201, 204, 299] {
        let (result, asked_at) = request(&[status], RequestConfig::default());
        assert_eq!((result.outcome, result.response, result.error), (RetryOutcome::Success, Some(status), None));
        assert_eq!(asked_at, [0]);
    }
}

#[test]
fn a_4xx_is_final_for_the_request_itself_is_wrong() {
    for status in 400..=499 {
        let (result, asked_at) = request(&[status, 200], RequestConfig::default());
        assert_eq!(
            (result.outcome, result.response, asked_at),
            (RetryOutcome::Final, Some(status), vec![0]),
            "{status}"
        );
        assert_eq!(result.error.unwrap().status, Some(status));
    }
}

#[test]
fn a_5xx_is_tried_again() {
    for status in 500..=599 {
        let (result, asked_at) = request(&[status, 200], RequestConfig::default());
        assert_eq!((result.outcome, asked_at), (RetryOutcome::Success, vec![0, 100]), "{status}");
    }
}

#[test]
fn a_network_error_is_tried_again() {
    let (result, asked_at) = request(&[0, 0, 200], RequestConfig::default());
    assert_eq!((result.outcome, asked_at), (RetryOutcome::Success, vec![0, 100, 300]));
}

/// The article's code tries these again: nothing in them says that it could help.
#[test]
fn any_other_status_is_final() {
    for status in [100, 199, 300, 301, 304, 399, 600, 999] {
        let (result, asked_at) = request(&[status, 200], RequestConfig::default());
        assert_eq!((result.outcome, asked_at.len()), (RetryOutcome::Final, 1), "{status}");
    }
}

#[test]
fn max_attempts_counts_retries_and_then_the_request_is_given_up_not_swallowed() {
    for retries in [0, 1, 4] {
        let config = RequestConfig::new(ms(200), 2.0, ms(5_000), retries);
        let (result, asked_at) = request(&[503], config);
        assert_eq!((result.outcome, result.stop_reason), (RetryOutcome::GivenUp, StopReason::Attempts));
        assert_eq!((asked_at.len() as u32, result.response), (retries + 1, Some(503)));
    }
}

#[test]
fn nothing_but_the_number_of_retries_ends_it() {
    let (result, asked_at) = request(&[503], RequestConfig::new(ms(600_000), 1.0, ms(600_000), 4));
    assert_eq!((result.stop_reason, asked_at.last()), (StopReason::Attempts, Some(&1_200_000)));
}

#[test]
fn the_result_has_what_the_last_request_brought_and_not_an_earlier_one() {
    let (result, _) = request(&[503, 0], RequestConfig::default());
    assert_eq!((result.outcome, result.response, result.trace.final_status), (RetryOutcome::GivenUp, None, None));
    assert_eq!(result.error.unwrap().class, ErrorClass::Connect);
}

#[test]
fn the_check_for_the_last_attempt_comes_before_the_wait() {
    let (result, asked_at) = request(&[503], RequestConfig::default());
    // Half of 200, 400, 800 and 1600 ms; not another half of 3200 ms.
    assert_eq!(asked_at, [0, 100, 300, 700, 1_500]);
    assert_eq!((result.trace.elapsed, result.trace.delays.len()), (ms(1_500), 4));
}

/// Not in the article: 408, 425 and 429 pass with time. Whoever wants them tried again says so.
#[test]
fn which_statuses_are_final_is_a_setting() {
    let config = RequestConfig {
        retry_statuses: RequestConfig::TRANSIENT_STATUSES.to_vec(),
        final_statuses: vec![501],
        ..RequestConfig::default()
    };
    for (status, outcome) in [
        (408, RetryOutcome::Success),
        (425, RetryOutcome::Success),
        (429, RetryOutcome::Success),
        (404, RetryOutcome::Final),
        (500, RetryOutcome::Success),
        (501, RetryOutcome::Final),
    ] {
        assert_eq!(request(&[status, 200], config.clone()).0.outcome, outcome, "{status}");
    }
}

/// A response that asks for a wait.
struct Throttled(u16, &'static str);

impl Response for Throttled {
    fn status(&self) -> u16 {
        self.0
    }

    fn error(&self) -> CallError {
        let headers = vec![("Retry-After".to_owned(), self.1.to_owned())];
        let facts = ErrorFacts { status: Some(self.0), headers, ..ErrorFacts::default() };
        classify(&facts, std::time::SystemTime::UNIX_EPOCH)
    }
}

#[test]
fn a_retry_after_is_waited_for_and_one_that_is_too_long_ends_the_request() {
    let asked = |seconds, status| {
        let (clock, times) = (ManualClock::new(), Mutex::new(0));
        let get = |_: &Attempt<'_>| {
            let mut times = times.lock().unwrap();
            *times += 1;
            std::future::ready(Ok(Throttled(if *times == 1 { status } else { 200 }, seconds)))
        };
        let mut config = RequestConfig { retry_statuses: vec![429], ..RequestConfig::default() };
        config.retry.retry_after_spread = 0.0;
        let (_, result) = request_with_retry(get, config, clock.clone(), RequestOptions::default()).unwrap();
        let result = run(&clock, result);
        (result.outcome, result.stop_reason, result.trace.delays, result.trace.elapsed)
    };
    for status in [429, 503] {
        assert_eq!(asked("30", status), (RetryOutcome::Success, StopReason::Success, vec![ms(30_000)], ms(30_000)));
        assert_eq!(asked("61", status), (RetryOutcome::GivenUp, StopReason::RetryAfterTooLong, vec![], ms(0)));
    }
}

#[test]
fn an_attempt_and_the_whole_request_have_their_time() {
    let mut config = RequestConfig::default();
    (config.retry.attempt_timeout, config.retry.deadline) = (ms(1_000), ms(2_500));
    let clock = ManualClock::new();
    let never = async |_: &Attempt<'_>| std::future::pending::<Result<u16, CallError>>().await;
    let options = RequestOptions { rng: Some(Arc::new(|| 0.0)), ..RequestOptions::default() };
    let (_, result) = request_with_retry(never, config, clock.clone(), options).unwrap();
    let result = run(&clock, result);
    assert_eq!((result.outcome, result.stop_reason), (RetryOutcome::GivenUp, StopReason::Deadline));
    let took: Vec<_> = result.trace.requests.iter().map(|request| request.duration).collect();
    assert_eq!(took, [ms(1_000), ms(1_000), ms(500)]);
    assert_eq!(result.error.unwrap().class, ErrorClass::Timeout);
}

#[test]
fn a_request_that_panics_ends_as_a_final_error() {
    let clock = ManualClock::new();
    let broken = |_: &Attempt<'_>| -> std::future::Ready<Result<u16, CallError>> { panic!("request gone wrong") };
    let (_, result) =
        request_with_retry(broken, RequestConfig::default(), clock.clone(), RequestOptions::default()).unwrap();
    let result = run(&clock, result);
    assert_eq!((result.outcome, result.error.unwrap().class), (RetryOutcome::Final, ErrorClass::ClientBug));
}

/// The article leaves gateways that retry on their own to the `x-request-id`.
#[test]
fn all_attempts_of_a_request_have_the_same_id_and_two_requests_have_not() {
    let (clock, ids) = (ManualClock::new(), Mutex::new(Vec::new()));
    let get = |attempt: &Attempt<'_>| {
        ids.lock().unwrap().push(attempt.request_id().to_owned());
        std::future::ready(Ok::<u16, CallError>(503))
    };
    let mut traces = Vec::new();
    for _ in 0..2 {
        let started = request_with_retry(get, RequestConfig::default(), clock.clone(), RequestOptions::default());
        traces.push(run(&clock, started.unwrap().1).trace.request_id);
    }
    let ids = ids.into_inner().unwrap();
    assert_eq!((&ids[..5], &ids[5..]), (&vec![traces[0].clone(); 5][..], &vec![traces[1].clone(); 5][..]));
    assert_ne!(traces[0], traces[1]);
}

#[test]
fn nothing_is_sent_before_the_result_is_awaited() {
    let service = Service::new(&ManualClock::new(), &[200]);
    drop(service.start(RequestConfig::default(), RequestOptions::default()));
    assert_eq!(service.asked_at(), [0_u64; 0]);
}
