//! `MockLlmClient` of article 000.

use std::rc::Rc;
use std::time::Duration;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, Result};

use super::arguments::{Argument, MAX_SAFE_INTEGER, config};
use super::clock::JsTimer;
use super::errors::call_error;
use super::executor::Runtime;
use super::instance::{self, Instance, constructing};
use super::js::{Checked, Scope};
use crate::classify::{CallError, ErrorFacts, RetryAfter, RetryAfterSource, classify};
use crate::clock::{Clock, Timer};
use crate::mock::MockLlmClient as Core;

/// A stand-in for an LLM service: fails its first calls, then answers, and counts them all.
#[napi]
#[repr(transparent)]
pub struct MockLlmClient {
    instance: Instance<Mock>,
}

struct Mock {
    mock: Core,
    latency: Duration,
    timer: Rc<JsTimer>,
    runtime: Rc<Runtime>,
}

#[napi]
impl MockLlmClient {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param failFirst how many calls fail before the first answer, 0 to 2^53 − 1; default 0
    /// @param options what it answers and fails with
    #[napi(constructor, ts_args_type = "failFirst?: number, options?: MockOptions")]
    pub fn new(env: Env, this: This, fail_first: Unknown, options: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let failures = config(scope, fail_first, "failFirst").optional(|count| count.integer(0, MAX_SAFE_INTEGER))?;
        Ok(Self::build(env, Core::failing_first(failures.unwrap_or(0)), config(scope, options, "options"))?)
    }

    /// A mock that never answers.
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    #[napi(ts_args_type = "options?: MockOptions", ts_return_type = "MockLlmClient")]
    pub fn always_failing(env: Env, options: Unknown) -> Result<Unknown<'static>> {
        let scope = Scope::of(env);
        let mock = Self::build(env, Core::always_failing(), config(scope, options, "options"))?;
        Ok(scope.unknown(instance::make(scope, "MockLlmClient\0", mock).unwrap_or_else(|| scope.undefined())))
    }

    /// Makes one call.
    ///
    /// @param request anything; it is not looked at
    #[napi(ts_args_type = "request: Object", ts_return_type = "Promise<ChatResponse>")]
    pub fn chat(&self, env: Env, _request: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let (reply, runtime, timer) = (this.mock.next_reply(), this.runtime.clone(), this.timer.clone());
        let ends = (!this.latency.is_zero()).then(|| timer.now() + this.latency);
        let promise = this.runtime.spawn(scope, async move {
            if let Some(ends) = ends {
                timer.sleep_until(ends).await;
            }
            let scope = runtime.scope();
            match reply {
                Ok(text) => {
                    let response = scope.object();
                    scope.set(response, c"text", scope.string(&text));
                    Ok(response)
                }
                Err(error) => Err(call_error(scope, &error, None)),
            }
        });
        Ok(scope.unknown(promise))
    }

    /// Calls so far, failed ones included.
    #[napi(getter)]
    pub fn calls(&self, env: Env) -> Result<f64> {
        Ok(self.instance.of(env)?.mock.calls() as f64)
    }
}

impl MockLlmClient {
    fn build(env: Env, mut mock: Core, options: Argument) -> Checked<Self> {
        let runtime = Runtime::of(Scope::of(env));
        let options = options.options()?;
        if let Some(reply) = options.field(c"reply").given() {
            mock = mock.with_reply(reply.string(1 << 20)?);
        }
        let status = options.field(c"status").optional(|status| status.integer(100, 999))?;
        let message = options.field(c"message").optional(|message| message.string(1 << 20))?;
        let wait = options.field(c"retryAfterMs").optional(|wait| wait.millis(0.0))?;
        mock = mock.with_error(mock_error(status.unwrap_or(503) as u16, message, wait));
        let latency = options.field(c"latencyMs").optional(|latency| latency.millis(0.0))?;
        let timer = Rc::new(JsTimer::read(&runtime, options)?);
        let mock = Mock { mock, latency: latency.unwrap_or_default(), timer, runtime };
        Ok(Self { instance: Instance::new(mock) })
    }
}

pub fn mock_error(status: u16, message: Option<String>, retry_after: Option<Duration>) -> CallError {
    let message = message.unwrap_or_else(|| match status {
        503 => "503 Service Unavailable".to_owned(),
        status => format!("{status} from the mock"),
    });
    let facts = ErrorFacts { status: Some(status), message, ..ErrorFacts::default() };
    let retry_after = retry_after.map(|wait| RetryAfter { wait, source: RetryAfterSource::Explicit });
    CallError { retry_after, ..classify(&facts, std::time::SystemTime::now()) }
}
