"""What the operators share: the examples that they are made of, and matrices of rows."""

import functools
import pathlib

import tile


@functools.cache
def kernels(name):
    """The kernels of an example, as installed, or from the repository."""
    here = pathlib.Path(__file__).parents[1]
    installed = here / "examples" / name
    return tile.load(installed if installed.exists() else here.parents[3] / "lang-examples" / name)


def rows(*tensors):
    """Each as a dense matrix of its last dimension."""
    return [one.reshape(-1, one.shape[-1]).contiguous() for one in tensors]


# Widths of tiles: those for which a graph that is traced finds operators, which it cannot make.
WIDTHS = tuple(1 << bits for bits in range(5, 18))


def width(columns):
    """The narrowest tile that holds a row."""
    for known in WIDTHS:
        if columns <= known:
            return known
    raise ValueError(f"rows of {columns} elements are too long: at most {WIDTHS[-1]}")


def by_width(make):
    """A function of a width that gives operators, which are made once; those of the usual widths on import."""
    made = {}

    def find(columns):
        size = width(columns)
        if size not in made:
            made[size] = make(size)
        return made[size]

    for known in WIDTHS:
        if known <= 16384:
            find(known)
    return find


def groups(tensor):
    """Programs that share the rows of a gradient of weights: some for each multiprocessor."""
    import torch

    if tensor.is_cuda:
        return 2 * torch.cuda.get_device_properties(tensor.device).multi_processor_count
    return 4
