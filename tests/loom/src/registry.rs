//! Threads that ask for instances by name.

use std::sync::Arc;

use loom::thread;
use resilience::InvalidConfig;
use resilience::registry::{Registered, Registry};

use crate::model;

/// Idle at any time.
struct Instance;

impl Registered for Instance {
    type Config = ();

    fn create((): ()) -> Result<Self, InvalidConfig> {
        Ok(Self)
    }

    fn config(&self) {}

    fn is_idle(&self) -> bool {
        true
    }
}

#[test]
fn who_asks_for_one_name_at_once_gets_one_instance() {
    model(|| {
        let registry = Arc::new(Registry::<Instance>::new());
        let other = registry.clone();
        let there = thread::spawn(move || other.get_or_create("name", ()).unwrap().0);
        let here = registry.get_or_create("name", ()).unwrap().0;
        assert!(Arc::ptr_eq(&here, &there.join().unwrap()));
        assert_eq!(registry.len(), 1);
    });
}

/// The one that is there is idle, and taken at the moment at which room is needed.
#[test]
fn what_somebody_has_by_now_is_not_replaced() {
    model(|| {
        let registry = Arc::new(Registry::<Instance>::with_limit(1).unwrap());
        drop(registry.get_or_create("old", ()).unwrap());
        let other = registry.clone();
        let newcomer = thread::spawn(move || other.get_or_create("new", ()).map(drop));
        // Looks at all, which is no use of any. None is there between the one and the other.
        let taken = registry.snapshot().pop();
        let outcome = newcomer.join().unwrap();
        let Some((name, instance)) = taken else { return outcome.unwrap() };
        assert!(registry.get(&name).is_some_and(|now| Arc::ptr_eq(&now, &instance)), "{name} is kept");
        assert_eq!(outcome.is_err(), name == "old");
        assert_eq!(registry.len(), 1);
    });
}
