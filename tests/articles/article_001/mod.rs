//! Article 001: retry storms, full jitter, a retry loop that can be cancelled, and the trace of it for a panel.

mod cancel;
mod jitter;
mod retry_loop;
mod trace;
mod writes;

use std::sync::{Arc, Mutex};

use resilience::classify::{CallError, ErrorClass};
use resilience::client::Attempt;
use resilience::clock::{Clock, ManualClock};
use resilience::request::{RequestConfig, RequestOptions, RetryHandle, RetryResult, request_with_retry};

use crate::support::{middle, run};

/// A service that answers one status a request, the last one again and again; 0 is no answer: the network is down.
#[derive(Clone)]
struct Service {
    clock: ManualClock,
    script: Vec<u16>,
    /// When it was asked, in milliseconds.
    asked_at: Arc<Mutex<Vec<u64>>>,
}

impl Service {
    fn new(clock: &ManualClock, script: &[u16]) -> Self {
        Self { clock: clock.clone(), script: script.to_vec(), asked_at: Arc::default() }
    }

    fn asked_at(&self) -> Vec<u64> {
        self.asked_at.lock().unwrap().clone()
    }

    fn answer(&self) -> Result<u16, CallError> {
        let mut asked = self.asked_at.lock().unwrap();
        asked.push(self.clock.now().since_origin().as_millis() as u64);
        match self.script[(asked.len() - 1).min(self.script.len() - 1)] {
            0 => Err(CallError::new(ErrorClass::Connect, "ENETUNREACH")),
            status => Ok(status),
        }
    }

    /// One request to it, that runs when the result is polled.
    fn start(
        &self,
        config: RequestConfig,
        options: RequestOptions,
    ) -> (RetryHandle, impl Future<Output = RetryResult<u16>> + use<>) {
        let service = self.clone();
        let request = move |_: &Attempt<'_>| std::future::ready(service.answer());
        request_with_retry(request, config, self.clock.clone(), options).unwrap()
    }

    /// One request to it, waited for to the end.
    fn request(&self, config: RequestConfig) -> RetryResult<u16> {
        let options = RequestOptions { rng: Some(Arc::new(middle)), ..RequestOptions::default() };
        run(&self.clock, self.start(config, options).1)
    }
}

/// The same, for a service that is asked once.
fn request(script: &[u16], config: RequestConfig) -> (RetryResult<u16>, Vec<u64>) {
    let service = Service::new(&ManualClock::new(), script);
    let result = service.request(config);
    (result, service.asked_at())
}
