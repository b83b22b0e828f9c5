//! Clients of the core as the instances of their classes hold them: `ResilientLlmClient`, `ResilientLlmRunner`,
//! `ResilientAgent`.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use super::arguments::Argument;
use super::executor::Runtime;
use super::js::{Checked, Scope, Value};
use super::kept::{Hold, Keeper};
use super::stream::AppSink;

pub struct ClientHandle<C> {
    pub client: Rc<C>,
    pub runtime: Rc<Runtime>,
    /// Of everything that the app passed in; held by each call in flight.
    keeper: Rc<Keeper>,
    /// Counts what `onRetry` and `onText` throw.
    listener_errors: Arc<AtomicU64>,
}

impl<C> ClientHandle<C> {
    /// Around what `read` gives; `instance` keeps what the client needs of the app.
    pub fn new(
        scope: Scope,
        instance: Value,
        read: impl FnOnce(&Rc<Runtime>, &Rc<Keeper>, Arc<AtomicU64>) -> Checked<C>,
    ) -> Checked<Self> {
        let (runtime, listener_errors) = (Runtime::of(scope), Arc::default());
        let keeper = Keeper::new(&runtime, scope, instance);
        let client = runtime.enter(|_| read(&runtime, &keeper, Arc::clone(&listener_errors)))??;
        Ok(Self { client: Rc::new(client), runtime, keeper, listener_errors })
    }

    /// Does something with the client.
    pub fn with<T>(&self, work: impl FnOnce(&C) -> T) -> Checked<T> {
        self.runtime.enter(|_| work(&self.client))
    }

    /// Starts a call and gives its promise.
    pub fn start<F>(&self, scope: Scope, call: impl FnOnce(Rc<C>, Rc<Runtime>) -> F) -> Value
    where
        F: Future<Output = Result<Value, Value>> + 'static,
    {
        // Before the call: what comes between a future and its place on the heap moves it once more.
        let hold = self.keeper.hold();
        let call = call(self.client.clone(), self.runtime.clone());
        self.runtime.spawn(scope, Held { call, _hold: hold })
    }

    /// The `onText` of a streamed call.
    pub fn sink(&self, on_text: Argument) -> Checked<AppSink> {
        AppSink::read(&self.runtime, on_text, &self.listener_errors)
    }

    /// How often the app's listeners threw.
    pub fn listener_errors(&self) -> f64 {
        self.listener_errors.load(Ordering::Relaxed) as f64
    }
}

pin_project_lite::pin_project! {
    /// A call in flight. No future around it: that would have room for it twice.
    struct Held<F> {
        #[pin]
        call: F,
        _hold: Hold,
    }
}

impl<F: Future> Future for Held<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.project().call.poll(context)
    }
}
