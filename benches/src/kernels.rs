//! PTX files, and what their manifests say of the functions.

use std::path::{Path, PathBuf};

use tile_runtime::element::ElementType;
use tile_runtime::manifest::{self, Dimension, Manifest, Parameter, Stride};

use crate::problem::{Case, Family, Placement, Shape};
use crate::reference;

/// The files of a folder that end so and begin with one of `starts` (all, if there is none), by name.
///
/// # Errors
/// If the folder cannot be read, in words.
pub fn files(directory: &Path, ending: &str, starts: &[String]) -> Result<Vec<PathBuf>, String> {
    let problem = |error| format!("{}: {error}", directory.display());
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        let name = label(&path);
        let wanted = starts.is_empty() || starts.iter().any(|start| name.starts_with(start));
        if wanted
            && path
                .extension()
                .is_some_and(|extension| extension == ending)
        {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// A file's name without its ending.
#[must_use]
pub fn label(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// A tensor or pointer that a kernel takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operand {
    /// The parameter's name.
    pub name: String,
    /// The type of its elements.
    pub element: ElementType,
}

/// A kernel that computes one of the functions.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The file's name, and the kernel's if the file has several.
    pub label: String,
    /// The kernel's name.
    pub kernel: String,
    /// What it computes.
    pub family: Family,
    /// What it reads.
    pub inputs: Vec<Operand>,
    /// What it writes.
    pub output: Operand,
    /// The integer that takes the number of elements, where pointers do not carry it.
    pub size: Option<String>,
    parameters: Vec<Parameter>,
    /// The most columns of a row, where a program holds a whole row.
    columns: Option<usize>,
}

impl Subject {
    /// The kernels of a file; of those that cannot be run here, the reason in words.
    ///
    /// # Errors
    /// If the file has no manifest, in words.
    pub fn of_file(path: &Path, ptx: &str) -> Result<Vec<Result<Self, String>>, String> {
        let file = label(path);
        let manifest = Manifest::from_ptx(ptx).map_err(|error| format!("{file}: {error}"))?;
        let several = manifest.kernels.len() > 1;
        Ok(manifest
            .kernels
            .iter()
            .map(|kernel| {
                let label = if several {
                    format!("{file}:{}", kernel.name)
                } else {
                    file.clone()
                };
                Self::of_kernel(label.clone(), kernel).map_err(|why| format!("{label}: {why}"))
            })
            .collect())
    }

    fn of_kernel(label: String, kernel: &manifest::Kernel) -> Result<Self, String> {
        let name = &kernel.name;
        let family = Family::of_kernel(name)
            .ok_or_else(|| format!("nothing is known of a kernel named `{name}`"))?;
        let (mut inputs, mut outputs, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
        for parameter in &kernel.parameters {
            let operand = Operand {
                name: parameter.name().to_owned(),
                element: parameter.element(),
            };
            match parameter {
                Parameter::Scalar { element, .. } if element.is_integer() => {
                    sizes.push(operand.name);
                }
                Parameter::Scalar { .. } => {
                    return Err(format!("nothing is known of the parameter `{parameter}`"));
                }
                _ if !reference::supports(operand.element) => {
                    return Err(format!("{} is not checked", operand.element));
                }
                _ if parameter.is_mutable() => outputs.push(operand),
                _ => inputs.push(operand),
            }
        }
        let expected = family.inputs();
        let [output] = outputs.as_slice() else {
            let found = outputs.len();
            return Err(format!("it writes {found} tensors instead of one"));
        };
        if inputs.len() != expected
            || sizes.len() > 1
            || (family != Family::Add && !sizes.is_empty())
        {
            return Err(format!(
                "it does not take {expected} tensors to read and their sizes alone"
            ));
        }
        let columns = kernel.generics.get("COLS");
        Ok(Self {
            label,
            kernel: name.clone(),
            family,
            output: output.clone(),
            inputs,
            size: sizes.pop(),
            parameters: kernel.parameters.clone(),
            columns: columns.and_then(|columns| columns.parse().ok()),
        })
    }

    /// Whether the kernel was compiled for such a case.
    #[must_use]
    pub fn suits(&self, case: Case) -> bool {
        let fits = match (case.shape, self.columns) {
            (Shape::Softmax { columns, .. }, Some(most)) => columns <= most,
            _ => true,
        };
        fits && self.sizes_are_free(case.shape) && self.strides_are_free(case.placement)
    }

    /// Whether the kernel was compiled with such a case in mind: rows fill at least half of a tile.
    #[must_use]
    pub fn suits_well(&self, shape: Shape) -> bool {
        let filled = match (shape, self.columns) {
            (Shape::Softmax { columns, .. }, Some(most)) => columns * 2 > most,
            _ => true,
        };
        let placement = Placement::Dense;
        filled && self.suits(Case { shape, placement })
    }

    fn parameter(&self, name: &str) -> Option<&Parameter> {
        let mut parameters = self.parameters.iter();
        parameters.find(|parameter| parameter.name() == name)
    }

    fn sizes_are_free(&self, shape: Shape) -> bool {
        let shapes = shape.inputs().into_iter().chain([shape.output()]);
        let operands = self.inputs.iter().chain([&self.output]);
        operands.zip(shapes).all(|(operand, shape)| {
            match self.parameter(&operand.name) {
                Some(Parameter::Tensor { dimensions, .. }) => {
                    dimensions.len() == shape.len()
                        && dimensions.iter().zip(&shape).all(|(dimension, size)| {
                            !matches!(dimension, Dimension::Fixed(fixed) if *fixed != *size as u64)
                        })
                }
                // A pointer goes with vectors.
                _ => shape.len() == 1,
            }
        })
    }

    fn strides_are_free(&self, placement: Placement) -> bool {
        let Some(input) = placement.transposed() else {
            return true;
        };
        match self
            .inputs
            .get(input)
            .map(|input| self.parameter(&input.name))
        {
            Some(Some(Parameter::Tensor { strides, .. })) => strides
                .iter()
                .all(|stride| matches!(stride, Stride::Free | Stride::Named(_))),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD: &str = include_str!("../../runtime/tests/add.ptx");

    fn subjects(ptx: &str) -> Vec<Result<Subject, String>> {
        Subject::of_file(Path::new("some/add-block512.ptx"), ptx).expect("a manifest")
    }

    #[test]
    fn a_kernel_is_known_by_its_name_and_its_parameters_by_what_they_are() {
        let subjects = subjects(ADD);
        let add = subjects[0].as_ref().expect("`add` is known");
        assert_eq!(add.label, "add-block512:add");
        assert_eq!((add.family, add.inputs.len()), (Family::Add, 2));
        assert_eq!((add.output.name.as_str(), &add.size), ("z", &None));
        let shape = Shape::Add { n: 5 };
        assert!(add.suits_well(shape));
        assert!(!add.suits(Case {
            shape,
            placement: Placement::TransposedA
        }));
        let why = subjects[1].as_ref().expect_err("`scale` is not");
        assert_eq!(
            why,
            "add-block512:scale: nothing is known of a kernel named `scale`"
        );
    }

    #[test]
    fn fixed_sizes_restrict_the_cases() {
        let fixed = ADD.replace(r#"[{"named": "n"}]"#, r#"[{"fixed": 1024}]"#);
        let subjects = subjects(&fixed);
        let add = subjects[0].as_ref().expect("`add` is known");
        assert!(add.suits_well(Shape::Add { n: 1024 }));
        assert!(!add.suits_well(Shape::Add { n: 1023 }));
    }

    #[test]
    fn files_are_chosen_by_the_start_of_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b-2.ptx", "b-1.ptx", "a.ptx", "b.txt"] {
            std::fs::write(folder.path().join(name), "").expect("a file");
        }
        let labels = |starts: &[&str]| {
            let starts: Vec<_> = starts.iter().map(ToString::to_string).collect();
            let files = files(folder.path(), "ptx", &starts).expect("a folder");
            files.iter().map(|path| label(path)).collect::<Vec<_>>()
        };
        assert_eq!(labels(&[]), ["a", "b-1", "b-2"]);
        assert_eq!(labels(&["b"]), ["b-1", "b-2"]);
        assert!(files(Path::new("no/such/folder"), "ptx", &[]).is_err());
    }
}
