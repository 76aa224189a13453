//! placeholder
#[derive(Debug, thiserror::Error)]
#[error("x")]
pub struct ArgumentError;
