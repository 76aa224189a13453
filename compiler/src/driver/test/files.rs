//! From the paths of the command line to files.

use std::path::{Path, PathBuf};

use crate::driver::console::{Console, Exit};

/// The files named, and the `.tile` files in the folders named, at any depth; without paths, those
/// under the current folder. Folders whose names start with a point, and `target`, are passed over.
pub fn find(console: &Console, paths: &[PathBuf]) -> Result<Vec<PathBuf>, Exit> {
    let mut files = Vec::new();
    if paths.is_empty() {
        walk(console, Path::new("."), &mut files)?;
        let bare = |path: &PathBuf| path.strip_prefix(".").map_or(path.clone(), Path::to_owned);
        files = files.iter().map(bare).collect();
    }
    for path in paths {
        if path.is_dir() {
            walk(console, path, &mut files)?;
        } else {
            files.push(path.clone());
        }
    }
    // A file that is named twice is tested once.
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

fn walk(console: &Console, folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Exit> {
    let unreadable =
        |error| console.wrong_call(format!("`{}` cannot be read: {error}", folder.display()));
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            if !name.starts_with('.') && name != "target" {
                walk(console, &path, files)?;
            }
        } else if name.ends_with(".tile") {
            files.push(path);
        }
    }
    Ok(())
}
