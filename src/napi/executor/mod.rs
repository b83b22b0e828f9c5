//! Runs Rust futures on the JS thread.
//!
//! A call costs one promise, one pooled pair of callbacks and no thread hop: the future is polled inside the native call
//! that started it, then inside the callbacks of the JS promise that it waits for. Only timers live elsewhere: one thread
//! for the process, which wakes this one through a weak threadsafe function, so that nothing here keeps a process alive.
//!
//! There is one [`Runtime`] for each environment (main thread, Worker, TaskPool thread), made at first use.

mod alarm;
mod answer;
mod promise;
mod queue;
mod references;
mod tasks;
mod timer_thread;
mod timers;

use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;

use napi_ohos::sys;

pub use answer::AnswerField;
pub use promise::JsPromise;
pub use references::References;
pub use timers::JsSleep;

use self::answer::FieldNames;
use self::promise::PromisePool;
use self::queue::Queue;
use self::tasks::Tasks;
use self::timers::Timers;
use super::device::Devices;
use super::js::{Checked, Scope, Thrown, Value};
use crate::log;

pub struct Runtime {
    env: sys::napi_env,
    alive: Cell<bool>,
    /// How many calls of `enter` are under way.
    depth: Cell<u32>,
    queue: Arc<Queue>,
    tasks: Tasks,
    timers: Timers,
    promises: PromisePool,
    references: Rc<References>,
    /// Of the native call that is running, if it brought them.
    names: Cell<Option<FieldNames>>,
    devices: Devices,
}

thread_local! {
    /// Mostly one entry. Keyed by the environment and removed when that goes down: its address can be used again.
    static RUNTIMES: RefCell<Vec<Rc<Runtime>>> = const { RefCell::new(Vec::new()) };
}

impl Runtime {
    /// The runtime of the environment of the running native call.
    pub fn of(scope: Scope) -> Rc<Self> {
        Self::find(scope.env()).unwrap_or_else(|| Self::start(scope))
    }

    fn find(env: sys::napi_env) -> Option<Rc<Self>> {
        RUNTIMES.with_borrow(|runtimes| runtimes.iter().find(|runtime| runtime.env == env).cloned())
    }

    /// Makes a task of the runtime with this queue ready, if that is at work on this thread and will look for it before it
    /// leaves. False: ring for it.
    fn wake_here(queue: &Arc<Queue>, task: usize) -> bool {
        let wake = |runtimes: &RefCell<Vec<Rc<Self>>>| {
            let runtimes = runtimes.borrow();
            let entered = |runtime: &&Rc<Self>| Arc::ptr_eq(&runtime.queue, queue) && runtime.depth.get() > 0;
            runtimes.iter().find(entered).map(|runtime| runtime.tasks.wake(task)).is_some()
        };
        // The thread may be at its end.
        RUNTIMES.try_with(wake).unwrap_or(false)
    }

    fn start(scope: Scope) -> Rc<Self> {
        let queue = Arc::new(Queue::new(scope, on_wake));
        let references = Rc::<References>::default();
        let runtime = Rc::new(Self {
            env: scope.env(),
            alive: Cell::new(true),
            depth: Cell::new(0),
            tasks: Tasks::new(queue.clone()),
            timers: Timers::new(queue.clone()),
            promises: PromisePool::new(references.clone()),
            references,
            names: Cell::new(None),
            devices: Devices::default(),
            queue,
        });
        RUNTIMES.with_borrow_mut(|runtimes| runtimes.push(runtime.clone()));
        // After the threadsafe function was made: hooks run in reverse order, and ours must let go of it first.
        // Ark keys hooks by their argument, so it must be this runtime's own: the address of its queue.
        let argument = Arc::as_ptr(&runtime.queue) as *mut c_void;
        // SAFETY: the hook reads nothing but the address, which lives until the hook has run.
        unsafe { sys::napi_add_env_cleanup_hook(scope.env(), Some(on_cleanup), argument) };
        runtime
    }

    pub fn env(&self) -> sys::napi_env {
        self.env
    }

    /// False once the environment goes down.
    pub fn is_alive(&self) -> bool {
        self.alive.get()
    }

    /// The scope of the native call that is running. For futures of this runtime, which are polled inside one.
    pub fn scope(&self) -> Scope {
        Scope::new(self.env)
    }

    /// Runs `work`, then polls what it woke. Inner calls leave the polling to the outermost.
    ///
    /// Each native function goes through here as soon as it does more than check whose method it is and read arguments: when
    /// it may wake a future, call the app or run the core. A panic ends here, in an exception for the app, and one of a
    /// future in [`Tasks`], in a rejection: it must not go on into the engine, where it would end the process.
    pub fn enter<T>(self: &Rc<Self>, work: impl FnOnce(Scope) -> T) -> Checked<T> {
        let depth = self.depth.replace(self.depth.get() + 1);
        let result = catch_unwind(AssertUnwindSafe(|| {
            if depth > 0 {
                return work(self.scope());
            }
            self.timers.catch_up();
            let result = work(self.scope());
            self.run_ready();
            result
        }));
        self.depth.set(depth);
        result.map_err(|_| self.panicked())
    }

    #[cold]
    fn panicked(&self) -> Thrown {
        log::warn(format_args!("{INTERNAL_ERROR}"));
        if self.depth.get() == 0 {
            // What was ready waits for the next one to enter; the bell sees to it that there is one.
            self.queue.ring();
        }
        let scope = self.scope();
        scope.thrown(scope.error(INTERNAL_ERROR))
    }

    /// Whether what is woken now is polled before the native call that is running returns, so that values of its scope
    /// may be handed to it.
    pub fn polls_in_this_scope(&self) -> bool {
        self.depth.get() == 1
    }

    /// Starts a future at once and returns the promise of what it comes to: `Ok` resolves, `Err` rejects.
    ///
    /// The future may make JS values when it is polled, and return them, but not keep them over an await.
    pub fn spawn(self: &Rc<Self>, scope: Scope, future: impl Future<Output = Result<Value, Value>> + 'static) -> Value {
        let future = Box::pin(future);
        let (deferred, promise) = scope.promise();
        let task = self.tasks.add(future, deferred);
        // A panic of the future is its own, see `Tasks`.
        _ = self.enter(|scope| self.tasks.poll(task, scope));
        promise
    }

    /// Polls whatever is ready, now. For a manual clock, between two of its steps.
    pub fn run_ready(self: &Rc<Self>) {
        let scope = self.scope();
        if let Some(task) = self.tasks.next_ready() {
            self.tasks.poll(task, scope);
        }
        // Mostly there was one. Many must not pile up what they made until the native call returns.
        while let Some(task) = self.tasks.next_ready() {
            scope.with_handles(|| self.tasks.poll(task, scope));
        }
    }

    /// Timers of this runtime.
    pub fn timers(&self) -> &Timers {
        &self.timers
    }

    /// What this runtime refers to.
    pub fn references(&self) -> &References {
        &self.references
    }

    /// What the app tells of its device.
    pub fn devices(&self) -> &Devices {
        &self.devices
    }

    fn shut_down(&self) {
        self.alive.set(false);
        self.queue.close();
        self.timers.clear();
        self.tasks.clear();
        self.promises.clear();
        self.references.clear(self.env);
    }
}

/// What an app is told of a panic.
const INTERNAL_ERROR: &str = "internal error in libresilience.so";

/// For what the engine calls outside of `enter`, at the end of an object or of the environment.
pub fn guarded(work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        log::warn(format_args!("{INTERNAL_ERROR}"));
    }
}

/// The threadsafe function's way in: a timer is due, or another thread woke a task.
unsafe extern "C" fn on_wake(env: sys::napi_env, _function: Value, _context: *mut c_void, _data: *mut c_void) {
    // No environment: it is going down, and with it what this wake-up was for.
    let Some(runtime) = (!env.is_null()).then(|| Runtime::find(env)).flatten() else { return };
    // Some engines open no handles for a threadsafe function's callback.
    runtime.scope().with_handles(|| {
        let woken = runtime.queue.answer();
        _ = runtime.enter(|_| {
            woken.into_iter().for_each(|task| runtime.tasks.wake(task));
            runtime.timers.fire_due();
        });
        // Nothing may be pending when this returns: see `Scope::call`.
        runtime.scope().take_exception();
    });
}

unsafe extern "C" fn on_cleanup(argument: *mut c_void) {
    let runtime = RUNTIMES.with_borrow_mut(|runtimes| {
        let index = runtimes.iter().position(|runtime| Arc::as_ptr(&runtime.queue) as *mut c_void == argument)?;
        Some(runtimes.swap_remove(index))
    });
    if let Some(runtime) = runtime {
        guarded(|| runtime.shut_down());
    }
}
