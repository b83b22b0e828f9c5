//! Reads what an app passes in. Everything is checked: a wrong value gives an error that names the field, the value and
//! what is allowed. Only `undefined` (or a missing argument) means "default"; `null` and 0 never do.

use std::ffi::CStr;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::time::Duration;

use napi_ohos::JsValue;
use napi_ohos::bindgen_prelude::{FromNapiRef, Unknown, ValidateNapiValue};

use super::errors::bad_input;
use super::executor::Runtime;
use super::instance::is_instance;
use super::js::{Checked, Scope, Thrown, Type, Value};
use super::kept::{Keeper, Reference, UserFunction};
use super::misspelt;
use crate::error::{InvalidConfig, MAX_DURATION};

/// The largest integer that ArkTS counts exactly: 2⁵³ − 1.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// Code of the error for a setting.
const CONFIG: &str = "INVALID_CONFIG";

/// The longest array that an app may pass in.
const MAX_ITEMS: u32 = 1_000;

/// One argument, or one field of an options object.
#[derive(Clone, Copy)]
pub struct Argument {
    scope: Scope,
    value: Value,
    name: &'static str,
    /// Code of the error when it is wrong.
    code: &'static str,
}

/// An argument of a function.
pub fn argument(scope: Scope, value: Unknown<'_>, name: &'static str) -> Argument {
    returned_by(scope, value.raw(), name)
}

/// What a function of the app returned, under the name of the function.
pub fn returned_by(scope: Scope, value: Value, name: &'static str) -> Argument {
    Argument { scope, value, name, code: "INVALID_ARGUMENT" }
}

/// An argument of a constructor, or an options object.
pub fn config(scope: Scope, value: Unknown<'_>, name: &'static str) -> Argument {
    Argument { code: CONFIG, ..argument(scope, value, name) }
}

impl Argument {
    pub fn scope(self) -> Scope {
        self.scope
    }

    pub fn value(self) -> Value {
        self.value
    }

    /// `None` for `undefined`: the default holds.
    pub fn given(self) -> Option<Self> {
        (self.scope.type_of(self.value) != Type::Undefined).then_some(self)
    }

    /// What `read` makes of it; `None` when it is left out.
    pub fn optional<T>(self, read: impl FnOnce(Self) -> Checked<T>) -> Checked<Option<T>> {
        self.given().map(read).transpose()
    }

    /// Puts what `read` makes of it into `place`, which keeps its default when it is left out.
    pub fn set<T>(self, place: &mut T, read: impl FnOnce(Self) -> Checked<T>) -> Checked<()> {
        self.given().map_or(Ok(()), |given| read(given).map(|value| *place = value))
    }

    /// A field of this object, for `name` NUL-terminated.
    pub fn field(self, name: &'static CStr) -> Self {
        let value = self.scope.get(self.value, name);
        Self { value, name: name.to_str().expect("field names are ASCII"), ..self }
    }

    /// The same field, called otherwise in errors (`budget.capacity`).
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// An options object; `undefined` passes, with no fields. A misspelt setting is refused.
    pub fn options(self) -> Checked<Self> {
        match self.scope.type_of(self.value) {
            Type::Undefined => Ok(self),
            Type::Object if self.scope.array_length(self.value).is_none() => {
                if self.code == CONFIG {
                    misspelt::refuse(self.scope, self.value, self.code)?;
                }
                Ok(self)
            }
            _ => Err(self.wrong("an object")),
        }
    }

    /// An options object that must be there.
    pub fn given_options(self) -> Checked<Self> {
        self.given().ok_or_else(|| self.wrong("an object"))?.options()
    }

    /// The items of an array; none when it is left out. All go by the array's name in errors.
    pub fn items(self) -> Checked<Vec<Self>> {
        let Some(list) = self.given() else { return Ok(Vec::new()) };
        let length = self.scope.array_length(list.value).ok_or_else(|| self.wrong("an array"))?;
        if length > MAX_ITEMS {
            return Err(self.wrong(&format!("an array of at most {MAX_ITEMS} items")));
        }
        Ok((0..length).map(|index| Self { value: self.scope.get_index(list.value, index), ..self }).collect())
    }

    /// A whole number in `min..=max`.
    pub fn integer(self, min: u64, max: u64) -> Checked<u64> {
        let number = self.scope.as_number(self.value).filter(|number| number.fract() == 0.0);
        match number {
            Some(number) if number >= min as f64 && number <= max as f64 => Ok(number as u64),
            _ => Err(self.wrong(&format!("a whole number from {min} to {max}"))),
        }
    }

    /// The same, for a smaller number.
    pub fn count(self, range: RangeInclusive<u32>) -> Checked<u32> {
        self.integer((*range.start()).into(), (*range.end()).into()).map(|number| number as u32)
    }

    /// A number in `range`, fractions included.
    pub fn number(self, range: RangeInclusive<f64>) -> Checked<f64> {
        match self.scope.as_number(self.value) {
            Some(number) if range.contains(&number) => Ok(number),
            _ => Err(self.wrong(&format!("a finite number from {} to {}", range.start(), range.end()))),
        }
    }

    /// A share: above 0, up to 1.
    pub fn share(self) -> Checked<f64> {
        match self.scope.as_number(self.value) {
            Some(number) if number > 0.0 && number <= 1.0 => Ok(number),
            _ => Err(self.wrong("a number above 0, up to 1")),
        }
    }

    /// A share in percent: above 0, up to 100.
    pub fn percentage(self) -> Checked<f64> {
        match self.scope.as_number(self.value) {
            Some(number) if number > 0.0 && number <= 100.0 => Ok(number),
            _ => Err(self.wrong("a number above 0, up to 100")),
        }
    }

    /// A time in milliseconds from `min_ms` to 365 days, fractions included.
    pub fn millis(self, min_ms: f64) -> Checked<Duration> {
        let millis = self.number(min_ms..=MAX_DURATION.as_millis() as f64)?;
        Ok(Duration::from_secs_f64(millis / 1_000.0))
    }

    pub fn boolean(self) -> Checked<bool> {
        self.scope.as_boolean(self.value).ok_or_else(|| self.wrong("true or false"))
    }

    /// A string of at most `max_bytes` bytes.
    pub fn string(self, max_bytes: usize) -> Checked<String> {
        let text = self.scope.as_string(self.value).filter(|text| text.len() <= max_bytes);
        text.ok_or_else(|| self.wrong(&format!("a string of at most {max_bytes} bytes")))
    }

    /// A string of any length.
    pub fn any_string(self) -> Checked<String> {
        self.scope.as_string(self.value).ok_or_else(|| self.wrong("a string"))
    }

    /// One of the words of `choices`.
    pub fn one_of<T: Copy>(self, choices: &[(&str, T)]) -> Checked<T> {
        let word = self.scope.as_string(self.value);
        let choice = choices.iter().find(|(name, _)| word.as_deref() == Some(name));
        choice.map(|&(_, choice)| choice).ok_or_else(|| {
            let names: Vec<String> = choices.iter().map(|(name, _)| format!("'{name}'")).collect();
            self.wrong(&format!("one of {}", names.join(", ")))
        })
    }

    pub fn function(self) -> Checked<Value> {
        match self.scope.type_of(self.value) {
            Type::Function => Ok(self.value),
            _ => Err(self.wrong("a function")),
        }
    }

    /// A function, for one call.
    pub fn reference(self, runtime: &Rc<Runtime>) -> Checked<Reference> {
        Reference::new(runtime, self.scope, self.function()?).ok_or_else(|| self.wrong("a function"))
    }

    /// A function, kept by an instance for as long as the result lives.
    pub fn kept_reference(self, keeper: &Rc<Keeper>) -> Checked<Reference> {
        keeper.keep(self.scope, self.function()?).ok_or_else(|| self.wrong("a function"))
    }

    /// The same, for an object of the core.
    pub fn kept_function(self, keeper: &Rc<Keeper>) -> Checked<UserFunction> {
        self.kept_reference(keeper).map(UserFunction::new)
    }

    /// The method of that name, if this is an object that has it: read once, a getter may give another one each time.
    pub fn method(self, name: &CStr) -> Option<Value> {
        let is_object = matches!(self.scope.type_of(self.value), Type::Object | Type::Function);
        let method = if is_object { self.scope.get(self.value, name) } else { self.scope.undefined() };
        (self.scope.type_of(method) == Type::Function).then_some(method)
    }

    /// An instance of a class of this module, by its prototypes: what it really is, its [`Instance`] knows.
    ///
    /// [`Instance`]: super::instance::Instance
    pub fn instance<'a, T>(self) -> Checked<Option<&'a T>>
    where
        T: FromNapiRef + 'static,
        &'static T: ValidateNapiValue,
    {
        if !is_instance::<T>(self.scope, self.value)? {
            return Ok(None);
        }
        // SAFETY: a live value of this scope; the running native call's arguments keep the instance alive.
        let instance = unsafe { T::from_napi_ref(self.scope.env(), self.value) };
        self.scope.take_exception();
        Ok(instance.ok())
    }

    /// The error for this argument.
    pub fn wrong(self, allowed: &str) -> Thrown {
        self.wrong_as(&self.describe(), allowed)
    }

    /// The same, where its type does not say what is wrong.
    pub fn wrong_as(self, got: &str, allowed: &str) -> Thrown {
        self.refused(InvalidConfig::new(self.name, got, allowed))
    }

    /// The error for a value that the core refused.
    pub fn refused(self, error: InvalidConfig) -> Thrown {
        bad_input(self.scope, self.code, &error)
    }

    fn describe(self) -> String {
        match self.scope.type_of(self.value) {
            Type::Number => self.scope.as_number(self.value).map_or_else(String::new, number_text),
            Type::String => {
                let text = self.scope.as_string(self.value).unwrap_or_default();
                if text.len() > 60 { format!("a string of {} bytes", text.len()) } else { format!("'{text}'") }
            }
            Type::Boolean => self.scope.as_boolean(self.value).unwrap_or_default().to_string(),
            Type::Object if self.scope.array_length(self.value).is_some() => "an array".to_owned(),
            other => other.name().to_owned(),
        }
    }
}

/// A number as ArkTS spells it.
fn number_text(number: f64) -> String {
    let size = number.abs();
    if size.is_infinite() {
        if number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() }
    } else if size >= 1e21 || (size < 1e-6 && size > 0.0) {
        format!("{number:e}")
    } else {
        number.to_string()
    }
}
