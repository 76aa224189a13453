//! Constants as sums of numbers, each the nearest to what those before leave.

use std::f64::consts;

/// `pi`
pub(super) const PI: [f64; 2] = [consts::PI, 1.2246467991473532e-16];

/// `pi / 2`
pub(super) const HALF_PI: [f64; 3] = [
    consts::FRAC_PI_2,
    6.123233995736766e-17,
    -1.4973849048591698e-33,
];

/// `pi / 4`
pub(super) const QUARTER_PI: [f64; 2] = [consts::FRAC_PI_4, 3.061616997868383e-17];

/// `ln 2`
pub(super) const LN_2: [f64; 2] = [consts::LN_2, 2.3190468138462996e-17];

/// `log2 e`
pub(super) const LOG2_E: [f64; 2] = [consts::LOG2_E, 2.0355273740931033e-17];

/// `log10 e`
pub(super) const LOG10_E: [f64; 2] = [consts::LOG10_E, 1.098319650216765e-17];

/// `log10 2`
pub(super) const LOG10_2: [f64; 2] = [consts::LOG10_2, -2.8037281277851704e-18];

/// `2 / 3`
pub(super) const TWO_THIRDS: [f64; 2] = [2.0 / 3.0, 3.700743415417188e-17];

/// `atan(53 / 128)`
pub(super) const ATAN_53_128: [f64; 2] = [0.3925701350118286, 1.4769733768267405e-17];

/// `2 / pi` in binary, 64 bits a word.
pub(super) const TWO_OVER_PI: [u64; 20] = [
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];
