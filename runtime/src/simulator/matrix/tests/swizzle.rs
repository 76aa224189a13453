//! Swizzles.

use proptest::prelude::*;

use crate::simulator::matrix::swizzle::Swizzle;

const ALL: [Swizzle; 4] = [Swizzle::None, Swizzle::B32, Swizzle::B64, Swizzle::B128];

/// Chunk `c` of row `r` goes to chunk `c ^ r % 8` of the row, `c ^ r / 2 % 4`, `c ^ r / 4 % 2`.
#[test]
fn chunks_of_a_row_are_permuted_by_the_number_of_the_row() {
    for row in 0..64 {
        for chunk in 0..8 {
            let moved = |swizzle: Swizzle, to: u32| {
                let bytes = swizzle.row_bytes();
                if chunk < bytes / 16 {
                    let address = row * bytes + chunk * 16 + 5;
                    assert_eq!(
                        swizzle.apply(address),
                        row * bytes + to * 16 + 5,
                        "{swizzle:?}"
                    );
                }
            };
            moved(Swizzle::B128, chunk ^ (row % 8));
            moved(Swizzle::B64, chunk ^ (row / 2 % 4));
            moved(Swizzle::B32, chunk ^ (row / 4 % 2));
            moved(Swizzle::None, chunk);
        }
    }
}

#[test]
fn eight_rows_of_one_chunk_are_in_all_banks() {
    for swizzle in [Swizzle::B32, Swizzle::B64, Swizzle::B128] {
        for chunk in 0..swizzle.row_bytes() / 16 {
            let address = |row: u32| swizzle.apply(row * swizzle.row_bytes() + chunk * 16);
            let mut banks: Vec<_> = (0..8).map(|row| address(row) % 128 / 16).collect();
            banks.sort_unstable();
            assert_eq!(banks, [0, 1, 2, 3, 4, 5, 6, 7], "{swizzle:?}");
        }
    }
}

#[test]
fn tensor_maps_number_the_swizzles() {
    let found = [0, 1, 2, 3].map(|code| Swizzle::of_tensor_map(code).expect("a mode"));
    assert_eq!(found, ALL);
    assert_eq!(Swizzle::of_tensor_map(4), None);
}

proptest! {
    #[test]
    fn a_swizzle_undoes_itself_and_stays_in_its_pattern(address in any::<u32>()) {
        for swizzle in ALL {
            let moved = swizzle.apply(address);
            prop_assert_eq!(swizzle.apply(moved), address);
            prop_assert_eq!(moved / swizzle.pattern_bytes(), address / swizzle.pattern_bytes());
            prop_assert_eq!(moved % 16, address % 16);
            let pattern = address % swizzle.pattern_bytes();
            prop_assert_eq!(swizzle.apply(pattern), moved % swizzle.pattern_bytes());
        }
    }
}
