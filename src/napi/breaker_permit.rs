//! `BreakerPermit`, and what results come with.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, Result};

use super::arguments::argument;
use super::executor::Runtime;
use super::instance::{self, Instance, made_elsewhere};
use super::js::{Checked, Scope, Value};
use crate::breaker::{CircuitBreaker, FailureReport, Ticket};

pub fn failure_report(scope: Scope, retry_after_ms: Unknown, took_ms: Unknown) -> Checked<FailureReport> {
    let retry_after = argument(scope, retry_after_ms, "retryAfterMs").optional(|wait| wait.millis(0.0))?;
    Ok(FailureReport { retry_after, took: read_took(scope, took_ms)?, ..FailureReport::default() })
}

pub fn read_took(scope: Scope, took_ms: Unknown) -> Checked<Duration> {
    Ok(argument(scope, took_ms, "tookMs").optional(|took| took.millis(0.0))?.unwrap_or_default())
}

/// The right to make one call. Report once how it ended; later reports are ignored. One that is never reported is
/// neutral when it is garbage-collected; until then a probe keeps its place for the length of its lease.
#[napi]
#[repr(transparent)]
pub struct BreakerPermit {
    instance: Instance<Permit>,
}

struct Permit {
    /// A cell, not `&mut self`: a listener may call the same permit again. The breaker goes with the ticket: it is in use
    /// no longer.
    admission: Cell<Option<(Arc<CircuitBreaker>, Ticket)>>,
    is_probe: bool,
    runtime: Rc<Runtime>,
}

impl BreakerPermit {
    /// One call of `breaker`, as an instance that keeps `keeper` alive: the report needs the breaker's `now` and listeners,
    /// which live as long as that can be reached. `None`: it is rejected.
    pub fn acquire(runtime: &Rc<Runtime>, scope: Scope, breaker: &Arc<CircuitBreaker>, keeper: Value) -> Option<Value> {
        let permit = breaker.try_acquire().ok()?;
        let is_probe = permit.is_probe();
        let admission = Cell::new(Some((breaker.clone(), permit.into_ticket())));
        let permit = Permit { admission, is_probe, runtime: runtime.clone() };
        let permit = instance::make(scope, "BreakerPermit\0", Self { instance: Instance::new(permit) })?;
        scope.set_hidden(permit, c"resilience:breaker", keeper);
        Some(permit)
    }
}

impl Permit {
    /// Once; later reports find no ticket.
    fn report(&self, report: impl FnOnce(&CircuitBreaker, Ticket)) -> Checked<()> {
        self.admission.take().map_or(Ok(()), |(breaker, ticket)| self.runtime.enter(|_| report(&breaker, ticket)))
    }
}

#[napi]
impl BreakerPermit {
    /// Only `tryAcquire()` makes one.
    #[napi(constructor, skip_typescript)]
    pub fn new(env: Env) -> Result<Self> {
        Err(made_elsewhere(Scope::of(env), "a permit that tryAcquire() gives").into())
    }

    /// Whether it is a probe of a half-open breaker.
    #[napi(getter)]
    pub fn is_probe(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.is_probe)
    }

    /// The call succeeded.
    /// Throws INVALID_ARGUMENT unless `tookMs` is from 0 to 365 days.
    ///
    /// @param tookMs how long the call took, for a window that looks at slow calls
    #[napi(ts_args_type = "tookMs?: number")]
    pub fn record_success(&self, env: Env, took_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let took = read_took(Scope::of(env), took_ms)?;
        Ok(this.report(|breaker, ticket| breaker.record_success(ticket, took))?)
    }

    /// The call failed and the service is to blame.
    /// Throws INVALID_ARGUMENT unless both are from 0 to 365 days.
    ///
    /// @param retryAfterMs the service asked to be left alone so long: no call is admitted earlier (up to maxRetryAfterMs)
    /// @param tookMs how long the call took, for a window that looks at slow calls
    #[napi(ts_args_type = "retryAfterMs?: number, tookMs?: number")]
    pub fn record_failure(&self, env: Env, retry_after_ms: Unknown, took_ms: Unknown) -> Result<()> {
        let this = self.instance.of(env)?;
        let failure = failure_report(Scope::of(env), retry_after_ms, took_ms)?;
        Ok(this.report(|breaker, ticket| breaker.record_failure(ticket, failure))?)
    }

    /// The call said nothing about the service.
    #[napi]
    pub fn release(&self, env: Env) -> Result<()> {
        Ok(self.instance.of(env)?.report(CircuitBreaker::record_neutral)?)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        // No listener is called for a neutral result: this runs in the garbage collector.
        self.admission.take().into_iter().for_each(|(breaker, ticket)| breaker.record_neutral(ticket));
    }
}
