//! `tilec explain`: what the compiler decided for the kernels of a file, and why.

use tile_runtime::Error;
use tile_runtime::launch::LaunchError;

use super::build::without_debug;
use super::console::{Console, Exit, list};
use super::header::default_call;
use super::options::{Define, ExplainFormat, ExplainOptions};
use super::output::{Output, keep_inputs};
use super::program::Program;
use super::tuned::{Tuned, values_of};
use crate::diagnostic::remark::{Remark, RemarkKind};
use crate::explain::call::Call;
use crate::explain::data::Explanation;
use crate::explain::{self, ExplainError, Request};
use crate::typed::Kernel;

/// Explains as the options say.
pub fn account(console: &Console, options: &ExplainOptions) -> Result<(), Exit> {
    let output = options
        .output
        .as_deref()
        .map_or(Output::Stdout, Output::named);
    keep_inputs(console, &output, [options.file.as_path()])?;
    let program = Program::load(console, &options.file)?;
    let names = program.choose(console, options.kernel.as_deref())?;
    if names.len() > 1 && !options.arguments.is_empty() {
        console.error(
            &format!(
                "the arguments are for one kernel, and `{}` has several: {}",
                program.file_name(),
                list(names.iter().copied())
            ),
            &[&format!("name one: `--kernel {}`", names[0])],
        );
        return Err(Exit::Call);
    }
    program.check_defines(console, &names, &options.defines.define)?;
    let tuned = Tuned::of(console, &program, &options.file, options.tuned.no_tuned);
    let mut requests = Vec::new();
    for name in &names {
        let alone = names.len() == 1;
        requests.push(request(console, &program, &tuned, options, name, alone)?);
    }
    let explanation = explained(console, &program, options, requests)?;
    let variant = entry(console, &explanation, options.variant.as_deref())?;
    let text = match options.format {
        ExplainFormat::Text => explain::text::render(&explanation, variant.as_deref()),
        ExplainFormat::Json => {
            serde_json::to_string_pretty(&explanation).unwrap_or_default() + "\n"
        }
        ExplainFormat::Html => explain::html::render(&explanation, variant.as_deref()),
    };
    output.text(console, &text)?;
    if let Output::File(path) = &output {
        console.status("Explained", &format!("into {}", path.display()));
    }
    Ok(())
}

/// A kernel with the call that is asked for, or that of the header.
struct Asked {
    kernel: Kernel,
    call: Option<Call>,
    /// Which record was used, if one was.
    recorded: Option<Remark>,
}

fn request(
    console: &Console,
    program: &Program,
    tuned: &Tuned<'_>,
    options: &ExplainOptions,
    name: &str,
    alone: bool,
) -> Result<Asked, Exit> {
    let mut defines: Vec<Define> = Vec::new();
    let mut call = None;
    if options.arguments.is_empty() {
        let found =
            default_call(&program.tree.header, Some(name), &options.file).map_err(|problem| {
                console.diagnostics(&[*problem], &program.sources);
                Exit::Program
            })?;
        // A call that names no kernel is for the only one.
        let found = found.filter(|found| found.run.kernel.is_some() || alone);
        if let Some(found) = found {
            defines = found.defines.define;
            call = Some(Call {
                arguments: found.run.arguments,
                grid: found.run.grid,
                from_header: true,
            });
        }
    } else {
        call = Some(Call {
            arguments: options.arguments.clone(),
            grid: options.grid.clone(),
            from_header: false,
        });
    }
    let generics = program.generics(name);
    let given = options.defines.define.iter();
    // The last definition of a name wins.
    defines.extend(
        given
            .filter(|define| alone || generics.contains(define.name.as_str()))
            .cloned(),
    );
    let mut kernels = program.kernels(console, &[name], &defines)?;
    options.overrides.apply(&mut kernels);
    let kernel = kernels.into_iter().next().ok_or(Exit::Program)?;
    let chosen = call.as_ref().and_then(|call| {
        let sizes = || explain::sizes(&kernel, call);
        tuned.for_sizes(
            &kernel,
            options.target.target,
            &values_of(&defines),
            None,
            sizes,
        )
    });
    let Some(mut chosen) = chosen else {
        return Ok(Asked {
            kernel,
            call,
            recorded: None,
        });
    };
    options
        .overrides
        .apply(std::slice::from_mut(&mut chosen.kernel));
    Ok(Asked {
        recorded: Some(Remark {
            function: kernel.name,
            span: None,
            kind: RemarkKind::TunedChosen {
                words: chosen.words,
            },
        }),
        kernel: chosen.kernel,
        call,
    })
}

fn explained(
    console: &Console,
    program: &Program,
    options: &ExplainOptions,
    asked: Vec<Asked>,
) -> Result<Explanation, Exit> {
    let kernels: Vec<Kernel> = asked.iter().map(|asked| asked.kernel.clone()).collect();
    let (kernels, remarks) = without_debug(&kernels);
    let mut requests = Vec::new();
    for (kernel, asked) in kernels.iter().zip(asked) {
        let own = remarks
            .iter()
            .filter(|remark| remark.function == kernel.name);
        requests.push(Request {
            kernel,
            remarks: asked.recorded.into_iter().chain(own.cloned()).collect(),
            call: asked.call.filter(|call| fits(console, kernel, call)),
        });
    }
    explain::explain(&program.sources, &requests, options.target.target).map_err(
        |error| match error {
            ExplainError::Program(diagnostic) => {
                console.diagnostics(&[*diagnostic], &program.sources);
                Exit::Program
            }
            ExplainError::Call(error) => {
                console.error(&error.to_string(), help(&error));
                Exit::Call
            }
        },
    )
}

/// A call in a header that does not fit is left out, and that is said: generics on the command line may
/// be others than it was written for.
fn fits(console: &Console, kernel: &Kernel, call: &Call) -> bool {
    if !call.from_header {
        return true;
    }
    match explain::check_call(kernel, call) {
        Ok(()) => true,
        Err(error) => {
            console.warning(
                &format!(
                    "the call of `{}` in the header is left aside: {error}",
                    kernel.name
                ),
                help(&error),
            );
            false
        }
    }
}

fn help(error: &Error) -> &'static [&'static str] {
    match error {
        Error::Launch(LaunchError::GridMissing { .. }) => {
            &["give the programs along x, y and z: `--grid 64` or `--grid 64,2`"]
        }
        _ => &[],
    }
}

/// The entry point that `--variant` means: a whole name, or what stands behind the kernel's.
fn entry(
    console: &Console,
    explanation: &Explanation,
    wanted: Option<&str>,
) -> Result<Option<String>, Exit> {
    let Some(wanted) = wanted else {
        return Ok(None);
    };
    let kernels = explanation.kernels.iter();
    let all: Vec<(&str, &str)> = kernels
        .flat_map(|kernel| {
            let variants = kernel.variants.iter();
            variants.map(|variant| (kernel.name.as_str(), variant.entry.as_str()))
        })
        .collect();
    let short = |(kernel, entry): &(&str, &str)| {
        entry
            .strip_prefix(kernel)
            .is_some_and(|rest| rest.strip_prefix("__") == Some(wanted))
    };
    let found = all
        .iter()
        .find(|(_, entry)| *entry == wanted)
        .or_else(|| all.iter().find(|names| short(names)));
    if let Some((_, entry)) = found {
        return Ok(Some((*entry).to_owned()));
    }
    let near = all
        .iter()
        .min_by_key(|(_, entry)| strsim::damerau_levenshtein(entry, wanted))
        .filter(|(_, entry)| strsim::damerau_levenshtein(entry, wanted) <= wanted.len() / 3);
    let entries = list(all.iter().map(|(_, entry)| *entry));
    let help = match near {
        Some((_, entry)) => format!("did you mean `{entry}`? There are {entries}"),
        None => format!("there are {entries}"),
    };
    console.error(&format!("no variant is called `{wanted}`"), &[&help]);
    Err(Exit::Call)
}
