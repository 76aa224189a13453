//! The header of a `.npy` file: a dictionary as Python writes it (NumPy, "numpy.lib.format"). Only what NumPy writes is read,
//! in one pass and without nesting, so that no header takes longer than its length.

use std::io::{self, Read};

/// Bytes of a header at most, as NumPy reads it (`max_header_size`).
const MOST_BYTES: usize = 10_000;

/// Characters of a header that a message shows.
const SHOWN: usize = 40;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What magic, version, lengths and header together are a multiple of.
const ALIGNMENT: usize = 64;

/// What an array is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// `None` for records.
    pub descriptor: Option<String>,
    /// Column-major.
    pub is_fortran: bool,
    pub shape: Vec<usize>,
}

impl Header {
    /// Reads magic, version and header.
    ///
    /// # Errors
    /// In words, why it is none.
    pub fn read(reader: &mut impl Read) -> Result<Self, String> {
        let short = |error: io::Error| match error.kind() {
            io::ErrorKind::UnexpectedEof => "it ends within its header".to_owned(),
            _ => error.to_string(),
        };
        let mut start = [0; 8];
        reader.read_exact(&mut start).map_err(short)?;
        if start[..6] != *MAGIC {
            return Err("it does not begin as one".to_owned());
        }
        let length = match start[6] {
            1 => {
                let mut bytes = [0; 2];
                reader.read_exact(&mut bytes).map_err(short)?;
                usize::from(u16::from_le_bytes(bytes))
            }
            2 | 3 => {
                let mut bytes = [0; 4];
                reader.read_exact(&mut bytes).map_err(short)?;
                u32::from_le_bytes(bytes) as usize
            }
            version => return Err(format!("it has version {version}, and 1 to 3 are known")),
        };
        if length > MOST_BYTES {
            return Err(format!(
                "its header has {length} bytes, and at most {MOST_BYTES} are read"
            ));
        }
        let mut bytes = vec![0; length];
        reader.read_exact(&mut bytes).map_err(short)?;
        let text = String::from_utf8_lossy(&bytes);
        Reader { rest: text.trim() }.header()
    }

    /// Magic, version and header.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let sizes: Vec<_> = self.shape.iter().map(|size| format!("{size},")).collect();
        let mut text = format!(
            "{{'descr': '{}', 'fortran_order': {}, 'shape': ({}), }}",
            self.descriptor.as_deref().unwrap_or_default(),
            if self.is_fortran { "True" } else { "False" },
            // A tuple of one has a comma, one of several need not.
            match sizes.as_slice() {
                [only] => only.clone(),
                several => several.join(" ").trim_end_matches(',').to_owned(),
            }
        );
        let before = MAGIC.len() + 4;
        let padded = (before + text.len() + 1).next_multiple_of(ALIGNMENT) - before;
        while text.len() + 1 < padded {
            text.push(' ');
        }
        text.push('\n');
        let mut bytes = MAGIC.to_vec();
        bytes.extend([1, 0]);
        // Ranks are small: no shape comes near 65 535 bytes.
        bytes.extend(u16::try_from(text.len()).unwrap_or(u16::MAX).to_le_bytes());
        bytes.extend(text.bytes());
        bytes
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn header(mut self) -> Result<Header, String> {
        let (mut descriptor, mut is_fortran, mut shape) = (None, None, None);
        self.expect('{')?;
        while !self.takes('}') {
            let key = self.string()?;
            self.expect(':')?;
            match key {
                "descr" if self.rest.starts_with(['\'', '"']) => {
                    descriptor = Some(Some(self.string()?.to_owned()));
                }
                // A list of fields, which nothing reads: what follows it does not matter either.
                "descr" => {
                    return Ok(Header {
                        descriptor: None,
                        is_fortran: false,
                        shape: Vec::new(),
                    });
                }
                "fortran_order" => is_fortran = Some(self.truth()?),
                "shape" => shape = Some(self.tuple()?),
                _ => return Err(format!("its header has an unknown key: {}", shown(key))),
            }
            if !self.takes(',') {
                self.expect('}')?;
                break;
            }
        }
        if !self.rest.is_empty() {
            return Err(self.problem("nothing more"));
        }
        let missing = |what: &str| format!("its header has no `{what}`");
        Ok(Header {
            descriptor: descriptor.ok_or_else(|| missing("descr"))?,
            is_fortran: is_fortran.ok_or_else(|| missing("fortran_order"))?,
            shape: shape.ok_or_else(|| missing("shape"))?,
        })
    }

    fn problem(&self, wanted: &str) -> String {
        match self.rest {
            "" => format!("its header ends where {wanted} is expected"),
            rest => format!("its header has {} where {wanted} is expected", shown(rest)),
        }
    }

    fn takes(&mut self, character: char) -> bool {
        let rest = self.rest.strip_prefix(character);
        if let Some(rest) = rest {
            self.rest = rest.trim_start();
        }
        rest.is_some()
    }

    fn expect(&mut self, character: char) -> Result<(), String> {
        match self.takes(character) {
            true => Ok(()),
            false => Err(self.problem(&format!("`{character}`"))),
        }
    }

    /// Text in quotes. NumPy writes none with an escape.
    fn string(&mut self) -> Result<&'a str, String> {
        let quote = self
            .rest
            .chars()
            .next()
            .filter(|first| ['\'', '"'].contains(first));
        let inside = quote.and_then(|quote| self.rest[1..].split_once(quote));
        let Some((text, rest)) = inside.filter(|(text, _)| !text.contains('\\')) else {
            return Err(self.problem("text in quotes"));
        };
        self.rest = rest.trim_start();
        Ok(text)
    }

    fn truth(&mut self) -> Result<bool, String> {
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest.trim_start();
                return Ok(value);
            }
        }
        Err(self.problem("`True` or `False`"))
    }

    fn tuple(&mut self) -> Result<Vec<usize>, String> {
        let mut sizes = Vec::new();
        self.expect('(')?;
        while !self.takes(')') {
            let end = self.rest.find(|digit: char| !digit.is_ascii_digit());
            let (digits, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            let Ok(size) = digits.parse() else {
                return Err(self.problem("a size"));
            };
            sizes.push(size);
            // Python 2 wrote long integers so.
            self.rest = rest.strip_prefix('L').unwrap_or(rest).trim_start();
            if !self.takes(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(sizes)
    }
}

/// The beginning of a text from a file.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    let more = if start.len() < text.len() { "…" } else { "" };
    format!("`{}{more}`", start.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(dictionary: &str) -> Result<Header, String> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((dictionary.len() as u16).to_le_bytes());
        bytes.extend(dictionary.bytes());
        Header::read(&mut bytes.as_slice())
    }

    #[test]
    fn what_is_written_is_read_and_aligned() {
        for shape in [vec![], vec![3], vec![2, 0, 70_000], vec![1; 32]] {
            let header = Header {
                descriptor: Some("<f4".to_owned()),
                is_fortran: shape.len() == 1,
                shape,
            };
            let bytes = header.bytes();
            assert_eq!(bytes.len() % ALIGNMENT, 0);
            assert_eq!(Header::read(&mut bytes.as_slice()), Ok(header));
        }
    }

    #[test]
    fn what_numpy_writes_is_read() {
        let header = read("{'descr': '|V2', 'fortran_order': False, 'shape': (3,), }   \n");
        assert_eq!(header.expect("read").shape, [3]);
        let header = read("{\"shape\":(2L, 3L),'descr':'>i2','fortran_order':True}");
        assert_eq!(header.expect("read").shape, [2, 3]);
        let records = read("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }");
        assert_eq!(records.expect("read").descriptor, None);
    }

    #[test]
    fn no_header_takes_long_or_fills_a_screen() {
        let nested = format!("{{'shape': {}", "[".repeat(9_000));
        let problem = read(&nested).expect_err("refused");
        assert!(
            problem.starts_with("its header has `[[[") && problem.len() < 200,
            "{problem}"
        );
        let unknown = format!("{{'{}': 1}}", "x".repeat(9_000));
        assert!(read(&unknown).expect_err("refused").len() < 200);
        let huge = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{}";
        assert_eq!(
            Header::read(&mut huge.as_slice()),
            Err("its header has 4294967295 bytes, and at most 10000 are read".to_owned())
        );
        for wrong in [
            "",
            "{",
            "{}",
            "{'descr'",
            "{'shape': (99999999999999999999,)}",
            "{'shape': (-1,)}",
            "é",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
