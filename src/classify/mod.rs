//! Error classes.
