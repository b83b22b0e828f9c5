//! `BulkheadManager` of article 004.

use std::rc::Rc;

use napi_derive_ohos::napi;
use napi_ohos::bindgen_prelude::{This, Unknown};
use napi_ohos::{Env, JsValue, Result};

use super::arguments::{argument, config};
use super::bulkhead::{Bulkhead, BulkheadStats, Handle, NAMES, on_clock, read_config};
use super::clock::JsTimer;
use super::executor::Runtime;
use super::instance::{self, Instance, constructing};
use super::js::{Checked, Scope, Value};
use super::named::{Source, read_name, refused};
use super::records::to_js;
use crate::bulkhead::{self, BulkheadConfig, BulkheadManager as Core, Preset};

/// Bulkheads by name: all that ask for one name share one bulkhead, on all threads of the process, and `prometheusText()`
/// tells of it. There may be 500 names; when there are more, the one that was used the longest ago is forgotten, of those
/// where nothing runs or waits.
///
/// The article's managers have bulkheads of their own each; two of them let twice as much through to one service. Here only
/// a manager with a clock for tests has.
#[napi]
#[repr(transparent)]
pub struct BulkheadManager {
    instance: Instance<Manager>,
}

struct Manager {
    /// With a clock that moves by hand.
    own: Option<(Core, JsTimer)>,
    runtime: Rc<Runtime>,
}

#[napi]
impl BulkheadManager {
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed.
    ///
    /// @param clock a clock that moves by hand, for tests: its bulkheads are its own then
    #[napi(constructor, ts_args_type = "clock?: ManualClock")]
    pub fn new(env: Env, this: This, clock: Unknown) -> Result<Self> {
        let scope = constructing::<Self>(env, &this)?;
        let runtime = Runtime::of(scope);
        let (timer, clock) = on_clock(&runtime, config(scope, clock, "clock"))?;
        let own = clock.map(|clock| (Core::with_clock(clock), timer));
        Ok(Self { instance: Instance::new(Manager { own, runtime }) })
    }

    /// The bulkhead of that name. It is made if there is none; `configMismatch` of what is returned tells whether it has
    /// other settings.
    /// Throws INVALID_CONFIG naming the field, the value and what is allowed; also when 500 names are in use.
    #[napi(ts_args_type = "config: BulkheadConfig", ts_return_type = "Bulkhead")]
    pub fn get_or_create(&self, env: Env, options: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let options = config(scope, options, "config").given_options()?;
        let name = options.field(c"name");
        let text = read_name(name)?;
        let settings = read_config(options, NAMES, BulkheadConfig::default())?;
        settings.validate().map_err(|error| options.refused(error))?;
        Ok(scope.unknown(this.make(scope, &text, Some(settings))?))
    }

    /// The bulkhead of that name, if there is one.
    /// Throws INVALID_ARGUMENT when `name` is no string of 1 to 100 characters.
    #[napi(ts_args_type = "name: string", ts_return_type = "Bulkhead | undefined")]
    pub fn get(&self, env: Env, name: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let name = read_name(argument(scope, name, "name"))?;
        let there = match &this.own {
            Some((own, _)) => own.get(&name),
            None => bulkhead::registry().get(&name),
        };
        Ok(scope.unknown(if there.is_some() { this.make(scope, &name, None)? } else { scope.undefined() }))
    }

    /// The bulkhead of a kind of model, under the preset's own name: `premium-model` (5 at once, 200 ms apart),
    /// `standard-model` (20, 50 ms), `economy-model` (30, 30 ms) or `free-tier` (2, 1000 ms, 10 in any minute).
    /// Throws INVALID_ARGUMENT for another name.
    #[napi(
        ts_args_type = "name: 'premium-model' | 'standard-model' | 'economy-model' | 'free-tier'",
        ts_return_type = "Bulkhead"
    )]
    pub fn get_preset(&self, env: Env, name: Unknown) -> Result<Unknown<'static>> {
        let (this, scope) = (self.instance.of(env)?, Scope::of(env));
        let preset = argument(scope, name, "name").one_of(&Preset::ALL.map(|preset| (preset.name(), preset)))?;
        Ok(scope.unknown(this.make(scope, preset.name(), Some(BulkheadConfig::preset(preset)))?))
    }

    /// What each of them has seen, by name.
    #[napi(ts_return_type = "Record<string, BulkheadStats>")]
    pub fn total_stats(&self, env: Env) -> Result<Unknown<'static>> {
        let this = self.instance.of(env)?;
        let total = this.runtime.enter(|scope| -> Checked<Value> {
            let manager: &Core = match &this.own {
                Some((own, _)) => own,
                None => Core::shared(),
            };
            let total = scope.object();
            for (name, stats) in manager.total_stats() {
                let stats = to_js(scope, BulkheadStats::from(stats)).map_err(|error| scope.thrown(error))?;
                scope.set_own(total, scope.string(&name), stats);
            }
            Ok(total)
        })??;
        Ok(Scope::of(env).unknown(total))
    }
}

/// The same as `new BulkheadManager(clock)` (article 004).
/// Throws INVALID_CONFIG unless `clock` is a `ManualClock`.
///
/// @param clock a clock that moves by hand, for tests
#[napi(ts_args_type = "clock?: ManualClock", ts_return_type = "BulkheadManager")]
pub fn create_bulkhead_manager(env: Env, clock: Unknown) -> Result<Unknown<'static>> {
    let scope = Scope::of(env);
    Ok(scope.unknown(instance::construct(scope, "BulkheadManager\0", &[clock.raw()])?))
}

impl Manager {
    fn make(&self, scope: Scope, name: &str, wanted: Option<BulkheadConfig>) -> Checked<Value> {
        let made = self.runtime.enter(|scope| match &self.own {
            None => Source::named(bulkhead::registry(), scope, name, wanted).map(|source| (source, false)),
            Some((own, _)) => match wanted {
                Some(wanted) => own.get_or_create(name, wanted),
                None => own.get_or_create(name, BulkheadConfig::default()).map(|(found, _)| (found, false)),
            }
            .map(|(found, mismatch)| (Source::Own(found), mismatch))
            .map_err(|error| refused(scope, name, error)),
        });
        let (source, config_mismatch) = made??;
        let system = || JsTimer::System(self.runtime.clone());
        let timer = self.own.as_ref().map_or_else(system, |(_, timer)| timer.clone());
        let runtime = self.runtime.clone();
        Ok(Bulkhead::make(scope, Handle { source, name: name.to_owned(), config_mismatch, timer, runtime }))
    }
}
