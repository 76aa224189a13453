//! MLIR text, whatever is in it.
#![no_main]

tile_fuzz::target!(tile_fuzz::Input::Ir);
