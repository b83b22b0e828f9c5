//! A call that runs, and how it ended.

use std::sync::Arc;
use std::time::Duration;

use super::attempt::{CallIdentity, RequestId};
use super::config::CallOptions;
use super::disruption::Disruptions;
use super::outcome::{AttemptRecord, PassedOver};
use crate::classify::{CallError, ErrorClass};
use crate::clock::{Clock, Timestamp};
use crate::retry::{RetryConfig, StopReason};

/// A call that runs.
pub(crate) struct Call {
    pub identity: CallIdentity,
    pub started: Timestamp,
    /// When it must be over.
    pub deadline: Timestamp,
    /// Most attempts that it may make, wherever.
    pub max_attempts: usize,
    pub disruptions: Disruptions,
    pub trace: Vec<AttemptRecord>,
    /// Whether anybody is told when and how the answer came: then the attempt that brings it has its record, too.
    pub tells_how: bool,
    /// Where there are several services: the one that answered, and those that did not.
    pub provider: Option<Arc<str>>,
    pub passed_over: Vec<PassedOver>,
    /// Whether the answer passed the quality check, where there is one.
    pub accepted: bool,
}

impl Call {
    /// A call begins now.
    pub fn begin(options: CallOptions, clock: &impl Clock, retry: &RetryConfig) -> Self {
        let request_id = options.request_id.map_or_else(RequestId::next, RequestId::from);
        let identity = CallIdentity { cancel: options.cancel, request_id, place: options.place };
        let started = clock.now();
        let longest = retry.deadline;
        let deadline = started + options.deadline.map_or(longest, |deadline| deadline.min(longest));
        Self {
            identity,
            started,
            deadline,
            max_attempts: retry.max_total_attempts.map_or(usize::MAX, |most| most as usize),
            disruptions: Disruptions::default(),
            trace: Vec::new(),
            tells_how: true,
            provider: None,
            passed_over: Vec::new(),
            accepted: true,
        }
    }

    /// Whether it may make no further attempt, at whatever service.
    pub fn is_used_up(&self) -> bool {
        self.trace.len() >= self.max_attempts
    }

    /// Notes that a service gave no answer; of one that is asked again the latest counts.
    pub fn pass_over<R>(&mut self, provider: &Arc<str>, end: &End<R>, attempts: u32) {
        let passed_over = PassedOver {
            provider: provider.clone(),
            stop_reason: end.reason,
            cause: end.cause,
            message: end.error.as_ref().map(|error| error.message.clone()).unwrap_or_default(),
            attempts,
            retry_after: end.retry_after.filter(|wait| !wait.is_zero()),
        };
        match self.passed_over.iter_mut().find(|earlier| earlier.provider == *provider) {
            Some(earlier) => *earlier = passed_over,
            None => self.passed_over.push(passed_over),
        }
    }
}

/// How the attempts of a call ended.
pub(crate) struct End<R> {
    pub response: Option<R>,
    pub error: Option<Box<CallError>>,
    /// What kind of fault is behind an end without an answer, as far as it is known.
    pub cause: Option<ErrorClass>,
    pub reason: StopReason,
    pub retry_after: Option<Duration>,
    /// When; of an answer whose time nobody asks for, when its attempt began.
    pub at: Timestamp,
}

/// What holds for one service within a call.
#[derive(Clone, Copy)]
pub(crate) struct Limits {
    /// The time now.
    pub began: Timestamp,
    /// When it must be done with.
    pub deadline: Timestamp,
    /// Attempts that this call has made at it before.
    pub attempts: u32,
    /// Another service stands ready: the call goes on there instead of waiting for a Retry-After.
    pub others: bool,
}

impl<R> End<R> {
    pub fn answered(response: R, at: Timestamp) -> Self {
        Self { response: Some(response), error: None, cause: None, reason: StopReason::Success, retry_after: None, at }
    }

    pub fn stopped(reason: StopReason, error: Option<Box<CallError>>, at: Timestamp) -> Self {
        let cause = error.as_ref().map(|error| error.class);
        Self { response: None, error, cause, reason, retry_after: None, at }
    }

    pub fn cancelled(error: CallError, at: Timestamp) -> Self {
        Self::stopped(StopReason::Cancelled, Some(Box::new(error)), at)
    }
}

/// Before anything was sent.
pub(crate) fn cancelled() -> CallError {
    CallError::new(ErrorClass::Cancelled, "cancelled by the app")
}

/// The request had been sent: the service may do the work all the same.
pub(super) fn cancelled_in_flight() -> CallError {
    CallError { maybe_billed: true, ..cancelled() }
}
