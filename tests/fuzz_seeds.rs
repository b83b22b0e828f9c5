//! The bodies of the fuzz targets on what is kept for them: real examples (`fuzz/seeds`) and cases that went wrong once
//! (`fuzz/regressions`). Fuzzing itself: `scripts/fuzz.sh`.

#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use std::fs;
use std::path::{Path, PathBuf};

/// The files of a folder, sorted; none where there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    files.sort();
    files
}

#[test]
fn every_kept_input_passes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    for (target, body) in fuzz::TARGETS {
        let seeds = files(&root.join("seeds").join(target));
        assert!(!seeds.is_empty(), "{target} has no seeds");
        for input in seeds.iter().chain(&files(&root.join("regressions").join(target))) {
            // A test that fails shows it.
            println!("{}", input.display());
            body(&fs::read(input).expect("a readable file"));
        }
    }
}

#[test]
fn every_target_is_built_and_every_folder_belongs_to_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let targets = fuzz::TARGETS.map(|(name, _)| name);
    let stem = |path: &PathBuf| path.file_stem().expect("a name").to_string_lossy().into_owned();
    let built: Vec<String> = files(&root.join("fuzz_targets")).iter().map(stem).collect();
    assert_eq!(built, targets);
    for folder in ["seeds", "regressions", "dictionaries"] {
        let unknown: Vec<String> = files(&root.join(folder)).iter().map(stem).collect();
        assert!(unknown.iter().all(|name| targets.contains(&name.as_str())), "{folder}: {unknown:?}");
    }
}
