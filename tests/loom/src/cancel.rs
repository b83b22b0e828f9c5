//! A token that is cancelled while others come and go.

use std::sync::Arc;

use loom::future::block_on;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use resilience::cancel::{CancelReason, CancelToken, Registration};

use crate::model;

/// Counts calls of its listeners.
#[derive(Clone)]
struct Told(Arc<AtomicUsize>);

impl Told {
    fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(0)))
    }

    fn listen(&self, token: &CancelToken) -> Option<Registration> {
        let told = self.0.clone();
        token.on_cancel(move |_| _ = told.fetch_add(1, Ordering::SeqCst))
    }

    fn times(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn cancel_on_another_thread(token: &CancelToken) -> thread::JoinHandle<()> {
    let token = token.clone();
    thread::spawn(move || token.cancel(CancelReason::Timeout))
}

#[test]
fn a_listener_is_told_once_or_knows_that_it_came_too_late() {
    model(|| {
        let (token, told) = (CancelToken::new(), Told::new());
        let cancelling = cancel_on_another_thread(&token);
        let registration = told.listen(&token);
        if registration.is_none() {
            assert_eq!(token.reason(), Some(CancelReason::Timeout));
        }
        cancelling.join().unwrap();
        assert_eq!((told.times(), token.listeners()), (usize::from(registration.is_some()), 0));
    });
}

#[test]
fn two_who_cancel_tell_each_listener_once_and_the_first_reason_stays() {
    model(|| {
        let (token, told) = (CancelToken::new(), Told::new());
        let child = token.child();
        let _registrations = [told.listen(&token), told.listen(&child)];
        let cancelling = cancel_on_another_thread(&token);
        token.cancel(CancelReason::Cancelled);
        let reason = token.reason();
        cancelling.join().unwrap();
        assert_eq!((told.times(), token.reason(), child.reason()), (2, reason, reason));
    });
}

#[test]
fn a_listener_that_is_taken_back_is_told_once_at_the_most() {
    model(|| {
        let (token, told) = (CancelToken::new(), Told::new());
        let (first, second) = (told.listen(&token), told.listen(&token));
        let cancelling = cancel_on_another_thread(&token);
        drop(first);
        cancelling.join().unwrap();
        assert!((1..=2).contains(&told.times()) && second.is_some());
        assert_eq!(token.listeners(), 0);
    });
}

#[test]
fn no_wait_misses_the_cancel() {
    model(|| {
        let token = CancelToken::new();
        let cancelling = cancel_on_another_thread(&token);
        block_on(token.cancelled());
        cancelling.join().unwrap();
        assert_eq!(token.listeners(), 0);
    });
}

#[test]
fn a_child_that_is_made_meanwhile_is_cancelled() {
    model(|| {
        let token = CancelToken::new();
        let cancelling = cancel_on_another_thread(&token);
        let child = token.child();
        cancelling.join().unwrap();
        assert_eq!(child.reason(), Some(CancelReason::Timeout));
    });
}

#[test]
fn a_token_that_is_closed_meanwhile_tells_all_or_none() {
    model(|| {
        let (parent, told) = (CancelToken::new(), Told::new());
        let token = parent.child();
        let _registrations = [told.listen(&token), told.listen(&token)];
        let cancelling = cancel_on_another_thread(&parent);
        token.close();
        cancelling.join().unwrap();
        assert!(matches!(told.times(), 0 | 2), "{}", told.times());
        assert_eq!((token.listeners(), parent.listeners()), (0, 0));
    });
}
