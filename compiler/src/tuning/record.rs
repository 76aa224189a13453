//! The record of winners: a JSON file beside the source, `matmul.tuned.json` for `matmul.tile`, made to be read in a
//! diff. Its entries are sorted; measuring again changes one.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tile_runtime::input;

use super::Values;

/// The largest record that is read.
const MOST_BYTES: u64 = 16 << 20;

/// The version of the file's layout.
pub const FORMAT: u64 = 1;

/// What was measured to be the fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Winner {
    /// The kernel.
    pub kernel: String,
    /// The target it was compiled for, such as `sm_90a`.
    pub target: String,
    /// The device it ran on, such as `NVIDIA H200`.
    pub device: String,
    /// What the generics were bound to that were not chosen.
    pub generics: Values,
    /// The names that the arguments bound: sizes, named strides and integer arguments.
    pub sizes: BTreeMap<String, i64>,
    /// What the generics were bound to that were chosen.
    pub values: Values,
    /// The median time in microseconds, with a cold L2 cache.
    pub time_us: f64,
    /// That time over the time of the default.
    pub ratio: f64,
    /// Name and version of the compiler.
    pub compiler: String,
}

/// All that is recorded for a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Record {
    /// Sorted by what was measured.
    pub winners: Vec<Winner>,
}

/// Where the record of a source is.
#[must_use]
pub fn path_of(source: &Path) -> PathBuf {
    source.with_extension("tuned.json")
}

impl Winner {
    /// What was measured: another winner of the same replaces it.
    fn key(&self) -> (&str, &str, &str, &Values, &BTreeMap<String, i64>) {
        (
            &self.kernel,
            &self.target,
            &self.device,
            &self.generics,
            &self.sizes,
        )
    }
}

impl Record {
    /// Reads a record; `None` if there is no file.
    ///
    /// # Errors
    /// In words, why it is none.
    pub fn read(path: &Path) -> Result<Option<Self>, String> {
        match input::read_text(path, MOST_BYTES) {
            Ok(text) => Self::parse(&text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Reads the text of a record.
    ///
    /// # Errors
    /// In words, why it is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match value.get("format").and_then(Value::as_u64) {
            Some(FORMAT) => {}
            Some(format) => {
                return Err(format!("it has format {format}, and this is {FORMAT}"));
            }
            None => return Err("it has no `format`".to_owned()),
        }
        let winners = value.get("winners").cloned().unwrap_or_default();
        let winners = serde_json::from_value(winners).map_err(|error| error.to_string())?;
        let mut record = Self { winners };
        record.sort();
        Ok(record)
    }

    /// The text of the file.
    #[must_use]
    pub fn text(&self) -> String {
        #[derive(Serialize)]
        struct File<'a> {
            format: u64,
            winners: &'a [Winner],
        }
        let file = File {
            format: FORMAT,
            winners: &self.winners,
        };
        // Maps with text keys, numbers and strings always serialise.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Adds a winner, in the place of one of the same kernel, target, device, generics and sizes.
    pub fn add(&mut self, winner: Winner) {
        self.winners.retain(|old| old.key() != winner.key());
        self.winners.push(winner);
        self.sort();
    }

    fn sort(&mut self) {
        self.winners
            .sort_by(|one, other| one.key().cmp(&other.key()));
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A winner with `BM` chosen for `m`.
    pub fn winner(m: i64, rows: i64) -> Winner {
        Winner {
            kernel: "matmul".to_owned(),
            target: "sm_90a".to_owned(),
            device: "NVIDIA H200".to_owned(),
            generics: Values::from([("T".to_owned(), "f16".to_owned())]),
            sizes: BTreeMap::from([("m".to_owned(), m)]),
            values: Values::from([("BM".to_owned(), rows.to_string())]),
            time_us: 12.5,
            ratio: 0.75,
            compiler: "tilec 0.1.0".to_owned(),
        }
    }

    #[test]
    fn the_same_measurement_replaces_and_others_stay() {
        let mut record = Record::default();
        for (m, rows) in [(4096, 128), (512, 64), (4096, 256)] {
            record.add(winner(m, rows));
        }
        record.add(Winner {
            target: "sm_80".to_owned(),
            ..winner(512, 32)
        });
        let short = |winner: &Winner| {
            let (m, rows) = (winner.sizes["m"], winner.values["BM"].clone());
            format!("{} {m}: {rows}", winner.target)
        };
        let short: Vec<String> = record.winners.iter().map(short).collect();
        assert_eq!(
            short,
            ["sm_80 512: 32", "sm_90a 512: 64", "sm_90a 4096: 256"]
        );
        assert_eq!(Record::parse(&record.text()), Ok(record));
    }

    #[test]
    fn the_text_is_for_people() {
        let mut record = Record::default();
        record.add(winner(512, 64));
        assert_eq!(
            record.text(),
            r#"{
  "format": 1,
  "winners": [
    {
      "kernel": "matmul",
      "target": "sm_90a",
      "device": "NVIDIA H200",
      "generics": {
        "T": "f16"
      },
      "sizes": {
        "m": 512
      },
      "values": {
        "BM": "64"
      },
      "time_us": 12.5,
      "ratio": 0.75,
      "compiler": "tilec 0.1.0"
    }
  ]
}
"#
        );
    }

    #[test]
    fn what_is_no_record_says_why() {
        let problem = |text: &str| Record::parse(text).expect_err("it is none");
        assert_eq!(problem("{}"), "it has no `format`");
        assert_eq!(
            problem(r#"{"format": 2}"#),
            "it has format 2, and this is 1"
        );
        assert!(problem("{").starts_with("EOF while parsing"));
        let missing = problem(r#"{"format": 1, "winners": [{"kernel": "f"}]}"#);
        assert!(missing.starts_with("missing field"), "{missing}");
        let nothing = tempfile::tempdir().expect("a folder");
        let path = path_of(&nothing.path().join("a.tile"));
        assert!(path.ends_with("a.tuned.json"));
        assert_eq!(Record::read(&path), Ok(None));
        assert!(Record::read(nothing.path()).is_err());
    }
}
