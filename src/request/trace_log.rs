use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound::{Excluded, Unbounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::RetryTrace;
use crate::error::{InvalidConfig, in_range};
use crate::lock::lock;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::sync::thread::{self, ThreadId};

/// The latest traces, for an observation panel; in memory only.
///
/// ```
/// use resilience::request::TraceLog;
///
/// let log = TraceLog::with_limit(2)?;
/// log.subscribe(|added: Option<&&str>| println!("{added:?}"));
/// ["feed?page=1", "feed?page=2", "feed?page=3"].map(|trace| log.add(trace));
/// let kept: Vec<_> = log.all().iter().map(|trace| **trace).collect();
/// assert_eq!(kept, ["feed?page=2", "feed?page=3"]);
/// # Ok::<(), resilience::InvalidConfig>(())
/// ```
pub struct TraceLog<T = RetryTrace> {
    limit: usize,
    entries: Mutex<VecDeque<Arc<T>>>,
    listeners: Mutex<BTreeMap<u64, Listener<T>>>,
    next_listener: AtomicU64,
    listener_errors: AtomicU64,
    /// The threads that tell of a change at this moment.
    telling: Mutex<Vec<ThreadId>>,
}

type Listener<T> = Arc<dyn Fn(Option<&T>) + Send + Sync>;

impl<T> Default for TraceLog<T> {
    fn default() -> Self {
        Self {
            limit: 200,
            entries: Mutex::default(),
            listeners: Mutex::default(),
            next_listener: AtomicU64::new(1),
            listener_errors: AtomicU64::new(0),
            telling: Mutex::default(),
        }
    }
}

impl<T> TraceLog<T> {
    /// The most traces that a log keeps.
    pub(crate) const LIMIT: std::ops::RangeInclusive<usize> = 1..=10_000;

    /// For the latest 200 traces.
    pub fn new() -> Self {
        Self::default()
    }

    /// For the latest `limit` traces, 1 to 10 000.
    ///
    /// # Errors
    /// [`InvalidConfig`] for a limit outside that range.
    pub fn with_limit(limit: usize) -> Result<Self, InvalidConfig> {
        in_range("limit", limit, Self::LIMIT)?;
        Ok(Self { limit, ..Self::default() })
    }

    /// Adds a trace; the oldest one goes when there are too many.
    pub fn add(&self, trace: T) {
        let trace = Arc::new(trace);
        let oldest = {
            let mut entries = lock(&self.entries);
            let oldest = if entries.len() < self.limit { None } else { entries.pop_front() };
            entries.push_back(trace.clone());
            oldest
        };
        // Outside the lock: what a trace holds may have a drop of its own.
        drop(oldest);
        self.tell(Some(&trace));
    }

    /// All that are kept, the oldest first.
    pub fn all(&self) -> Vec<Arc<T>> {
        lock(&self.entries).iter().cloned().collect()
    }

    /// Forgets all traces.
    pub fn clear(&self) {
        let forgotten = std::mem::take(&mut *lock(&self.entries));
        drop(forgotten);
        self.tell(None);
    }

    /// Calls `listener` after each change, with the trace that was added; `None`: all were forgotten. It is called
    /// outside any lock, on the thread that made the change, before that call returns; one that panics costs nobody
    /// anything. The number is for [`unsubscribe`](Self::unsubscribe).
    ///
    /// What a listener itself changes is told to nobody: it would never end.
    pub fn subscribe(&self, listener: impl Fn(Option<&T>) + Send + Sync + 'static) -> u64 {
        let id = self.next_listener.fetch_add(1, Ordering::Relaxed);
        lock(&self.listeners).insert(id, Arc::new(listener));
        id
    }

    /// Forgets a listener. False: there is none of that number.
    pub fn unsubscribe(&self, id: u64) -> bool {
        let removed = lock(&self.listeners).remove(&id);
        removed.is_some()
    }

    /// How often a listener panicked.
    pub fn listener_errors(&self) -> u64 {
        self.listener_errors.load(Ordering::Relaxed)
    }

    fn tell(&self, added: Option<&T>) {
        let Some(_telling) = Telling::begin(&self.telling) else { return };
        let newest = self.next_listener.load(Ordering::Relaxed);
        let mut told = 0;
        // Looked up one by one: a listener may take the next one back.
        while let Some((id, listener)) = self.next_of(told, newest) {
            told = id;
            if catch_unwind(AssertUnwindSafe(move || listener(added))).is_err() {
                self.listener_errors.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The one after `told`, if it came before `newest`.
    fn next_of(&self, told: u64, newest: u64) -> Option<(u64, Listener<T>)> {
        let listeners = lock(&self.listeners);
        let (id, listener) = listeners.range((Excluded(told), Unbounded)).next().filter(|(id, _)| **id < newest)?;
        Some((*id, listener.clone()))
    }
}

/// This thread tells of a change: of one at a time.
struct Telling<'a>(&'a Mutex<Vec<ThreadId>>);

impl<'a> Telling<'a> {
    fn begin(threads: &'a Mutex<Vec<ThreadId>>) -> Option<Self> {
        let (this, mut telling) = (thread::current().id(), lock(threads));
        (!telling.contains(&this)).then(|| {
            telling.push(this);
            Self(threads)
        })
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        lock(self.0).retain(|thread| *thread != thread::current().id());
    }
}
