use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use resilience::client::{Failure, Hooks, RetryEvent};
use resilience::retry::StopReason;

/// What the fallback hook of a test does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FallbackHook {
    Text(&'static str),
    Fails,
    Hangs,
    Panics,
}

/// Hooks that record what they were told, and misbehave when asked to.
pub struct TestHooks {
    pub fallback: FallbackHook,
    pub on_retry_panics: bool,
    /// Attempt and wait in milliseconds.
    pub retries: Mutex<Vec<(u32, u64)>>,
    pub fallbacks: AtomicU32,
    pub last_reason: Mutex<Option<StopReason>>,
}

impl TestHooks {
    pub fn new(fallback: FallbackHook) -> Self {
        Self {
            fallback,
            on_retry_panics: false,
            retries: Mutex::default(),
            fallbacks: AtomicU32::new(0),
            last_reason: Mutex::default(),
        }
    }
}

impl Hooks for &TestHooks {
    fn on_retry(&self, event: &RetryEvent<'_>) {
        self.retries.lock().unwrap().push((event.attempt, event.delay.as_millis() as u64));
        assert!(!self.on_retry_panics, "on_retry gone wrong");
    }

    async fn fallback(&self, failure: &Failure<'_>, _text: String) -> Result<String, String> {
        self.fallbacks.fetch_add(1, Ordering::SeqCst);
        *self.last_reason.lock().unwrap() = Some(failure.stop_reason);
        match self.fallback {
            FallbackHook::Text(text) => Ok(text.to_owned()),
            FallbackHook::Fails => Err("no fallback today".to_owned()),
            FallbackHook::Hangs => std::future::pending().await,
            FallbackHook::Panics => panic!("fallback gone wrong"),
        }
    }
}
