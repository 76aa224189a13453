//! Tests of the parser: what is read, what is refused and how, and that nothing breaks it.

mod files;
mod limits;
mod properties;
mod read;
mod refused;

/// A module around the statements of a kernel, which begin in line 6.
fn kernel(statements: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\
         {statements}\n}}\n"
    )
}

/// A module around what stands outside functions, which begins in line 3.
fn module(items: &str) -> String {
    format!(".version 8.0\n.target sm_90a\n{items}\n")
}
