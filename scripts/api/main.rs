//! Prints what a crate's rustdoc JSON says is public, an item a line.

use public_api::{Builder, PublicApi};
use std::{collections::HashSet, env, error::Error};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args().nth(1).ok_or("usage: api RUSTDOC_JSON")?;
    let list = |derived: bool| -> Result<PublicApi, public_api::Error> {
        Builder::from_rustdoc_json(&path)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(!derived)
            .omit_auto_derived_impls(!derived)
            .build()
    };
    let written: HashSet<String> = list(false)?.items().map(ToString::to_string).collect();
    for item in list(true)?.items().map(ToString::to_string) {
        if written.contains(&item) || is_told(&item) {
            println!("{item}");
        }
    }
    Ok(())
}

/// Of what comes by itself: the traits that are derived, without their methods, and Send, Sync and Unpin where they are missing.
fn is_told(item: &str) -> bool {
    const DERIVED: [&str; 9] = ["Clone", "Copy", "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"];
    const AUTO: [&str; 3] = ["Send", "Sync", "Unpin"];
    let Some((implemented, _)) = item.strip_prefix("impl").and_then(|rest| rest.split_once(" for ")) else {
        return false;
    };
    let name = implemented.rsplit("::").next().unwrap_or_default();
    DERIVED.contains(&name) || (implemented.contains('!') && AUTO.contains(&name))
}
