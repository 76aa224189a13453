//! Files that a command writes: whole or not at all, and nothing that is no regular file is replaced by one.
//!
//! A regular file is replaced in one step, by a temporary one beside it: who reads it sees the old one or all of the new one.
//! Symbolic links are followed, and mode and owner of what was there stay. Devices and pipes are written to.

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::unfinished::Unfinished;

/// Links that are followed one after the other at most (Linux follows as many).
const MOST_LINKS: usize = 40;

/// Why a command does not write where it is told to.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the messages say it
#[non_exhaustive]
pub enum OutputError {
    #[error("`{output}` is an input of this command (`{input}`): write to another file")]
    IsInput { output: String, input: String },
    #[error("`{first}` and `{second}` are one file: what is written first would be lost")]
    Twice { first: String, second: String },
}

/// Writes bytes, one part after the other, to a file.
///
/// # Errors
/// If that is not possible; then the file is as it was.
pub fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let target = target(path)?;
    let there = match fs::metadata(&target) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if there.as_ref().is_some_and(|there| !there.is_file()) {
        // Opening a folder fails, and says what it is.
        let mut file = OpenOptions::new().write(true).open(&target)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        return file.flush();
    }
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    // As any new file, less what the umask takes away; temporary files are private by default.
    let mut file = tempfile::Builder::new()
        .prefix(".tile-")
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(without_path)?;
    let _unfinished = Unfinished::new(file.path());
    if let Some(there) = &there {
        keep(file.as_file(), there)?;
    }
    parts.iter().try_for_each(|part| file.write_all(part))?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

/// Gives a file the mode and the owner of another one.
fn keep(file: &fs::File, there: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (there.uid(), there.gid()) {
        // Only the superuser may give files away; a group of one's own may be kept.
        let owner = (own.uid() != there.uid()).then(|| there.uid());
        let given = std::os::unix::fs::fchown(file, owner, Some(there.gid()));
        if given.is_err() && owner.is_some() {
            let _ = std::os::unix::fs::fchown(file, None, Some(there.gid()));
        }
    }
    file.set_permissions(Permissions::from_mode(there.mode() & 0o7777))
}

/// An error of a temporary file, which the user knows nothing of.
fn without_path(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(code) => io::Error::from_raw_os_error(code),
        None => {
            let text = error.to_string();
            let reason = text
                .split(" at path ")
                .next()
                .unwrap_or_default()
                .to_owned();
            io::Error::new(error.kind(), reason)
        }
    }
}

/// What a path leads to through symbolic links, even if nothing is there.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&path)?;
                path = path.parent().unwrap_or(Path::new("")).join(link);
            }
            _ => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Which file a path leads to: equal for hard links, and known before it is there. `None` for what is no regular file, which
/// may be read and written by several.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    There { device: u64, number: u64 },
    New(PathBuf),
}

fn identity(path: &Path) -> Option<Identity> {
    let target = target(path).ok()?;
    if let Ok(metadata) = fs::metadata(&target) {
        return metadata.is_file().then(|| Identity::There {
            device: metadata.dev(),
            number: metadata.ino(),
        });
    }
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
    Some(Identity::New(folder.join(target.file_name()?)))
}

/// Refuses outputs that are inputs as well, through whatever links, and outputs that are one file.
///
/// # Errors
/// Which these are.
pub fn check<'a>(
    outputs: impl IntoIterator<Item = &'a Path>,
    inputs: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OutputError> {
    let known = |path: &'a Path| identity(path).map(|identity| (path, identity));
    let inputs: Vec<_> = inputs.into_iter().filter_map(known).collect();
    let name = |path: &Path| path.display().to_string();
    let mut written: Vec<(&Path, Identity)> = Vec::new();
    for (path, identity) in outputs.into_iter().filter_map(known) {
        if let Some((input, _)) = inputs.iter().find(|(_, input)| *input == identity) {
            return Err(OutputError::IsInput {
                output: name(path),
                input: name(input),
            });
        }
        if let Some((first, _)) = written.iter().find(|(_, first)| *first == identity) {
            return Err(OutputError::Twice {
                first: name(first),
                second: name(path),
            });
        }
        written.push((path, identity));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).expect("it is there").mode() & 0o777
    }

    #[test]
    fn a_file_keeps_its_mode_and_a_link_stays_a_link() {
        let folder = folder();
        let [file, link, dangling] =
            ["file", "link", "dangling"].map(|name| folder.path().join(name));
        fs::write(&file, "old").expect("written");
        fs::set_permissions(&file, Permissions::from_mode(0o600)).expect("set");
        symlink("file", &link).expect("linked");
        replace(&link, &[b"n", b"ew"]).expect("written");
        assert_eq!(fs::read(&file).expect("read"), b"new");
        assert_eq!(mode(&file), 0o600);
        assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
        symlink("behind", &dangling).expect("linked");
        replace(&dangling, &[b"x"]).expect("written");
        assert_eq!(fs::read(folder.path().join("behind")).expect("read"), b"x");
        assert!(fs::symlink_metadata(&dangling).expect("there").is_symlink());
        symlink("round", folder.path().join("round")).expect("linked");
        assert!(replace(&folder.path().join("round"), &[b"x"]).is_err());
        // Nothing else is left behind.
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 5);
    }

    #[test]
    fn what_is_no_regular_file_stays_what_it_is() {
        let folder = folder();
        let link = folder.path().join("null");
        symlink("/dev/null", &link).expect("linked");
        for path in [&link, Path::new("/dev/null")] {
            replace(path, &[b"gone"]).expect("written");
        }
        assert!(!fs::metadata("/dev/null").expect("there").is_file());
        let error = replace(folder.path(), &[b"x"]).expect_err("a folder");
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
        let error = replace(Path::new("/dev/full"), &[b"x"]).expect_err("full");
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_pipe_is_written_through() {
        let folder = folder();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe)
        });
        replace(&pipe, &[b"through"]).expect("written");
        assert_eq!(reader.join().expect("ends").expect("read"), b"through");
        assert!(!fs::metadata(&pipe).expect("there").is_file());
    }

    #[test]
    fn inputs_are_not_written_over_and_no_file_is_written_twice() {
        let folder = folder();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("input"), "x").expect("written");
        fs::hard_link(path("input"), path("hard")).expect("linked");
        symlink("input", path("soft")).expect("linked");
        symlink(".", path("here")).expect("linked");
        let refuses = |outputs: &[&str]| {
            let outputs: Vec<_> = outputs.iter().map(|name| path(name)).collect();
            let input = path("input");
            let checked = check(outputs.iter().map(PathBuf::as_path), [input.as_path()]);
            checked.map_err(|error| {
                error
                    .to_string()
                    .replace(&format!("{}/", folder.path().display()), "")
            })
        };
        for name in ["input", "hard", "soft", "here/input"] {
            let error = refuses(&["other", name]).expect_err("an input");
            assert!(
                error.starts_with(&format!("`{name}` is an input of this command (`input`)")),
                "{error}"
            );
        }
        let error = refuses(&["new", "here/new"]).expect_err("one file");
        assert_eq!(
            error,
            "`new` and `here/new` are one file: what is written first would be lost"
        );
        assert_eq!(refuses(&["new", "other"]), Ok(()));
        let null = Path::new("/dev/null");
        assert!(check([null, null], [null]).is_ok());
    }
}
