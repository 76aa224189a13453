//! Diagnostics as text for people and JSON for machines.
