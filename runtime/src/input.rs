//! Files that a command reads: regular ones, up to a size. A pipe or a device might never end, and opening a pipe that nobody
//! writes to waits for ever.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// Opens a regular file; gives its size as well.
///
/// # Errors
/// If it is none, or cannot be opened.
pub fn open(path: &Path) -> io::Result<(File, u64)> {
    // Before it is opened, which may wait.
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        let problem = "it is a pipe or a device, and only regular files are read";
        return Err(io::Error::new(ErrorKind::InvalidInput, problem));
    }
    Ok((File::open(path)?, metadata.len()))
}

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// If it is none, is larger, or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, size) = open(path)?;
    if size > most {
        let problem = format!("it has more than {most} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, problem));
    }
    let mut bytes = Vec::new();
    // No more than it says: a file that grows, or one of the kernel's, might never end.
    file.take(size).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The same of text.
///
/// # Errors
/// As for [`read`], and if it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    String::from_utf8(read(path, most)?).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::new(
            ErrorKind::InvalidData,
            format!("byte {at} is not UTF-8 text"),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_a_size_are_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let [file, pipe] = ["file", "pipe"].map(|name| folder.path().join(name));
        fs::write(&file, "four").expect("written");
        assert_eq!(read_text(&file, 4).expect("read"), "four");
        let kind = |path: &Path, most| read(path, most).expect_err("refused").kind();
        assert_eq!(kind(&file, 3), ErrorKind::FileTooLarge);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        assert_eq!(kind(&pipe, 4), ErrorKind::InvalidInput);
        assert_eq!(kind(Path::new("/dev/zero"), 4), ErrorKind::InvalidInput);
        assert_eq!(kind(folder.path(), 4), ErrorKind::IsADirectory);
        assert_eq!(kind(&folder.path().join("none"), 4), ErrorKind::NotFound);
        fs::write(&file, b"ab\xff").expect("written");
        let error = read_text(&file, 9).expect_err("no text").to_string();
        assert_eq!(error, "byte 2 is not UTF-8 text");
    }
}
