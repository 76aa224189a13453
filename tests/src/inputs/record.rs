//! Records of tuning: what is read can be written and read again, and only what suits a kernel is taken.

use std::collections::BTreeMap;

use tilec::sema;
use tilec::tuning::Values;
use tilec::tuning::record::{Record, Winner};
use tilec::tuning::winners;

use super::is_said;
use crate::Program;

const KERNEL: &str = "
kernel double<T: float, const N: i32 = 64, const M: i32 = 1>(x: tensor<T>[n], y: mut tensor<T>[n]) grid(cdiv(n, N * M))
tune(N: [64, 128], M: [1, 2]) {
    let at = program_id(0) * (N * M);
    store(y[at +: N * M], load(x[at +: N * M]) * 2);
}
";

fn values(pairs: &[(&str, &str)]) -> Values {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn winner(width: &str, size: i64) -> Winner {
    Winner {
        kernel: "double".to_owned(),
        target: "sm_90a".to_owned(),
        device: "NVIDIA H200".to_owned(),
        generics: values(&[("T", "f16")]),
        sizes: BTreeMap::from([("n".to_owned(), size)]),
        values: values(&[("M", "2"), ("N", width)]),
        time_us: 12.5,
        ratio: 0.75,
        compiler: "tilec 0.1.0".to_owned(),
    }
}

pub(super) fn corpus() -> Vec<Vec<u8>> {
    let winners = vec![winner("64", 1000), winner("128", 1 << 40)];
    [Vec::new(), winners[..1].to_vec(), winners]
        .map(|winners| Record { winners }.text().into_bytes())
        .to_vec()
}

/// Reads a record and looks for what suits a launch.
pub(super) fn examine(text: &str) -> Result<(), String> {
    let record = match Record::parse(text) {
        Ok(record) => record,
        Err(reason) => return is_said(&reason),
    };
    let again = Record::parse(&record.text())?;
    if again != record {
        return Err(format!("{record:?} is written as {again:?}"));
    }
    let program = Program::new("double.tile", KERNEL);
    let choices = |bound: &Values| sema::tune_choices(&program.files, "double", bound);
    let mut said = Ok(());
    let suitable = winners::suitable(
        &record,
        "double",
        "sm_90a",
        &values(&[("T", "f16")]),
        choices,
        |_, reason| said = is_said(&reason),
    );
    said?;
    let _ = winners::nearest(&suitable, &BTreeMap::from([("n".to_owned(), 5000)]), None);
    for winner in suitable {
        let is_listed = |name: &str, listed: [&str; 2]| {
            winner
                .values
                .get(name)
                .is_some_and(|value| listed.contains(&value.as_str()))
        };
        if !is_listed("N", ["64", "128"]) || !is_listed("M", ["1", "2"]) {
            return Err(format!("{winner:?} was never a choice"));
        }
    }
    Ok(())
}
