//! Sleeps that begin, end early or are given up while time moves on.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;

use loom::future::block_on;
use loom::thread;
use resilience::clock::{Clock, ManualClock, Timer, Timestamp};
use resilience::device::{Device, DeviceTimer};

use crate::{Wakes, large_model, model, ms};

const END: Timestamp = Timestamp::from_millis(10);

#[test]
fn no_sleep_is_passed_over() {
    model(|| {
        let clock = ManualClock::new();
        let moved = clock.clone();
        let advancing = thread::spawn(move || moved.advance(ms(10)));
        block_on(clock.sleep_until(END));
        advancing.join().unwrap();
        assert_eq!((clock.now(), clock.pending_sleeps()), (END, 0));
    });
}

#[test]
fn two_who_move_the_clock_wake_a_sleep_once() {
    model(|| {
        let clock = ManualClock::new();
        let (wakes, waker) = Wakes::new();
        let mut sleep = clock.sleep_until(END);
        assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(&waker)).is_pending());
        let moved = clock.clone();
        let waking = thread::spawn(move || moved.wake_next_until(END));
        clock.advance(ms(10));
        waking.join().unwrap();
        assert_eq!(wakes.count(), 1);
        assert!(Pin::new(&mut sleep).poll(&mut Context::from_waker(&waker)).is_ready());
    });
}

#[test]
fn a_sleep_that_is_given_up_meanwhile_leaves_nothing_behind_and_keeps_nobody_asleep() {
    model(|| {
        let clock = ManualClock::new();
        let (wakes, waker) = Wakes::new();
        let mut sleeps = [clock.sleep_until(END), clock.sleep_until(END)];
        for sleep in &mut sleeps {
            assert!(Pin::new(sleep).poll(&mut Context::from_waker(&waker)).is_pending());
        }
        let moved = clock.clone();
        let advancing = thread::spawn(move || moved.advance(ms(10)));
        let [given_up, _kept] = sleeps;
        drop(given_up);
        advancing.join().unwrap();
        assert!((1..=2).contains(&wakes.count()));
        assert_eq!(clock.pending_sleeps(), 0);
    });
}

/// The app is resumed at the moment at which the sleep would end without the suspension.
#[test]
fn a_sleep_over_a_suspension_ends_and_never_early() {
    large_model(|| {
        let clock = ManualClock::new();
        let device = Arc::new(Device::new(clock.clone()));
        let timer = DeviceTimer::new(clock.clone(), device.clone());
        device.suspended();
        let resuming = thread::spawn(move || device.resumed());
        let (moved, sleeper) = (clock.clone(), timer.clone());
        let advancing = thread::spawn(move || moved.advance(ms(10)));
        let sleeping = thread::spawn(move || {
            block_on(sleeper.sleep_until(END));
            assert!(sleeper.now() >= END, "not early");
        });
        resuming.join().unwrap();
        advancing.join().unwrap();
        // As long as the suspension was at the most.
        clock.advance(ms(10));
        sleeping.join().unwrap();
        assert_eq!(clock.pending_sleeps(), 0);
    });
}
