//! The bell that other threads ring for the JS thread, and the alarm that rings it at a time: queue, timers and alarm are the
//! product's files. Only what the JS thread does when it is called (`on_wake`) is said again here.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Context;

use loom::thread;

use self::queue::Queue;
use self::timers::{JsSleep, Timers};
use crate::clock::Timestamp;
use crate::stand_ins::engine::{Engine, sys};
use crate::{Wakes, large_model, model};

#[path = "../../../src/napi/executor/alarm.rs"]
mod alarm;
#[path = "../../../src/napi/executor/queue.rs"]
mod queue;
#[allow(dead_code)]
#[path = "../../../src/napi/executor/timers.rs"]
mod timers;

use crate::stand_ins as timer_thread;

/// Has come, and never comes.
const NOW: Timestamp = Timestamp::ZERO;
const NEVER: Timestamp = Timestamp::from_millis(1_000_000_000_000);

/// As much of it as a sleep needs.
pub struct Runtime {
    engine: Arc<Engine>,
    queue: Arc<Queue>,
    timers: Timers,
}

unsafe extern "C" fn on_ring(
    _env: sys::napi_env,
    _function: sys::napi_value,
    _context: *mut std::ffi::c_void,
    _data: *mut std::ffi::c_void,
) {
}

impl Runtime {
    fn start() -> Rc<Self> {
        let engine = Arc::new(Engine::default());
        let queue = Arc::new(Queue::new(engine.scope(), on_ring));
        Rc::new(Self { engine, timers: Timers::new(queue.clone()), queue })
    }

    /// Waits for a call and does as `on_wake`; gives the tasks that were woken.
    fn called(&self) -> Vec<usize> {
        self.engine.wait();
        let woken = self.queue.answer();
        self.timers.fire_due();
        woken
    }

    /// Sleeps, and is woken once.
    fn sleep_until(self: &Rc<Self>, deadline: Timestamp) -> (Arc<Wakes>, JsSleep) {
        let (wakes, waker) = Wakes::new();
        let mut sleep = JsSleep::until(self.clone(), deadline);
        assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(&waker)).is_pending());
        (wakes, sleep)
    }

    fn push_on_another_thread(&self, task: usize) -> thread::JoinHandle<()> {
        let queue = self.queue.clone();
        thread::spawn(move || queue.push(task))
    }

    fn shut_down(&self) {
        self.queue.close();
        self.timers.clear();
    }
}

#[test]
fn each_task_that_is_woken_is_heard_of_once() {
    model(|| {
        let runtime = Runtime::start();
        let pushing = [1, 2].map(|task| runtime.push_on_another_thread(task));
        let mut woken = Vec::new();
        while woken.len() < 2 {
            woken.extend(runtime.called());
        }
        woken.sort_unstable();
        assert_eq!(woken, [1, 2]);
        pushing.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(runtime.queue.answer().is_empty());
    });
}

#[test]
fn nobody_rings_once_the_environment_goes_down() {
    model(|| {
        let runtime = Runtime::start();
        let pushing = [1, 2].map(|task| runtime.push_on_another_thread(task));
        runtime.shut_down();
        pushing.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn the_alarm_rings_for_the_earliest_each_time() {
    large_model(|| {
        let runtime = Runtime::start();
        let (late, late_sleep) = runtime.sleep_until(NEVER);
        for _ in 0..2 {
            let (early, mut sleep) = runtime.sleep_until(NOW);
            while early.count() == 0 {
                runtime.called();
            }
            let (_, waker) = Wakes::new();
            assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(&waker)).is_ready());
            assert_eq!(early.count(), 1);
        }
        drop(late_sleep);
        assert_eq!(late.count(), 0);
        runtime.shut_down();
    });
}

#[test]
fn a_sleep_and_a_task_at_once_are_both_heard_of() {
    large_model(|| {
        let runtime = Runtime::start();
        let (wakes, _sleep) = runtime.sleep_until(NOW);
        let pushing = runtime.push_on_another_thread(1);
        let mut woken = Vec::new();
        while woken.is_empty() || wakes.count() == 0 {
            woken.extend(runtime.called());
        }
        assert_eq!((woken.as_slice(), wakes.count()), ([1].as_slice(), 1));
        pushing.join().unwrap();
        runtime.shut_down();
    });
}

#[test]
fn a_sleep_that_is_given_up_leaves_an_alarm_that_harms_nobody() {
    model(|| {
        let runtime = Runtime::start();
        let (given_up, sleep) = runtime.sleep_until(NOW);
        drop(sleep);
        let (kept, _sleep) = runtime.sleep_until(NOW);
        while kept.count() == 0 {
            runtime.called();
        }
        assert_eq!((given_up.count(), kept.count()), (0, 1));
        runtime.shut_down();
    });
}
