//! Breakers and bulkheads as the instances of their classes hold them: their own, or by name.

use std::sync::Arc;

use super::arguments::Argument;
use super::errors::bad_input;
use super::js::{Checked, Scope, Thrown};
use crate::registry::{MAX_NAME, Registered, Registry, RegistryError};

pub enum Source<T: Registered + 'static> {
    Own(Arc<T>),
    /// Shared by all threads.
    Named(Named<T>),
}

/// Looked up at each use: the registry may forget what is idle, and handles that an app keeps must not hinder it. Whoever
/// uses it next makes a new one, which behaves as the forgotten one did.
pub struct Named<T: Registered + 'static> {
    registry: &'static Registry<T>,
    name: String,
    /// As the app asked for it; `None`: whatever it is.
    wanted: Option<T::Config>,
    /// What it is made with when it was forgotten: its settings when the app asked for it.
    settings: T::Config,
}

impl<T: Registered + 'static> Source<T> {
    /// The instance of that name, which is made if there is none.
    pub fn named(registry: &'static Registry<T>, scope: Scope, name: &str, wanted: Option<T::Config>) -> Checked<Self>
    where
        T::Config: Default,
    {
        let found = registry.get_or_create(name, wanted.clone().unwrap_or_default());
        let (found, _) = found.map_err(|error| refused(scope, name, error))?;
        Ok(Self::Named(Named { registry, name: name.to_owned(), wanted, settings: found.config() }))
    }

    /// Does something with it.
    pub fn with<R>(&self, scope: Scope, work: impl FnOnce(&Arc<T>) -> R) -> Checked<R> {
        match self {
            Self::Own(own) => Ok(work(own)),
            Self::Named(named) => Ok(work(&named.find(scope)?)),
        }
    }

    /// It, for as long as the result lives.
    pub fn get(&self, scope: Scope) -> Checked<Arc<T>> {
        self.with(scope, Arc::clone)
    }

    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Own(_) => None,
            Self::Named(named) => Some(&named.name),
        }
    }

    /// Whether it has other settings than the app asked for.
    pub fn config_mismatch(&self, scope: Scope) -> Checked<bool> {
        match self {
            Self::Named(Named { wanted: Some(wanted), .. }) => self.with(scope, |found| found.config() != *wanted),
            _ => Ok(false),
        }
    }
}

impl<T: Registered> Named<T> {
    fn find(&self, scope: Scope) -> Checked<Arc<T>> {
        if let Some(found) = self.registry.get(&self.name) {
            return Ok(found);
        }
        let made = self.registry.get_or_create(&self.name, self.settings.clone());
        made.map(|(made, _)| made).map_err(|error| refused(scope, &self.name, error))
    }
}

/// A name: 1 to 100 characters.
pub fn read_name(name: Argument) -> Checked<String> {
    let text = name.scope().as_string(name.value());
    let fits = |text: &String| (1..=MAX_NAME).contains(&text.chars().take(MAX_NAME + 1).count());
    text.filter(fits).ok_or_else(|| name.wrong(&format!("a string of 1 to {MAX_NAME} characters")))
}

/// The error for a name that the registry refuses.
pub fn refused(scope: Scope, name: &str, error: RegistryError) -> Thrown {
    bad_input(scope, "INVALID_CONFIG", &error.into_invalid_config(name))
}
