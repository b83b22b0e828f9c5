//! Values in the order of their use, each found by its key in constant time.

use std::collections::HashMap;

use super::CacheKey;

/// No slot: the end of the line.
const NONE: usize = usize::MAX;

/// A line of slots, linked by their places in a vector without holes; a hash map knows the place of each key.
///
/// Invariants: `places` and `slots` name the same keys; from `newest` along `older` all slots are reached, and from
/// `oldest` along `newer` in the opposite order.
pub(super) struct Lru<V> {
    slots: Vec<Slot<V>>,
    places: HashMap<CacheKey, usize>,
    newest: usize,
    oldest: usize,
}

struct Slot<V> {
    key: CacheKey,
    value: V,
    newer: usize,
    older: usize,
}

impl<V> Lru<V> {
    pub fn new() -> Self {
        Self { slots: Vec::new(), places: HashMap::new(), newest: NONE, oldest: NONE }
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// No use of it.
    pub fn contains(&self, key: CacheKey) -> bool {
        self.places.contains_key(&key)
    }

    /// The value, which becomes the newest.
    pub fn touch(&mut self, key: CacheKey) -> Option<&V> {
        let place = *self.places.get(&key)?;
        if place != self.newest {
            self.unlink(place);
            self.link_as_newest(place);
        }
        Some(&self.slots[place].value)
    }

    /// Puts a value in as the newest. The caller has removed what was there.
    pub fn insert(&mut self, key: CacheKey, value: V) {
        let place = self.slots.len();
        self.slots.push(Slot { key, value, newer: NONE, older: NONE });
        self.places.insert(key, place);
        self.link_as_newest(place);
    }

    pub fn remove(&mut self, key: CacheKey) -> Option<V> {
        let place = self.places.remove(&key)?;
        self.unlink(place);
        let removed = self.slots.swap_remove(place);
        if let Some(&Slot { key: moved, newer, older, .. }) = self.slots.get(place) {
            self.places.insert(moved, place);
            self.link(newer, place);
            self.link(place, older);
        }
        Some(removed.value)
    }

    pub fn oldest(&self) -> Option<(CacheKey, &V)> {
        self.slots.get(self.oldest).map(|slot| (slot.key, &slot.value))
    }

    fn unlink(&mut self, place: usize) {
        let Slot { newer, older, .. } = self.slots[place];
        self.link(newer, older);
    }

    fn link_as_newest(&mut self, place: usize) {
        let second = self.newest;
        self.link(NONE, place);
        self.link(place, second);
    }

    /// Makes two slots neighbours. `NONE` in place of one makes the other that end of the line.
    fn link(&mut self, newer: usize, older: usize) {
        match self.slots.get_mut(newer) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        match self.slots.get_mut(older) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }
}
