//! Files and folders that must not stay behind when a command is stopped by a signal.
//!
//! What ends by itself removes its temporary files; what is killed by SIGINT, SIGTERM or SIGHUP would leave them.

#[cfg(feature = "cli")]
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file or folder that is there for a while; known until this is dropped.
#[derive(Debug)]
pub struct Unfinished(PathBuf);

impl Unfinished {
    /// From now on a signal removes it.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        let path = path.to_owned();
        let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(path.clone());
        Self(path)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|path| *path != self.0);
    }
}

/// Lets signals that stop the program remove what is unfinished first. For the `main` of a command.
#[cfg(feature = "cli")]
pub fn remove_on_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    // Without the handler a signal stops the program all the same.
    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        for signal in signals.forever() {
            remove();
            // Who waits for the program sees which signal it was.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Removes what is unfinished. Nothing new is begun afterwards: the program ends.
#[cfg(feature = "cli")]
fn remove() {
    let all = UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner);
    for path in all.iter() {
        let _ = if path.is_dir() {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_unfinished_is_removed_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let paths = ["done", "begun", "folder"].map(|name| folder.path().join(name));
        let [done, begun, inner] = &paths;
        for file in [done, begun] {
            fs::write(file, "text").expect("written");
        }
        fs::create_dir(inner).expect("made");
        fs::write(inner.join("file"), "text").expect("written");
        drop(Unfinished::new(done));
        let _kept = [begun, inner].map(|path| Unfinished::new(path));
        remove();
        assert_eq!(paths.map(|path| path.exists()), [true, false, false]);
    }
}
