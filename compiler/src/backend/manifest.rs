//! What a launcher must know, from the typed kernel and what the passes decided.

use tile_runtime::manifest::{
    Argument, Assumption, Dimension, FORMAT, Kernel, Manifest, Pair, Parameter, Stride, TensorMap,
    Variant,
};

use crate::build::from_typed::entry_arguments;
use crate::diagnostic::remark::Remark;
use crate::layout::copy::NARROWEST_COPY;
use crate::passes::pipeline::Map;
use crate::passes::{Blocks, VariantRequest};
use crate::target::{Target, WIDEST_ACCESS};
use crate::typed::strides::{UnitStrides, unit_strides};
use crate::typed::walk::{Accesses, Row};
use crate::typed::{self, Element, ViewIndex};

/// What the passes left on a compiled variant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantFacts {
    /// Warps per program.
    pub warps: u32,
    /// Further warps of a block, which only copy.
    pub copying_warps: u32,
    /// Whether the kernel is persistent: on as many blocks as run at once.
    pub turns: bool,
    /// Programs of a group along its axis, 0 for none.
    pub group: u32,
    /// The axis of groups.
    pub group_axis: u32,
    /// Whether blocks take the numbers of their programs from a counter.
    pub tickets: bool,
    /// Whether it waits for the launch before it by itself.
    pub dependent: bool,
    /// Along which axis two neighbouring programs may share what they copy, if they may.
    pub pair: Option<Pair>,
    /// Bytes that a block writes of a program that several share; 0 if none do.
    pub part_bytes: u32,
    /// How many programs may share a block.
    pub programs_per_block: u32,
    /// Blocks per program, which have as many of its warps each.
    pub cluster: u32,
    /// Blocks that share the iterations of a program's loop, which have all of its warps each.
    pub split: u32,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
    /// The tensor maps that the entry point takes besides its arguments.
    pub maps: Vec<Map>,
    /// What it asks of a launch besides divisors.
    pub assumptions: Vec<Assumption>,
}

/// Of a program that was not compiled: one warp, one block, nothing shared.
impl Default for VariantFacts {
    fn default() -> Self {
        Self {
            warps: 1,
            copying_warps: 0,
            turns: false,
            group: 0,
            group_axis: 0,
            tickets: false,
            dependent: false,
            pair: None,
            part_bytes: 0,
            programs_per_block: 1,
            cluster: 1,
            split: 1,
            shared_bytes: 0,
            maps: Vec::new(),
            assumptions: Vec::new(),
        }
    }
}

/// What is promised of addresses and of how long rows are.
#[derive(Clone, Copy)]
enum Rows {
    /// Multiples of so many bytes.
    Bytes(u64),
    /// Multiples of so many elements, of whatever type.
    Elements(u64),
    /// Multiples of elements.
    Any,
}

impl Rows {
    /// What the address of elements of so many bytes is a multiple of.
    fn address(self, bytes: u64) -> u64 {
        match self {
            Self::Bytes(of) => of.max(bytes),
            Self::Elements(of) => (of * bytes).min(WIDEST_ACCESS),
            Self::Any => bytes,
        }
    }

    /// What a size of a tensor whose elements have so many bytes is a multiple of.
    fn size(self, bytes: u64) -> u64 {
        match self {
            Self::Bytes(of) => (of / bytes).max(1),
            Self::Elements(of) => of,
            Self::Any => 1,
        }
    }
}

/// Blocks of rows at most for which there are variants.
const COUNTS_OF_BLOCKS: [i64; 5] = [1, 2, 4, 8, 16];

/// The most where rows begin anywhere, or threads of all warps meet in each block.
const FEW_BLOCKS: i64 = 8;

/// The most where a kernel goes over a row once, with a sum of all blocks: more are loaded ahead.
const FEW_BLOCKS_ONCE: i64 = 4;

/// Elements of a row at most that such variants keep in registers, and of one that is a block.
const LONGEST_KEPT_ROW: i64 = 16384;
const LONGEST_KEPT_BLOCK: i64 = 32768;

/// The variants compiled by default: one for aligned data whose rows are whole vectors of 16 bytes; for kernels with
/// products one where that is so of what they load alone, one for rows of whole words, which can still be copied to shared memory
/// asynchronously, and, if they load elements of one byte and of two, one before it for rows that are whole vectors of those of two; and one that
/// assumes only that elements are aligned. Of kernels that go over rows in blocks there are some for few blocks.
#[must_use]
pub fn default_variants(kernel: &typed::Kernel) -> Vec<VariantRequest> {
    let statements = &kernel.body.statements;
    let of = |suffix: &str, rows| VariantRequest {
        entry: format!("{}{suffix}", kernel.name),
        divisibility: divisibility(kernel, rows, Accesses::All),
        names: names(kernel),
        blocks: None,
        ones: Vec::new(),
        has_rows: false,
    };
    let general = VariantRequest {
        names: Vec::new(),
        ..of("__general", Rows::Any)
    };
    let arguments = entry_arguments(kernel);
    let ones = |strides: &UnitStrides| {
        let all = arguments.iter().enumerate();
        let ones = all.filter(|(_, (_, variable))| strides.parameters().contains(variable));
        ones.map(|(number, _)| number).collect::<Vec<_>>()
    };
    let units = unit_strides(kernel, NARROWEST_COPY);
    let mut list = vec![of("", Rows::Bytes(WIDEST_ACCESS))];
    // Equal promises make one variant.
    let mut add = |variant: VariantRequest, unless: Option<&VariantRequest>| {
        let known = list.last().into_iter().chain(unless);
        if known
            .into_iter()
            .all(|known| known.divisibility != variant.divisibility)
        {
            list.push(variant);
        }
    };
    if typed::walk::has_product(statements) {
        let widest = Rows::Bytes(WIDEST_ACCESS);
        // Where a right operand is not transposed its rows are often as long as those that are stored.
        let is_transposed = |strides: &&UnitStrides| matches!(strides, UnitStrides::Right(_));
        let strides = units.iter().find(is_transposed).or(units.first());
        let ragged = VariantRequest {
            divisibility: divisibility(kernel, widest, Accesses::Loads),
            ones: strides.map(ones).unwrap_or_default(),
            ..of("__ragged", widest)
        };
        add(ragged, Some(&general));
        let loads = |bytes| {
            let mut views = typed::walk::loaded_views(statements);
            views.any(|view| element_bytes(kernel, view.tensor) == Some(bytes))
        };
        if loads(1) && loads(2) {
            let eights = Rows::Elements(WIDEST_ACCESS / 2);
            add(of("__eights", eights), Some(&general));
        }
        // Of sizes alone: addresses that are no multiples of words are rare, and so are those that are no more than that.
        // Without strides that are 1 nothing is known to lie side by side, so that words would be nothing to copy.
        let words = VariantRequest {
            ones: units.first().map(ones).unwrap_or_default(),
            ..of("__words", Rows::Bytes(NARROWEST_COPY))
        };
        let numbers = |variant: &VariantRequest| -> Vec<i64> {
            let all = arguments.iter().zip(&variant.divisibility);
            let all =
                all.filter(|((argument, _), _)| !matches!(argument, Argument::Address { .. }));
            all.map(|(_, divisor)| *divisor).collect()
        };
        if numbers(&words) != numbers(&general) {
            add(words, Some(&general));
        }
    }
    add(general, None);
    if let Some(last) = list.last_mut() {
        last.names.clear();
    }
    let few = |suffix: &str, rows| {
        let mut blocks = of_few_blocks(kernel);
        if matches!(rows, Rows::Any) {
            blocks.retain(|blocks| blocks.most <= FEW_BLOCKS);
        }
        let variant = |blocks: Blocks| VariantRequest {
            entry: format!("{}__{suffix}{}", kernel.name, blocks.most),
            divisibility: divisibility(kernel, rows, Accesses::All),
            names: names(kernel),
            blocks: Some(blocks),
            ones: Vec::new(),
            has_rows: false,
        };
        blocks.into_iter().map(variant).collect::<Vec<_>>()
    };
    let last = list.len() - 1;
    if last > 0 {
        let anywhere = few("any_of", Rows::Any);
        list.splice(last..last, anywhere);
    }
    let aligned = few("of", Rows::Bytes(WIDEST_ACCESS));
    list.splice(1..1, aligned);
    let units = units.iter().map(|strides| {
        let suffix = match strides {
            UnitStrides::Usual(_) => "__unit",
            UnitStrides::Rows(_) => "__unit_rows",
            UnitStrides::Right(_) => "__unit_right",
            UnitStrides::Left(_) => "__unit_left",
            UnitStrides::Stored(_) => "__unit_stored",
            UnitStrides::Loaded(_) => "__unit_loaded",
            UnitStrides::Channels(_) => "__unit_channels",
        };
        VariantRequest {
            ones: ones(strides),
            has_rows: matches!(strides, UnitStrides::Rows(_)),
            ..of(suffix, Rows::Bytes(WIDEST_ACCESS))
        }
    });
    list.splice(1..1, units.collect::<Vec<_>>());
    list
}

/// The counts of blocks of a kernel's rows for which there are variants; none if there are no such rows.
fn of_few_blocks(kernel: &typed::Kernel) -> Vec<Blocks> {
    let Some(row) = typed::walk::row_in_blocks(kernel) else {
        return Vec::new();
    };
    let most = match row {
        Row {
            is_repeated: false, ..
        } => FEW_BLOCKS_ONCE,
        Row {
            is_reduced: true, ..
        } => FEW_BLOCKS,
        Row { .. } => i64::MAX,
    };
    let mut arguments = entry_arguments(kernel).into_iter().zip(names(kernel));
    let name = arguments.find_map(|((_, variable), name)| name.filter(|_| variable == row.counted));
    let Some(name) = name else {
        return Vec::new();
    };
    let counts = COUNTS_OF_BLOCKS.into_iter();
    let longest = |count: i64| match count {
        1 => LONGEST_KEPT_BLOCK,
        _ => LONGEST_KEPT_ROW,
    };
    let fits = |count: &i64| *count <= most && count * row.elements <= longest(*count);
    let counts = counts.filter(fits);
    let fewest = counts.clone().map(|most| most + 1);
    let all = std::iter::once(1).chain(fewest).zip(counts);
    all.map(|(fewest, most)| Blocks {
        name: name.clone(),
        elements: row.elements,
        fewest,
        most,
    })
    .collect()
}

/// Bytes of an element of the tensor that a parameter is.
fn element_bytes(kernel: &typed::Kernel, parameter: usize) -> Option<u64> {
    let Some(typed::Parameter::Tensor(tensor)) = kernel.parameters.get(parameter) else {
        return None;
    };
    match kernel.variables[tensor.pointer.0 as usize].ty.element {
        Element::Pointer { pointee, .. } => Some(u64::from(pointee.bytes())),
        Element::Number(_) => None,
    }
}

/// What a launch knows each argument by, if it is a size or a number.
#[must_use]
pub fn names(kernel: &typed::Kernel) -> Vec<Option<String>> {
    let name = |argument| match argument {
        Argument::Size { name } | Argument::Scalar { name } => Some(name),
        _ => None,
    };
    let arguments = entry_arguments(kernel).into_iter();
    arguments.map(|(argument, _)| name(argument)).collect()
}

/// What each argument is a multiple of.
fn divisibility(kernel: &typed::Kernel, rows: Rows, accesses: Accesses) -> Vec<i64> {
    let arguments = entry_arguments(kernel);
    let element = |variable: typed::VariableId| kernel.variables[variable.0 as usize].ty.element;
    let pointees = arguments
        .iter()
        .filter_map(|(_, variable)| match element(*variable) {
            Element::Pointer { pointee, .. } => Some(u64::from(pointee.bytes())),
            Element::Number(_) => None,
        });
    let smallest = pointees.min();
    let statements = &kernel.body.statements;
    let views = typed::walk::views(statements, accesses);
    let has_product = typed::walk::has_product(statements);
    let addressing = typed::walk::addressing(kernel, accesses);
    let size = |bytes: u64| rows.size(bytes) as i64;
    arguments
        .iter()
        .map(|(argument, variable)| match element(*variable) {
            Element::Pointer { pointee, .. } => rows.address(pointee.bytes().into()) as i64,
            Element::Number(number) if !number.is_integer() || number.bits() < 32 => 1,
            // What offsets may be made of: a whole vector of the smallest elements around.
            Element::Number(_) => match argument {
                Argument::Size { name } => {
                    let tensors = Tensors {
                        kernel,
                        views: &views,
                        has_product,
                        rows,
                    };
                    tensors.smallest_of_rows(name).map_or(1, size)
                }
                Argument::Stride { .. } => smallest.map_or(1, size),
                _ if !addressing.contains(variable) => 1,
                _ => smallest.map_or(1, size),
            },
        })
        .collect()
}

/// The tensors of a kernel, and what is read and written of them.
struct Tensors<'a> {
    kernel: &'a typed::Kernel,
    views: &'a [&'a typed::View],
    has_product: bool,
    rows: Rows,
}

impl Tensors<'_> {
    /// Bytes of the smallest elements of the tensors whose rows a size belongs to: it must be a multiple of a vector of
    /// them so that vectors neither cross the end of a row nor are misaligned in the next.
    fn smallest_of_rows(&self, size: &str) -> Option<u64> {
        let tensors = self.kernel.parameters.iter().enumerate();
        let bytes = tensors.filter_map(|(index, parameter)| match parameter {
            typed::Parameter::Tensor(tensor) => self.demand(index, tensor, size),
            _ => None,
        });
        bytes.min()
    }

    /// Bytes of a tensor's elements, if it asks something of a size.
    fn demand(&self, index: usize, tensor: &typed::TensorParameter, size: &str) -> Option<u64> {
        let bytes = element_bytes(self.kernel, index)?;
        let is_size = |dimension: &typed::Dimension| matches!(dimension, typed::Dimension::Size(index) if self.kernel.sizes[*index].0 == size);
        let is_dense = tensor
            .strides
            .iter()
            .all(|stride| matches!(stride, typed::Stride::Dense));
        if !is_dense {
            return tensor.dimensions.iter().any(is_size).then_some(bytes);
        }
        let views = self.views.iter().filter(|view| view.tensor == index);
        let runs = views.map(|view| {
            let ranges = view.indices.iter();
            let ranges = ranges.filter(|index| !matches!(index, ViewIndex::At(_)));
            (
                ranges.count(),
                !matches!(view.indices.last(), Some(ViewIndex::At(_))),
            )
        });
        let runs: Vec<_> = runs.collect();
        // A tensor that is read element by element.
        if !runs.iter().any(|(_, has_runs)| *has_runs) {
            return None;
        }
        // Beside products the few elements of single rows matter less than which sizes are fast. Narrow elements could not be
        // copied ahead any more.
        let is_of_single_rows = runs.iter().all(|(ranges, _)| *ranges <= 1);
        if self.has_product && is_of_single_rows && bytes >= NARROWEST_COPY {
            return None;
        }
        // From the innermost dimension on: what rows of the dimension before are a multiple of. How many of the outermost
        // there are does not matter.
        let vector = self.rows.size(bytes) * bytes;
        let mut pitch = bytes;
        let outermost = usize::from(tensor.dimensions.len() > 1);
        for dimension in tensor.dimensions.iter().skip(outermost).rev() {
            match dimension {
                typed::Dimension::Fixed(fixed) => pitch = pitch.saturating_mul(*fixed),
                typed::Dimension::Size(_) if pitch % vector == 0 => {}
                typed::Dimension::Size(_) if is_size(dimension) => return Some(bytes),
                typed::Dimension::Size(_) => pitch = pitch.saturating_mul(vector / bytes),
            }
        }
        None
    }
}

/// The manifest of one kernel.
#[must_use]
pub fn kernel(
    kernel: &typed::Kernel,
    variants: &[(VariantRequest, VariantFacts)],
    remarks: &[Remark],
) -> Kernel {
    let variable = |id: typed::VariableId| &kernel.variables[id.0 as usize];
    let number = |id| match variable(id).ty.element {
        Element::Number(number) => (number, false),
        Element::Pointer { pointee, mutable } => (pointee, mutable),
    };
    let parameters = kernel
        .parameters
        .iter()
        .map(|parameter| match parameter {
            typed::Parameter::Scalar { name, variable } => Parameter::Scalar {
                name: name.clone(),
                element: number(*variable).0,
            },
            typed::Parameter::Pointer { name, variable } => {
                let (element, mutable) = number(*variable);
                Parameter::Pointer {
                    name: name.clone(),
                    element,
                    mutable,
                }
            }
            typed::Parameter::Tensor(tensor) => {
                let (element, mutable) = number(tensor.pointer);
                Parameter::Tensor {
                    name: tensor.name.clone(),
                    element,
                    mutable,
                    dimensions: tensor
                        .dimensions
                        .iter()
                        .map(|dimension| match dimension {
                            typed::Dimension::Fixed(size) => Dimension::Fixed(*size),
                            typed::Dimension::Size(index) => {
                                Dimension::Named(kernel.sizes[*index].0.clone())
                            }
                        })
                        .collect(),
                    strides: tensor
                        .strides
                        .iter()
                        .map(|stride| match stride {
                            typed::Stride::Dense => Stride::Dense,
                            typed::Stride::Fixed(stride) => Stride::Fixed(*stride),
                            typed::Stride::Variable {
                                variable: id,
                                named: true,
                            } => Stride::Named(variable(*id).name.clone()),
                            typed::Stride::Variable { .. } => Stride::Free,
                        })
                        .collect(),
                }
            }
        })
        .collect();
    let arguments = entry_arguments(kernel);
    Kernel {
        name: kernel.name.clone(),
        docs: kernel.docs.clone(),
        generics: kernel.generics.clone(),
        parameters,
        grid: kernel.grid.clone(),
        promises: kernel.promises.clone(),
        variants: variants
            .iter()
            .map(|(request, facts)| Variant {
                entry: request.entry.clone(),
                assumptions: assumptions(kernel, request)
                    .into_iter()
                    .chain(facts.assumptions.iter().cloned())
                    .collect(),
                threads: 32 * (facts.warps / facts.cluster + facts.copying_warps),
                turns: facts.turns,
                programs_per_block: facts.programs_per_block,
                group: facts.group,
                group_axis: facts.group_axis,
                tickets: facts.tickets,
                dependent: facts.dependent,
                narrow: request.is_narrow(),
                pair: facts.pair.clone(),
                part_bytes: facts.part_bytes,
                cluster: facts.cluster * facts.split,
                shared_bytes: facts.shared_bytes,
                maps: facts
                    .maps
                    .iter()
                    .filter_map(|map| match arguments.get(map.parameter)? {
                        (Argument::Address { of }, _) => Some(TensorMap {
                            of: of.clone(),
                            tile: map.tile.clone(),
                            swizzle: map.swizzle,
                            dimensions: map.dimensions.clone(),
                        }),
                        _ => None,
                    })
                    .collect(),
                tuned: None,
                decisions: remarks
                    .iter()
                    .filter(|remark| remark.function == request.entry && !remark.is_missed())
                    .map(|remark| remark.message())
                    .collect(),
            })
            .collect(),
        arguments: arguments
            .into_iter()
            .map(|(argument, _)| argument)
            .collect(),
    }
}

fn assumptions(kernel: &typed::Kernel, request: &VariantRequest) -> Vec<Assumption> {
    let mut list = Vec::new();
    for ((argument, variable), divisor) in entry_arguments(kernel).iter().zip(&request.divisibility)
    {
        let by = u64::try_from(*divisor).unwrap_or(1);
        if by <= 1 {
            continue;
        }
        list.push(match argument {
            Argument::Address { of } => {
                // Elements are aligned in any case.
                let natural = match kernel.variables[variable.0 as usize].ty.element {
                    Element::Pointer { pointee, .. } => u64::from(pointee.bytes()),
                    Element::Number(_) => 1,
                };
                if by <= natural {
                    continue;
                }
                Assumption::Aligned {
                    of: of.clone(),
                    bytes: by,
                }
            }
            Argument::Size { name } | Argument::Scalar { name } => Assumption::Divisible {
                name: name.clone(),
                by,
            },
            Argument::Stride { of, dimension } => Assumption::StrideDivisible {
                of: of.clone(),
                dimension: *dimension,
                by,
            },
        });
    }
    list.extend(request.asked());
    list
}

/// The manifest of a file.
#[must_use]
pub fn file(target: &Target, source: &str, kernels: Vec<Kernel>) -> Manifest {
    Manifest {
        format: FORMAT,
        compiler: format!("tilec {}", env!("CARGO_PKG_VERSION")),
        target: target.name.to_owned(),
        source: source.to_owned(),
        kernels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sema::{self, Files};
    use crate::source::SourceMap;

    /// The variants of a kernel: their names, and the assumptions of the first on sizes, strides and scalars.
    fn variants(text: &str) -> (Vec<String>, Vec<String>) {
        let mut sources = SourceMap::new();
        let root = sources.add("kernel.tile", text);
        let parse = |sources: &SourceMap, file| {
            let text = sources.get(file).map_or("", |file| file.text.as_str());
            crate::syntax::parse(file, text)
        };
        let (files, _) = Files::load(&mut sources, root, &parse);
        let (kernel, _) = sema::elaborate_kernel(&files, "it", &Default::default());
        let kernel = kernel.expect("it is right");
        let list = default_variants(&kernel);
        let first = assumptions(&kernel, &list[0]);
        let first = first.iter().filter_map(|assumption| match assumption {
            Assumption::Divisible { name, by } => Some(format!("{name} % {by}")),
            Assumption::Aligned { .. } => None,
            other => Some(format!("{other:?}")),
        });
        let names = list.iter().map(|variant| variant.entry.clone());
        (names.collect(), first.collect())
    }

    #[test]
    fn a_size_that_only_multiplies_whole_vectors_is_free() {
        let (names, demands) = variants(
            "kernel it(a: tensor<f16>[heads, m, 64], b: tensor<f16>[heads, n, 64], c: mut tensor<f16>[heads, m, 64]) grid(cdiv(m, 64), heads) {
                let (i, head) = (program_id(0) * 64, program_id(1));
                let mut acc = zeros([64, 64], f32);
                for j in range(0, n, 64) {
                    let b = load(b[head, j +: 64, :]);
                    acc = dot(dot(load(a[head, i +: 64, :]), b.T) as f16, b, acc);
                }
                store(c[head, i +: 64, :], acc as f16);
            }",
        );
        assert_eq!(demands, Vec::<String>::new());
        assert_eq!(names, ["it", "it__general"]);
    }

    #[test]
    fn a_size_behind_which_rows_are_no_whole_vectors_is_not() {
        let kernel = |width: &str| {
            let text = format!(
                "kernel it(a: tensor<f16>[heads, m, {width}], c: mut tensor<f16>[heads, m, {width}]) grid(heads) {{
                    let head = program_id(0);
                    store(c[head, 0 +: 16, 0 +: 4], load(a[head, 0 +: 16, 0 +: 4]));
                }}"
            );
            variants(&text).1
        };
        assert_eq!(kernel("4"), ["m % 8"]);
        assert_eq!(kernel("8"), Vec::<String>::new());
        assert_eq!(kernel("n"), ["n % 8"]);
    }

    #[test]
    fn a_scalar_counts_where_an_address_or_a_mask_has_it() {
        let kernel = |at: &str, value: &str| {
            let text = format!(
                "kernel it(x: tensor<f32>[n], y: mut tensor<f32>[n], skip: i32) grid(cdiv(n, 256)) {{
                    let from = skip + 1;
                    let at = program_id(0) * 256 + {at};
                    store(y[at +: 256], where(load(x[at +: 256]) > ({value}) as f32, 1.0, 0.0));
                }}"
            );
            variants(&text).1
        };
        assert_eq!(kernel("0", "from"), ["n % 4"]);
        assert_eq!(kernel("from", "0"), ["n % 4", "skip % 4"]);
    }

    #[test]
    fn a_scalar_that_a_mask_asks_for_alone_is_free() {
        let kernel = |comparison: &str| {
            let text = format!(
                "kernel it(x: tensor<f32>[n], y: mut tensor<f32>[n], skip: i32) grid(cdiv(n, 256)) {{
                    let at = program_id(0) * 256;
                    let kept = at + arange(0, 256) {comparison} skip;
                    store(y[at +: 256], load(x[at +: 256]), mask = kept);
                }}"
            );
            variants(&text).1
        };
        assert_eq!(kernel("!="), ["n % 4"]);
        assert_eq!(kernel("<"), ["n % 4", "skip % 4"]);
    }

    #[test]
    fn rows_beside_a_product_demand_nothing_if_their_elements_are_words() {
        let kernel = |element: &str| {
            let text = format!(
                "kernel it(a: tensor<f16>[m, 64], b: tensor<f16>[64, 64], s: tensor<{element}>[m], c: mut tensor<f32>[m, 64]) grid(cdiv(m, 64)) {{
                    let i = program_id(0) * 64;
                    let product = dot(load(a[i +: 64, :]), load(b[:, :]), zeros([64, 64], f32));
                    store(c[i +: 64, :], product * (load(s[i +: 64]) as f32)[:, None]);
                }}"
            );
            variants(&text).1
        };
        assert_eq!(kernel("f32"), Vec::<String>::new());
        assert_eq!(kernel("f16"), ["m % 8"]);
    }
}
