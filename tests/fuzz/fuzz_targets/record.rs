//! A record of tuning, whatever is in it.
#![no_main]

tile_fuzz::target!(tile_fuzz::Input::Record);
