//! Ratios to Triton that `benches/matmul.py` measured in the same run.

use std::path::Path;

use serde::Deserialize;

use super::shapes::Sizes;
use super::subject::Kind;

/// What the script wrote.
#[derive(Debug, Default, Deserialize)]
pub struct Peers {
    rows: Vec<Peer>,
}

#[derive(Debug, Deserialize)]
struct Peer {
    kind: String,
    sizes: Sizes,
    /// Triton's time over that of the fastest of the same files, taking turns in one process.
    of_triton: Option<f64>,
}

impl Peers {
    /// Reads the file.
    ///
    /// # Errors
    /// If it cannot be read or is something else, in words.
    pub fn read(path: &Path) -> Result<Self, String> {
        let problem = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| problem(&error))?;
        serde_json::from_str(&text).map_err(|error| problem(&error))
    }

    /// How many times as fast as Triton.
    #[must_use]
    pub fn ratio(&self, kind: &Kind, sizes: Sizes) -> Option<f64> {
        let kind = kind.to_string();
        let mut rows = self.rows.iter();
        rows.find(|peer| peer.kind == kind && peer.sizes == sizes)
            .and_then(|peer| peer.of_triton)
    }
}
