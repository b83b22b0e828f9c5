use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use pin_project_lite::pin_project;

use crate::cancel::CancelToken;

/// Which of the three came first.
pub(crate) enum Raced<T, E = ()> {
    Done(T),
    Cancelled,
    TimedOut(E),
}

/// Runs `work` until it is done, `cancel` is cancelled or `timeout` is over. In this order: work that is done at the
/// very moment of its timeout counts as done.
///
/// Takes pinned references: a future that is moved into another one is stored there twice.
pub(crate) fn race<T, E>(
    mut work: Pin<&mut impl Future<Output = T>>,
    cancel: Option<&CancelToken>,
    mut timeout: Pin<&mut impl Future<Output = E>>,
) -> impl Future<Output = Raced<T, E>> {
    let mut cancelled = cancel.map(CancelToken::cancelled);
    poll_fn(move |context| {
        if let Poll::Ready(result) = work.as_mut().poll(context) {
            return Poll::Ready(Raced::Done(result));
        }
        if cancelled.as_mut().is_some_and(|cancelled| Pin::new(cancelled).poll(context).is_ready()) {
            return Poll::Ready(Raced::Cancelled);
        }
        timeout.as_mut().poll(context).map(Raced::TimedOut)
    })
}

/// Starts a future that is not this crate's own, and runs it. What it panics with becomes the error.
pub(super) fn caught<F: Future>(start: impl FnOnce() -> F) -> Caught<F> {
    match catch_unwind(AssertUnwindSafe(start)) {
        Ok(work) => Caught::Started { work },
        Err(panic) => Caught::Panicked { text: panic_text(panic) },
    }
}

pin_project! {
    /// See [`caught`]. No future around it: that would have room for it twice.
    #[project = CaughtProjection]
    pub(super) enum Caught<F> {
        Started {
            #[pin]
            work: F,
        },
        Panicked {
            text: String,
        },
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, String>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project() {
            CaughtProjection::Started { work } => match catch_unwind(AssertUnwindSafe(|| work.poll(context))) {
                Ok(poll) => poll.map(Ok),
                Err(panic) => Poll::Ready(Err(panic_text(panic))),
            },
            CaughtProjection::Panicked { text } => Poll::Ready(Err(std::mem::take(text))),
        }
    }
}

pin_project! {
    /// A future whose error is boxed: what it answers is moved about in the same place.
    pub(super) struct Boxed<F> {
        #[pin]
        pub work: F,
    }
}

impl<T, E, F: Future<Output = Result<T, E>>> Future for Boxed<F> {
    type Output = Result<T, Box<E>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().work.poll(context).map_err(Box::new)
    }
}

fn panic_text(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("no text").to_owned()
}
