//! Who is told of the events of one breaker, and in which order.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Included};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::event::BreakerEvent;
use crate::lock::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::thread::{self, ThreadId};

type Listener = Arc<dyn Fn(&BreakerEvent) + Send + Sync>;

/// Tells events outside any lock. What a listener brings about is told on the same thread, once all have heard of the event
/// before it.
#[derive(Default)]
pub(super) struct Listeners {
    register: Mutex<Register>,
    errors: AtomicU64,
}

#[derive(Default)]
struct Register {
    listeners: BTreeMap<u64, Listener>,
    /// The last number that was given.
    newest: u64,
    /// The threads that tell events at this moment.
    telling: Vec<Round>,
}

/// What one thread tells in one go.
struct Round {
    thread: ThreadId,
    untold: VecDeque<News>,
    events: usize,
}

/// The most events that are told in one go: listeners that answer each change with another one would go on for ever.
const MAX_EVENTS: usize = 100;

/// An event, and the newest of those who are to hear of it.
type News = (BreakerEvent, u64);

impl Listeners {
    pub fn add(&self, listener: impl Fn(&BreakerEvent) + Send + Sync + 'static) -> u64 {
        let mut register = lock(&self.register);
        register.newest += 1;
        let number = register.newest;
        register.listeners.insert(number, Arc::new(listener));
        number
    }

    /// False: there is none of that number.
    pub fn remove(&self, number: u64) -> bool {
        let removed = lock(&self.register).listeners.remove(&number);
        // Dropped outside the lock: what a listener holds may ask its breaker as it goes.
        removed.is_some()
    }

    /// How often one panicked, and how many events were not told.
    pub fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Tells all of `event`, unless this thread is telling an earlier one: then it follows on that, as one of at most
    /// [`MAX_EVENTS`].
    pub fn tell(&self, event: BreakerEvent) {
        let Some(telling) = Telling::begin(self, event) else { return };
        while let Some((event, newest)) = telling.next() {
            let mut told = 0;
            while let Some((number, listener)) = self.next_of(told, newest) {
                told = number;
                if catch_unwind(AssertUnwindSafe(move || listener(&event))).is_err() {
                    self.errors.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
    }

    /// The one after `told`, up to `newest`. Looked up one by one: a listener may take the next one back.
    fn next_of(&self, told: u64, newest: u64) -> Option<(u64, Listener)> {
        let register = lock(&self.register);
        let (number, listener) = register.listeners.range((Excluded(told), Included(newest))).next()?;
        Some((*number, listener.clone()))
    }
}

/// This thread tells events: of one breaker it does so once at a time.
struct Telling<'a> {
    register: &'a Mutex<Register>,
    thread: ThreadId,
}

impl<'a> Telling<'a> {
    /// `None`: this thread does so already, and will tell this event too.
    fn begin(listeners: &'a Listeners, event: BreakerEvent) -> Option<Self> {
        let this = thread::current().id();
        let mut register = lock(&listeners.register);
        let news = (event, register.newest);
        let Some(round) = register.telling.iter_mut().find(|round| round.thread == this) else {
            register.telling.push(Round { thread: this, untold: VecDeque::from([news]), events: 1 });
            return Some(Self { register: &listeners.register, thread: this });
        };
        round.events += 1;
        if round.events <= MAX_EVENTS {
            round.untold.push_back(news);
        } else {
            listeners.errors.fetch_add(1, Ordering::Relaxed);
        }
        None
    }

    fn next(&self) -> Option<News> {
        let mut register = lock(self.register);
        register.telling.iter_mut().find(|round| round.thread == self.thread)?.untold.pop_front()
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        lock(self.register).telling.retain(|round| round.thread != self.thread);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;
    use crate::breaker::{BreakerState, TransitionReason};
    use crate::clock::Timestamp;

    /// An event that is known by its number of failures.
    fn event(failures: u32) -> BreakerEvent {
        let (from, to) = (BreakerState::Closed, BreakerState::Open);
        let (reason, at, cooldown) = (TransitionReason::Failures, Timestamp::ZERO, Duration::ZERO);
        BreakerEvent { from, to, reason, at, failures, cooldown }
    }

    type Heard = Arc<Mutex<Vec<(&'static str, u32)>>>;

    fn note(listeners: &Listeners, name: &'static str, heard: &Heard) -> u64 {
        let heard = heard.clone();
        listeners.add(move |event| lock(&heard).push((name, event.failures)))
    }

    #[test]
    fn what_a_listener_brings_about_is_told_after_what_it_was_told() {
        let (listeners, heard) = (Arc::new(Listeners::default()), Heard::default());
        note(&listeners, "first", &heard);
        let (within, late) = (Arc::downgrade(&listeners), heard.clone());
        listeners.add(move |told| {
            let listeners = within.upgrade().unwrap();
            if told.failures == 1 {
                listeners.tell(event(2));
                note(&listeners, "late", &late);
                listeners.tell(event(3));
            }
        });
        note(&listeners, "last", &heard);
        listeners.tell(event(1));
        let in_order = [("first", 1), ("last", 1), ("first", 2), ("last", 2), ("first", 3), ("last", 3), ("late", 3)];
        assert_eq!(*lock(&heard), in_order, "the late one was not there for the second");
        listeners.tell(event(4));
        assert_eq!(lock(&heard)[7..], [("first", 4), ("last", 4), ("late", 4)]);
    }

    #[test]
    fn listeners_that_answer_each_event_with_two_come_to_an_end() {
        let (listeners, heard) = (Arc::new(Listeners::default()), Heard::default());
        let within = Arc::downgrade(&listeners);
        listeners.add(move |told| (0..2).for_each(|_| within.upgrade().unwrap().tell(event(told.failures + 1))));
        note(&listeners, "other", &heard);
        for round in 1..=2 {
            listeners.tell(event(1));
            assert_eq!(lock(&heard).len(), round * MAX_EVENTS);
            // The first one brings about two hundred, of which 99 are told.
            assert_eq!(listeners.errors(), round as u64 * 101);
        }
    }

    #[test]
    fn one_that_is_taken_back_is_not_told_any_more() {
        let (listeners, heard) = (Arc::new(Listeners::default()), Heard::default());
        let within = Arc::downgrade(&listeners);
        let own = listeners.add(move |_| {
            let listeners = within.upgrade().unwrap();
            assert!(listeners.remove(1) && listeners.remove(2));
        });
        let second = note(&listeners, "second", &heard);
        note(&listeners, "third", &heard);
        listeners.tell(event(1));
        listeners.tell(event(2));
        assert_eq!((own, second, listeners.errors()), (1, 2, 0));
        assert_eq!(*lock(&heard), [("third", 1), ("third", 2)]);
        assert!(!listeners.remove(second) && listeners.remove(3), "each has a number of its own");
    }

    #[test]
    fn a_thread_waits_for_no_other_one_to_tell_its_events() {
        let (listeners, heard) = (Arc::new(Listeners::default()), Heard::default());
        note(&listeners, "first", &heard);
        let (within, told_there) = (Arc::downgrade(&listeners), Arc::new(Mutex::new(None)));
        let (result, heard_by_then) = (told_there.clone(), heard.clone());
        listeners.add(move |told| {
            if told.failures == 1 {
                let ((done, finished), listeners) = (mpsc::channel(), within.upgrade().unwrap());
                let heard = heard_by_then.clone();
                thread::spawn(move || {
                    listeners.tell(event(2));
                    done.send(lock(&heard).len())
                });
                *lock(&result) = finished.recv_timeout(Duration::from_secs(10)).ok();
            }
        });
        listeners.tell(event(1));
        assert_eq!(*lock(&told_there), Some(2), "both were told when the other thread came back");
        assert_eq!(*lock(&heard), [("first", 1), ("first", 2)]);
    }

    #[test]
    fn a_panic_that_gets_out_does_not_keep_the_thread_from_telling_again() {
        struct PanicsAgain;
        impl Drop for PanicsAgain {
            fn drop(&mut self) {
                panic!("while the first panic is put away");
            }
        }
        let (listeners, heard) = (Listeners::default(), Heard::default());
        let panics = listeners.add(|_| std::panic::panic_any(PanicsAgain));
        note(&listeners, "second", &heard);
        assert!(catch_unwind(AssertUnwindSafe(|| listeners.tell(event(1)))).is_err());
        listeners.remove(panics);
        listeners.tell(event(2));
        assert_eq!(*lock(&heard), [("second", 2)]);
    }

    #[test]
    fn what_a_listener_holds_may_ask_as_it_is_dropped() {
        struct Asks(Arc<Listeners>, Arc<Mutex<Option<bool>>>);
        impl Drop for Asks {
            fn drop(&mut self) {
                *lock(&self.1) = Some(self.0.register.try_lock().is_ok());
            }
        }
        let (listeners, could_ask) = (Arc::new(Listeners::default()), Arc::default());
        let held = Asks(listeners.clone(), Arc::clone(&could_ask));
        assert!(listeners.remove(listeners.add(move |_| _ = &held)));
        assert_eq!(*lock(&could_ask), Some(true));
    }
}
