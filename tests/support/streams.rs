use std::sync::Mutex;
use std::time::Duration;

use resilience::classify::CallError;
use resilience::client::{Attempt, LlmClient, TextSink};
use resilience::clock::{Clock, ManualClock, Timer};

use super::ms;

/// One step of a scripted stream.
#[derive(Clone)]
pub enum Step {
    Text(&'static str),
    Wait(u64),
    Fail(CallError),
    Hang,
}

/// Plays one script for each attempt, the last one again and again; ends well unless a step says otherwise.
pub struct Streams {
    clock: ManualClock,
    scripts: Vec<Vec<Step>>,
    attempts: Mutex<usize>,
}

impl Streams {
    pub fn new(clock: &ManualClock, scripts: Vec<Vec<Step>>) -> Self {
        Self { clock: clock.clone(), scripts, attempts: Mutex::default() }
    }

    pub fn attempts(&self) -> usize {
        *self.attempts.lock().unwrap()
    }
}

impl LlmClient for Streams {
    type Request = str;
    type Response = String;

    async fn chat(&self, _: &str, _: &Attempt<'_>) -> Result<String, CallError> {
        unreachable!("a streamed call streams")
    }

    async fn chat_stream<S: TextSink<String>>(&self, _: &str, sink: &S, _: &Attempt<'_>) -> Result<String, CallError> {
        let script = {
            let mut attempts = self.attempts.lock().unwrap();
            *attempts += 1;
            self.scripts[(*attempts - 1).min(self.scripts.len() - 1)].clone()
        };
        let mut whole = String::new();
        for step in script {
            match step {
                Step::Text(text) => {
                    whole.push_str(text);
                    sink.push(text.to_owned()).await;
                }
                Step::Wait(millis) => self.clock.sleep_until(self.clock.now() + ms(millis)).await,
                Step::Fail(error) => return Err(error),
                Step::Hang => std::future::pending().await,
            }
        }
        Ok(whole)
    }
}

/// A page that takes its time for each piece.
#[derive(Default)]
pub struct Page {
    clock: ManualClock,
    shown: Mutex<Vec<String>>,
    takes: Duration,
}

impl Page {
    pub fn new(clock: &ManualClock, takes: Duration) -> Self {
        Self { clock: clock.clone(), takes, ..Self::default() }
    }

    pub fn shown(&self) -> String {
        self.pieces().concat()
    }

    pub fn pieces(&self) -> Vec<String> {
        self.shown.lock().unwrap().clone()
    }
}

impl TextSink<String> for Page {
    async fn push(&self, text: String) {
        self.shown.lock().unwrap().push(text);
        self.clock.sleep_until(self.clock.now() + self.takes).await;
    }
}
