//! Streamed answers: the sink that the app's client pushes into, and the app's own function that gets the text.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::Unknown;
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{Argument, argument};
use super::errors::kind;
use super::executor::{JsPromise, Runtime};
use super::inner_client::Text;
use super::instance::{self, Instance, made_elsewhere};
use super::js::{Checked, Deferred, Scope, Value};
use super::kept::Reference;
use crate::client::TextSink as Sink;
use crate::log;

/// The most pieces that a client may push ahead of the app.
const MAX_AHEAD: usize = 10_000;

/// What `chatStream` of your client pushes the answer into. Only this module makes one.
#[napi]
#[repr(transparent)]
pub struct TextSink {
    instance: Instance<Pushing>,
}

struct Pushing {
    channel: Rc<Channel>,
    runtime: Rc<Runtime>,
}

#[napi]
impl TextSink {
    /// Only a streamed call makes one.
    #[napi(constructor, skip_typescript)]
    pub fn new(env: Env) -> Result<Self> {
        Err(made_elsewhere(Scope::of(env), "the sink that chatStream() of a client is given").into())
    }

    /// Hands a piece of the answer to the app.
    ///
    /// @param text the next piece; an empty one is no text yet
    /// @returns done when the app has taken it: await it before the next one, so that a slow page slows the service down
    /// instead of filling the memory. Rejects with INVALID_ARGUMENT for anything but a string, and for the 10 001st piece
    /// that nobody has taken
    #[napi(ts_args_type = "text: string", ts_return_type = "Promise<void>")]
    pub fn push(&self, env: Env, text: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let piece = argument(scope, text, "text");
        if scope.string_length(text.raw()).is_none() {
            return Ok(scope.rejected(piece.wrong("a string")));
        }
        if this.channel.pieces.borrow().len() >= MAX_AHEAD {
            return Ok(scope.rejected(piece.wrong("at most 10000 pieces that are not taken yet: await push()")));
        }
        let (deferred, promise) = scope.promise();
        let units = scope.as_utf16(text.raw());
        this.runtime.enter(|scope| this.channel.send(scope, units, deferred))?;
        Ok(scope.unknown(promise))
    }

    /// Tells that the service is there. It counts for nothing: a service that only sends these is given up in time.
    #[napi]
    pub fn keep_alive(&self, env: Env) -> Result<()> {
        self.instance.of(env).map(|_| ()).map_err(Into::into)
    }

    /// Whether nobody takes text any more, because the attempt was cancelled or given up: stop sending.
    #[napi(getter)]
    pub fn closed(&self, env: Env) -> Result<bool> {
        Ok(self.instance.of(env)?.channel.closed.get())
    }
}

/// Pieces between the app's client and the core.
#[derive(Default)]
pub struct Channel {
    pieces: RefCell<VecDeque<(Vec<u16>, Deferred)>>,
    waker: Cell<Option<Waker>>,
    closed: Cell<bool>,
}

impl Channel {
    fn send(&self, scope: Scope, units: Vec<u16>, deferred: Deferred) {
        if self.closed.get() {
            return scope.resolve(deferred, scope.undefined());
        }
        self.pieces.borrow_mut().push_back((units, deferred));
        self.waker.take().into_iter().for_each(Waker::wake);
    }

    fn next(&self, context: &mut Context<'_>) -> Option<(Vec<u16>, Deferred)> {
        let piece = self.pieces.borrow_mut().pop_front();
        if piece.is_none() {
            self.waker.set(Some(context.waker().clone()));
        }
        piece
    }
}

/// The receiving end, which closes the channel when the attempt is over, however it ends.
pub struct Receiver {
    channel: Rc<Channel>,
    runtime: Rc<Runtime>,
}

impl Receiver {
    pub fn new(runtime: Rc<Runtime>) -> Self {
        Self { channel: Rc::default(), runtime }
    }

    /// The sink for the app's client.
    pub fn sink(&self, scope: Scope) -> Option<Value> {
        let pushing = Pushing { channel: self.channel.clone(), runtime: self.runtime.clone() };
        instance::make(scope, "TextSink\0", TextSink { instance: Instance::new(pushing) })
    }

    /// Passes pieces on until the client's promise is settled and all are through. Gives what it came to, and all text.
    pub async fn relay<T>(&self, sink: &impl Sink<Text>, settled: impl Future<Output = T>) -> (T, Vec<u16>) {
        enum Next<T> {
            Piece(Vec<u16>, Deferred),
            Settled(T),
        }
        let (mut settled, mut whole) = (pin!(settled), Vec::new());
        loop {
            let next = poll_fn(|context| match self.channel.next(context) {
                Some((units, deferred)) => Poll::Ready(Next::Piece(units, deferred)),
                None => settled.as_mut().poll(context).map(Next::Settled),
            });
            match next.await {
                Next::Piece(units, deferred) => {
                    whole.extend_from_slice(&units);
                    sink.push(Text::Units(units)).await;
                    let scope = self.runtime.scope();
                    scope.resolve(deferred, scope.undefined());
                }
                Next::Settled(result) => return (result, whole),
            }
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.channel.closed.set(true);
        let left = self.channel.pieces.take();
        // Nobody must wait for ever. Not at the end of the environment, where nothing can be settled.
        if self.runtime.is_alive() {
            let scope = self.runtime.scope();
            left.into_iter().for_each(|(_, deferred)| scope.resolve(deferred, scope.undefined()));
        }
    }
}

/// The app's function that shows the text of one call. What it throws costs the call nothing.
pub struct AppSink {
    runtime: Rc<Runtime>,
    on_text: Reference,
    errors: Arc<AtomicU64>,
}

impl AppSink {
    /// `errors` counts what the function throws.
    pub fn read(runtime: &Rc<Runtime>, on_text: Argument, errors: &Arc<AtomicU64>) -> Checked<Self> {
        let on_text = on_text.reference(runtime)?;
        Ok(Self { runtime: runtime.clone(), on_text, errors: errors.clone() })
    }
}

impl Sink<Text> for AppSink {
    async fn push(&self, text: Text) {
        let scope = self.runtime.scope();
        let called = scope.call(scope.undefined(), self.on_text.value(scope), &[text.value(scope)]);
        let taken = JsPromise::called(&self.runtime, scope, called, |scope, result| {
            result.map(drop).map_err(|thrown| kind(scope, thrown))
        });
        if let Err(thrown) = taken.await {
            self.errors.fetch_add(1, Ordering::Relaxed);
            log::warn(format_args!("onText failed: {thrown}"));
        }
    }
}

/// Keeps the text of a stream for a call that wants the whole answer.
pub struct Discard;

impl Sink<Text> for Discard {
    async fn push(&self, _text: Text) {}
}
