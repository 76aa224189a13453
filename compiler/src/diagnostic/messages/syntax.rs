//! Text that is no Tile program.
