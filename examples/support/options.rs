//! The command line of an example: `--name value`, nothing else.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::RangeInclusive;
use std::path::PathBuf;

pub struct Options(BTreeMap<String, String>);

/// Reads the options; prints `usage` and ends with `--help`.
pub fn read(usage: &str, names: &[&str]) -> Result<Options, Box<dyn Error>> {
    let mut options = BTreeMap::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        if word == "--help" || word == "-h" {
            println!("usage: {usage}");
            std::process::exit(0);
        }
        let name = word.strip_prefix("--").filter(|name| names.contains(name));
        let (Some(name), Some(value)) = (name, words.next()) else {
            return Err(format!("{word}: usage: {usage}").into());
        };
        options.insert(name.to_owned(), value);
    }
    Ok(Options(options))
}

impl Options {
    /// A whole number within `range`.
    pub fn number(&self, name: &str, default: u64, range: RangeInclusive<u64>) -> Result<u64, Box<dyn Error>> {
        let number = self.0.get(name).map_or(Ok(default), |value| value.parse());
        let number = number.ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("--{name} takes a whole number from {} to {}", range.start(), range.end()).into())
    }

    /// The folder `--out`, made if it is not there.
    pub fn folder(&self, default: &str) -> Result<PathBuf, Box<dyn Error>> {
        let folder = PathBuf::from(self.0.get("out").map_or(default, String::as_str));
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }
}
