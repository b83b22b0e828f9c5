//! Cancelling a call: it ends at once, also in the middle of a wait, and the client in flight is told.

use std::collections::BTreeMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use crate::lock::lock;
use crate::sync::Mutex;

/// Why a token was cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    /// The app asked for it.
    Cancelled,
    /// The attempt ran out of its time.
    Timeout,
}

impl CancelReason {
    /// As ArkTS sees it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
        }
    }
}

/// A switch that goes from "running" to "cancelled" once. Clones are the same switch.
///
/// A [child](Self::child) is cancelled with its parent, but not the other way round. A wait or a child that is dropped
/// leaves nothing behind at the token, so one token can serve any number of calls.
///
/// ```
/// use resilience::cancel::{CancelReason, CancelToken};
///
/// let call = CancelToken::new();
/// let attempt = call.child();
/// attempt.cancel(CancelReason::Timeout);
/// assert!(!call.is_cancelled());
/// call.cancel(CancelReason::Cancelled);
/// assert_eq!(attempt.reason(), Some(CancelReason::Timeout), "the first reason stays");
/// ```
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    reason: Option<CancelReason>,
    closed: bool,
    next_id: u64,
    listeners: BTreeMap<u64, Listener>,
    /// A child's places at its parents, given up with the child.
    parents: Vec<Registration>,
}

enum Listener {
    Wake(Waker),
    Call(Box<dyn FnOnce(CancelReason) + Send>),
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled with this one.
    pub fn child(&self) -> Self {
        Self::child_of([self])
    }

    /// A token that is cancelled with any of these.
    pub fn child_of<const N: usize>(parents: [&Self; N]) -> Self {
        let child = Arc::new_cyclic(|child: &Weak<Mutex<State>>| {
            let follow = |parent: &Self| {
                let child = child.clone();
                parent.on_cancel(move |reason| child.upgrade().into_iter().for_each(|state| Self(state).cancel(reason)))
            };
            Mutex::new(State { parents: parents.into_iter().filter_map(follow).collect(), ..State::default() })
        });
        if let Some(reason) = parents.iter().find_map(|parent| parent.reason()) {
            Self(child.clone()).cancel(reason);
        }
        Self(child)
    }

    /// Cancels this token and its children: first come, first told. Only the first call counts.
    pub fn cancel(&self, reason: CancelReason) {
        {
            let mut state = lock(&self.0);
            if state.reason.is_some() {
                return;
            }
            state.reason = Some(reason);
        }
        // One by one and outside the lock: a listener may ask this token, or take another one back.
        while let Some(listener) = self.next_listener() {
            let tell = || match listener {
                Listener::Wake(waker) => waker.wake(),
                Listener::Call(call) => call(reason),
            };
            // One that panics must not keep the others from being told.
            drop(catch_unwind(AssertUnwindSafe(tell)));
        }
    }

    fn next_listener(&self) -> Option<Listener> {
        lock(&self.0).listeners.pop_first().map(|(_, listener)| listener)
    }

    /// Whether it is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.reason().is_some()
    }

    /// Why, once it is cancelled. A child that was cancelled through its parent has the parent's reason.
    pub fn reason(&self) -> Option<CancelReason> {
        lock(&self.0).reason
    }

    /// Ready once it is cancelled: never, when it is [closed](Self::close) before.
    pub fn cancelled(&self) -> Cancelled {
        Cancelled { token: self.clone(), registration: None }
    }

    /// Calls `listener` when the token is cancelled, unless the registration is dropped before. `None`: `listener` will
    /// not be called, for the token already is cancelled and has a [reason](Self::reason), or is [closed](Self::close) and
    /// has none.
    #[must_use = "a dropped registration is taken back"]
    pub fn on_cancel(&self, listener: impl FnOnce(CancelReason) + Send + 'static) -> Option<Registration> {
        self.register(Listener::Call(Box::new(listener)))
    }

    /// Forgets all listeners, and its parent, and takes no new ones: nobody will be told any more. For an attempt that is
    /// over, however long its client keeps the token. Those that a cancel is telling are still told.
    ///
    /// ```
    /// use resilience::cancel::{CancelReason, CancelToken};
    ///
    /// let token = CancelToken::new();
    /// token.close();
    /// assert!(token.on_cancel(|_| unreachable!()).is_none());
    /// assert_eq!(token.reason(), None, "closed, not cancelled");
    /// token.cancel(CancelReason::Cancelled);
    /// assert!(token.is_cancelled(), "who asks still learns it");
    /// ```
    pub fn close(&self) {
        let forgotten = {
            let mut state = lock(&self.0);
            state.closed = true;
            let told = state.reason.is_some();
            let listeners = if told { BTreeMap::new() } else { std::mem::take(&mut state.listeners) };
            (listeners, std::mem::take(&mut state.parents))
        };
        // Outside the lock: both may have a drop of their own.
        drop(forgotten);
    }

    fn register(&self, listener: Listener) -> Option<Registration> {
        let mut state = lock(&self.0);
        if state.closed || state.reason.is_some() {
            return None;
        }
        state.next_id += 1;
        let id = state.next_id;
        state.listeners.insert(id, listener);
        Some(Registration { token: Arc::downgrade(&self.0), id })
    }

    /// How many listeners, waits and children are registered.
    pub fn listeners(&self) -> usize {
        lock(&self.0).listeners.len()
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CancelToken").field(&self.reason()).finish()
    }
}

/// A listener's place at a [`CancelToken`]. Dropping it takes the listener back.
pub struct Registration {
    token: Weak<Mutex<State>>,
    id: u64,
}

impl Drop for Registration {
    fn drop(&mut self) {
        let removed = self.token.upgrade().map(|state| lock(&state).listeners.remove(&self.id));
        // Outside the lock: what the listener holds may have a drop of its own.
        drop(removed);
    }
}

/// The wait of [`CancelToken::cancelled`].
pub struct Cancelled {
    token: CancelToken,
    registration: Option<Registration>,
}

impl Future for Cancelled {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let state = lock(&self.token.0);
        if state.reason.is_some() {
            return Poll::Ready(());
        }
        let registered = self.registration.as_ref().and_then(|place| state.listeners.get(&place.id));
        if matches!(registered, Some(Listener::Wake(waker)) if waker.will_wake(context.waker())) {
            return Poll::Pending;
        }
        drop(state);
        // A new place, for the waker is not this crate's own: it must not be cloned or dropped under the lock.
        self.registration = self.token.register(Listener::Wake(context.waker().clone()));
        let waits = self.registration.is_some() || !self.token.is_cancelled();
        if waits { Poll::Pending } else { Poll::Ready(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn a_dropped_wait_and_a_dropped_child_leave_nothing_behind() {
        let token = CancelToken::new();
        for _ in 0..1_000 {
            let mut wait = Box::pin(token.cancelled());
            let child = token.child();
            assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            assert_eq!(token.listeners(), 2);
            drop((wait, child));
        }
        assert_eq!(token.listeners(), 0);
    }

    /// Notes, as the last of its wakers goes, whether the token can be asked.
    struct Asks(CancelToken, Arc<Mutex<Vec<bool>>>);
    impl std::task::Wake for Asks {
        fn wake(self: Arc<Self>) {}
    }
    impl Drop for Asks {
        fn drop(&mut self) {
            lock(&self.1).push(self.0.0.try_lock().is_ok());
        }
    }

    #[test]
    fn a_waker_may_ask_the_token_as_it_is_dropped() {
        let (token, could_ask) = (CancelToken::new(), Arc::default());
        let mut wait = token.cancelled();
        for _ in 0..2 {
            let waker = Waker::from(Arc::new(Asks(token.clone(), Arc::clone(&could_ask))));
            for _ in 0..2 {
                assert!(Pin::new(&mut wait).poll(&mut Context::from_waker(&waker)).is_pending());
                assert_eq!(token.listeners(), 1);
            }
        }
        assert_eq!(*could_ask.lock().unwrap(), [true], "replaced by the second");
        drop(wait);
        assert_eq!(*could_ask.lock().unwrap(), [true; 2]);
    }

    #[test]
    fn a_child_of_a_cancelled_token_is_cancelled() {
        let token = CancelToken::new();
        token.cancel(CancelReason::Timeout);
        assert_eq!(token.child().reason(), Some(CancelReason::Timeout));
    }

    #[test]
    fn a_listener_is_called_once_with_the_reason() {
        let calls = Arc::new(AtomicUsize::new(0));
        let token = CancelToken::new();
        let seen = calls.clone();
        let registration = token.on_cancel(move |reason| {
            assert_eq!(reason, CancelReason::Cancelled);
            seen.fetch_add(1, Ordering::SeqCst);
        });
        assert!(registration.is_some());
        token.cancel(CancelReason::Cancelled);
        token.cancel(CancelReason::Timeout);
        assert_eq!(calls.load(Ordering::SeqCst), 1);
        assert!(token.on_cancel(|_| ()).is_none());
    }

    #[test]
    fn a_listener_that_panics_keeps_nobody_from_being_told() {
        let token = CancelToken::new();
        let child = token.child();
        let mut wait = Box::pin(child.cancelled());
        assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let told = Arc::new(AtomicUsize::new(0));
        let after = told.clone();
        let _first = token.on_cancel(|_| panic!("listener gone wrong"));
        let _second = token.on_cancel(move |_| after.store(1, Ordering::SeqCst));
        token.cancel(CancelReason::Cancelled);
        assert_eq!((told.load(Ordering::SeqCst), child.reason()), (1, Some(CancelReason::Cancelled)));
        assert!(wait.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    }

    #[test]
    fn a_waker_that_panics_keeps_nobody_from_being_told() {
        struct Panics;
        impl std::task::Wake for Panics {
            fn wake(self: Arc<Self>) {
                panic!("waker gone wrong");
            }
        }
        let token = CancelToken::new();
        let mut wait = token.cancelled();
        let waker = Waker::from(Arc::new(Panics));
        assert!(Pin::new(&mut wait).poll(&mut Context::from_waker(&waker)).is_pending());
        let child = token.child();
        token.cancel(CancelReason::Cancelled);
        assert!(child.is_cancelled());
    }

    #[test]
    fn a_listener_that_another_one_takes_back_is_not_told() {
        let (token, told) = (CancelToken::new(), Arc::new(Mutex::new(Vec::new())));
        let tell = |name| {
            let told = told.clone();
            token.on_cancel(move |_| lock(&told).push(name))
        };
        let second = Arc::new(Mutex::new(None));
        let taken_back = second.clone();
        let _first = token.on_cancel(move |_| drop(lock(&taken_back).take()));
        *lock(&second) = tell("second");
        let _third = tell("third");
        token.cancel(CancelReason::Cancelled);
        assert_eq!((lock(&told).as_slice(), token.listeners()), (["third"].as_slice(), 0));
    }

    #[test]
    fn a_closed_token_takes_no_listeners() {
        let (parent, told) = (CancelToken::new(), Arc::new(AtomicUsize::new(0)));
        let token = parent.child();
        let listen = || {
            let told = told.clone();
            token.on_cancel(move |_| _ = told.fetch_add(1, Ordering::SeqCst))
        };
        let early = listen();
        let mut wait = token.cancelled();
        let mut is_pending = || Pin::new(&mut wait).poll(&mut Context::from_waker(Waker::noop())).is_pending();
        assert!(is_pending());
        token.close();
        assert_eq!((token.listeners(), parent.listeners()), (0, 0));
        assert!(listen().is_none());
        let child = token.child();
        assert!(is_pending() && token.listeners() == 0);
        parent.cancel(CancelReason::Cancelled);
        assert_eq!((token.reason(), child.reason()), (None, None), "its parent is no longer its own");
        token.cancel(CancelReason::Timeout);
        assert_eq!((token.reason(), child.reason()), (Some(CancelReason::Timeout), None));
        assert!(!is_pending());
        assert_eq!((early.is_some(), told.load(Ordering::SeqCst)), (true, 0));
    }

    #[test]
    fn closing_in_the_middle_of_a_cancel_keeps_nobody_from_being_told() {
        let (token, told) = (CancelToken::new(), Arc::new(AtomicUsize::new(0)));
        let (closed, second) = (token.clone(), told.clone());
        let _first = token.on_cancel(move |_| closed.close());
        let _second = token.on_cancel(move |_| second.store(1, Ordering::SeqCst));
        token.cancel(CancelReason::Cancelled);
        assert_eq!((told.load(Ordering::SeqCst), token.listeners()), (1, 0));
    }

    #[test]
    fn the_first_reason_stays_whoever_comes_first() {
        let token = CancelToken::new();
        let child = token.child();
        child.cancel(CancelReason::Timeout);
        token.cancel(CancelReason::Cancelled);
        token.cancel(CancelReason::Timeout);
        assert_eq!((child.reason(), token.reason()), (Some(CancelReason::Timeout), Some(CancelReason::Cancelled)));
    }

    #[test]
    fn a_child_that_is_made_while_its_parent_is_cancelled_is_cancelled() {
        for _ in 0..1_000 {
            let token = CancelToken::new();
            let canceller = token.clone();
            let thread = std::thread::spawn(move || canceller.cancel(CancelReason::Cancelled));
            let child = token.child();
            thread.join().unwrap();
            assert!(child.is_cancelled());
        }
    }
}
