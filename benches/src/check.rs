//! Whether a kernel computes what it should, and touches nothing else.

use serde::{Deserialize, Serialize};
use tile_runtime::Error;
use tile_runtime::program::Kernel;

use crate::kernels::Subject;
use crate::problem::{Case, Limit};
use crate::reference::{Numbers, Reference, not_numbers};
use crate::session::{Session, broken_guards};
use crate::table::{Column, Table, scientific};

/// Rows of a large matrix product that are compared.
pub(crate) const SAMPLED_ROWS: usize = 48;

/// One kernel at one shape.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CheckRow {
    /// File and kernel.
    pub label: String,
    /// The entry point that was chosen.
    pub variant: String,
    /// The shape.
    pub case: String,
    /// ‖out − ref‖ / ‖ref‖; `None` if it is no number.
    pub relative: Option<f64>,
    /// The largest difference of two elements.
    pub largest: Option<f64>,
    /// What `relative` may be.
    pub limit: Limit,
    /// What is wrong; `None` if nothing is.
    pub problem: Option<String>,
}

/// Runs a kernel once and compares.
///
/// # Errors
/// If it cannot be run or fails.
pub fn check(
    session: &mut Session,
    kernel: &Kernel,
    subject: &Subject,
    case: Case,
) -> Result<CheckRow, Error> {
    let host = session.inputs(subject, case, false)?;
    let run = session.prepare(kernel, subject, case, &host, true)?;
    run.launch.launch()?;
    let output = run.output.download()?;
    let mut problems = Vec::new();
    let mut inputs = Vec::new();
    for ((tensor, device), operand) in host.iter().zip(&run.inputs).zip(&subject.inputs) {
        let after = device.download()?;
        if after.dense_bytes() != tensor.dense_bytes() {
            problems.push(format!("the input `{}` was changed", operand.name));
        }
        inputs.push(tensor.to_dense());
    }
    let numbers: Vec<_> = inputs
        .iter()
        .map(|tensor| Numbers {
            element: tensor.element(),
            bytes: tensor.storage(),
        })
        .collect();
    let element = subject.output.element;
    let bytes = output.dense_bytes();
    let results = Numbers {
        element,
        bytes: &bytes,
    };
    let reference = Reference::new(case.shape, &numbers);
    let limit = case.shape.limit(element);
    let rows = reference.choose_rows(SAMPLED_ROWS);
    let difference = reference.compare(results, &rows, limit);
    if !limit.allows(difference.relative) {
        problems.push("the error is above the limit".to_owned());
    }
    let unwritten = not_numbers(results);
    if unwritten > 0 {
        problems.push(format!(
            "{unwritten} of {} elements were not written or are NaN",
            results.len()
        ));
    }
    let outside = broken_guards(&output);
    if outside > 0 {
        problems.push(format!("{outside} bytes beside the output were written"));
    }
    Ok(CheckRow {
        label: subject.label.clone(),
        variant: run.launch.variant().entry.clone(),
        case: case.to_string(),
        relative: Some(difference.relative).filter(|error| error.is_finite()),
        largest: Some(difference.largest).filter(|error| error.is_finite()),
        limit,
        problem: (!problems.is_empty()).then(|| problems.join("; ")),
    })
}

impl CheckRow {
    /// A kernel that could not be run.
    #[must_use]
    pub fn failed(subject: &Subject, case: Case, problem: String) -> Self {
        Self {
            label: subject.label.clone(),
            variant: String::new(),
            case: case.to_string(),
            relative: None,
            largest: None,
            limit: case.shape.limit(subject.output.element),
            problem: Some(problem),
        }
    }

    /// The table of these.
    #[must_use]
    pub fn table(label_width: usize) -> Table {
        Table::new(vec![
            Column::left("kernel", label_width),
            Column::left("variant", 22),
            Column::left("shape", 18),
            Column::right("error", 8),
            Column::right("max abs", 8),
            Column::right("limit", 6),
            Column::left("ok", 4),
        ])
    }

    /// The cells of a line.
    #[must_use]
    pub fn cells(&self) -> Vec<String> {
        vec![
            self.label.clone(),
            self.variant.clone(),
            self.case.clone(),
            scientific(self.relative),
            scientific(self.largest),
            self.limit.to_string(),
            if self.problem.is_none() { "ok" } else { "FAIL" }.to_owned(),
        ]
    }
}
