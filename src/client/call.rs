//! A call that runs, and how it ended.

use std::time::Duration;

use super::attempt::{CallIdentity, RequestId};
use super::outcome::AttemptRecord;
use crate::cancel::CancelToken;
use crate::classify::{CallError, ErrorClass};
use crate::clock::Timestamp;
use crate::retry::StopReason;

/// A call that runs.
pub(crate) struct Call {
    pub identity: CallIdentity,
    pub started: Timestamp,
    /// When it must be over.
    pub deadline: Timestamp,
    pub trace: Vec<AttemptRecord>,
}

impl Call {
    pub fn new(request_id: RequestId, cancel: Option<CancelToken>, started: Timestamp, longest: Duration) -> Self {
        let identity = CallIdentity { cancel, request_id };
        Self { identity, started, deadline: started + longest, trace: Vec::with_capacity(1) }
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
pub(super) fn cancelled() -> CallError {
    CallError::new(ErrorClass::Cancelled, "cancelled by the app")
}

/// The request had been sent: the service may do the work all the same.
pub(super) fn cancelled_in_flight() -> CallError {
    CallError { maybe_billed: true, ..cancelled() }
}
