#!/usr/bin/env python3
"""Times compiled kernels beside PyTorch and Triton, in one process and one run.

Usage: peers.py [--json FILE] [--only TEXT] [--milliseconds N] [--alone] DIR

DIR holds what `benches/peers.sh --compile-only DIR` made: KERNEL-TYPE-ROWSxCOLUMNS.ptx. Each is checked against
PyTorch in f64 and timed with CUDA events, the level-2 cache flushed, random inputs, the median of many runs
(`triton.testing.do_bench`). The columns are ratios to a device-to-device copy of as many bytes in the same run.
Triton runs the usual kernel with several settings (warps, tiles); the best of them counts. Sums that are added to
zeros are set to zero before each run, which is part of the time.

Needs PyTorch and the package `tile` (runtime/python/build.sh); without Triton its column stays empty. Exit codes: 0 all is right, 1 a result is wrong, 2 nothing ran.
"""

import argparse
import dataclasses
import json
import math
import pathlib
import statistics
import sys
import typing

import tile
import torch

try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None

TYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
# What a result may be off by, relative to the norm: one rounding to the type of the output.
LIMITS = {torch.bfloat16: 4e-3, torch.float16: 6e-4, torch.float32: 2e-6}
EPS = 1e-5
functional = torch.nn.functional


class Launch:
    """A kernel, or the only one of a PTX file, with its arguments by name. A function among them is given how many programs
    run at once."""

    def __init__(self, kernel, **given):
        if isinstance(kernel, pathlib.Path):
            (kernel,) = tile.load(kernel)
        self.kernel = kernel
        at_once = None
        if any(map(callable, given.values())):
            small = {name: 1 if callable(value) else value for name, value in given.items()}
            at_once = self.kernel.plan(**self.taken(small)).programs_at_once
        given = self.taken({name: value(at_once) if callable(value) else value for name, value in given.items()})
        self.entry = self.kernel.plan(**given).entry
        self.given = tuple(given[name] for name in self.kernel.parameters)

    def taken(self, given):
        """Those that the kernel takes: some cases have arguments of several kernels."""
        return {name: given[name] for name in self.kernel.parameters}

    def __call__(self):
        self.kernel(*self.given)


if triton is not None:

    @triton.jit
    def add_kernel(x, y, z, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(z + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

    @triton.jit
    def softmax_kernel(x, y, columns, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        values = tl.load(x + row * columns + at, mask=inside, other=-float("inf")).to(tl.float32)
        powers = tl.exp(values - tl.max(values, 0))
        tl.store(y + row * columns + at, powers / tl.sum(powers, 0), mask=inside)

    @triton.jit
    def layer_norm_kernel(x, w, b, y, columns, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        weight = tl.load(w + at, mask=inside).to(tl.float32)
        bias = tl.load(b + at, mask=inside).to(tl.float32)
        values = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        mean = tl.sum(values, 0) / columns
        centred = tl.where(inside, values - mean, 0.0)
        scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + eps)
        tl.store(y + row * columns + at, centred * scale * weight + bias, mask=inside)

    @triton.jit
    def rms_norm_kernel(x, w, y, columns, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.arange(0, BLOCK)
        inside = at < columns
        weight = tl.load(w + at, mask=inside).to(tl.float32)
        values = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(values * values, 0) / columns + eps)
        tl.store(y + row * columns + at, values * scale * weight, mask=inside)

    @triton.jit
    def transpose_kernel(x, y, m, n, BM: tl.constexpr, BN: tl.constexpr):
        i = tl.program_id(1) * BM + tl.arange(0, BM)
        j = tl.program_id(0) * BN + tl.arange(0, BN)
        values = tl.load(x + i[:, None].to(tl.int64) * n + j[None, :], mask=(i < m)[:, None] & (j < n)[None, :])
        tl.store(y + j[:, None].to(tl.int64) * m + i[None, :], tl.trans(values), mask=(j < n)[:, None] & (i < m)[None, :])

    @triton.jit
    def column_sums_kernel(x, y, rows, columns, share, BM: tl.constexpr, BN: tl.constexpr):
        j = tl.program_id(0) * BN + tl.arange(0, BN)
        first = tl.program_id(1) * share
        last = tl.minimum(first + share, rows)
        total = tl.zeros([BM, BN], tl.float32)
        for start in range(first, last, BM):
            i = start + tl.arange(0, BM)
            inside = (i < last)[:, None] & (j < columns)[None, :]
            total += tl.load(x + i[:, None].to(tl.int64) * columns + j[None, :], mask=inside, other=0.0).to(tl.float32)
        tl.atomic_add(y + j, tl.sum(total, 0), mask=j < columns, sem="relaxed")

    @triton.jit
    def cross_entropy_kernel(x, labels, loss, words, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        x += row * words
        largest = float("-inf")
        total = 0.0
        for start in range(0, words, BLOCK):
            at = start + tl.arange(0, BLOCK)
            values = tl.load(x + at, mask=at < words, other=-float("inf")).to(tl.float32)
            new = tl.maximum(largest, tl.max(values, 0))
            total = total * tl.exp(largest - new) + tl.sum(tl.exp(values - new), 0)
            largest = new
        of_label = tl.load(x + tl.load(labels + row)).to(tl.float32)
        tl.store(loss + row, largest + tl.log(total) - of_label)

    @triton.jit
    def layer_norm_backward_kernel(x, w, dy, mean, rstd, dx, dw, db, rows, columns, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        inside = at < columns
        weight = tl.load(w + at, mask=inside, other=0.0).to(tl.float32)
        sum_w = tl.zeros([BLOCK], tl.float32)
        sum_b = tl.zeros([BLOCK], tl.float32)
        for row in range(tl.program_id(0), rows, tl.num_programs(0)):
            start = row.to(tl.int64) * columns
            gradient = tl.load(dy + start + at, mask=inside, other=0.0).to(tl.float32)
            values = tl.load(x + start + at, mask=inside, other=0.0).to(tl.float32)
            scale = tl.load(rstd + row)
            weighted = gradient * weight
            normal = tl.where(inside, (values - tl.load(mean + row)) * scale, 0.0)
            along = tl.sum(weighted * normal, 0) / columns
            shift = tl.sum(weighted, 0) / columns
            tl.store(dx + start + at, (weighted - normal * along - shift) * scale, mask=inside)
            sum_w += gradient * normal
            sum_b += gradient
        tl.atomic_add(dw + at, sum_w, mask=inside, sem="relaxed")
        tl.atomic_add(db + at, sum_b, mask=inside, sem="relaxed")


def elements(shape):
    """`32768x1024` or `2^20`."""
    if "^" in shape:
        base, power = shape.split("^")
        return [int(base) ** int(power)]
    return [int(size) for size in shape.split("x")]


@dataclasses.dataclass
class Case:
    """What a kernel is given, what must come out, and who else computes it."""

    arguments: dict
    # Outputs, and functions that give what their first rows should be.
    checks: list
    # Bytes that must be read and written.
    moved: int
    pytorch: typing.Callable
    # Settings of the Triton kernel.
    triton: dict
    # What Triton computed, as `checks`.
    peer_checks: list
    # Runs before each launch, as part of it.
    before: typing.Callable = lambda: None
    # What a result may be off by, where it is not rounded to the type of the input.
    limit: float | None = None


def warps_of(kernel, *all_warps):
    """Settings that differ in warps only."""
    return {str(warps): lambda warps=warps: kernel(warps) for warps in all_warps or (4, 8, 16, 32)}


def case(name, ty, shape):
    """The case of a kernel of this name."""
    make = globals().get(f"{name}_case")
    if make is None:
        raise SystemExit(f"error: `{name}` is no kernel that is known here")
    return make(torch.randn(shape, device="cuda", dtype=ty))


def of_rows(x, arguments, pytorch, kernel, reference):
    """A kernel from rows to rows of one size."""
    out, peer = torch.full_like(x, float("nan")), torch.empty_like(x)
    block = 0 if triton is None else triton.next_power_of_2(x.shape[-1])
    expected = lambda: reference(x[:64].double())
    return Case(
        arguments={"x": x, "y": out, **arguments},
        checks=[(out, expected)],
        peer_checks=[(peer, expected)],
        moved=2 * x.numel() * x.element_size(),
        pytorch=pytorch,
        triton=warps_of(lambda warps: kernel(peer, dict(BLOCK=block, num_warps=warps))),
    )


def add_case(x):
    y, out, peer = torch.randn_like(x), torch.full_like(x, float("nan")), torch.empty_like(x)
    expected = lambda: x.double() + y.double()
    count = x.numel()
    return Case(
        arguments={"x": x, "y": y, "z": out},
        checks=[(out, expected)],
        peer_checks=[(peer, expected)],
        moved=3 * count * x.element_size(),
        pytorch=lambda: torch.add(x, y, out=peer),
        triton=warps_of(lambda warps: add_kernel[(-(-count // 1024),)](x, y, peer, count, BLOCK=1024, num_warps=warps)),
    )


def softmax_case(x):
    rows, columns = x.shape
    return of_rows(
        x, {},
        lambda: functional.softmax(x, -1),
        lambda peer, setting: softmax_kernel[(rows,)](x, peer, columns, **setting),
        lambda part: functional.softmax(part, -1),
    )


softmax_fast_case = softmax_case


def layer_norm_case(x):
    rows, columns = x.shape
    w, b = (torch.randn(columns, device="cuda", dtype=x.dtype) for _ in range(2))
    return of_rows(
        x, {"w": w, "b": b, "eps": EPS},
        lambda: functional.layer_norm(x, [columns], w, b, EPS),
        lambda peer, setting: layer_norm_kernel[(rows,)](x, w, b, peer, columns, EPS, **setting),
        lambda part: functional.layer_norm(part, [columns], w.double(), b.double(), EPS),
    )


def rms_norm_case(x):
    rows, columns = x.shape
    w = torch.randn(columns, device="cuda", dtype=x.dtype)
    return of_rows(
        x, {"w": w, "eps": EPS},
        lambda: functional.rms_norm(x, [columns], w, EPS),
        lambda peer, setting: rms_norm_kernel[(rows,)](x, w, peer, columns, EPS, **setting),
        lambda part: functional.rms_norm(part, [columns], w.double(), EPS),
    )


def transpose_case(x):
    m, n = x.shape
    out, peer = torch.full_like(x.t().contiguous(), float("nan")), torch.empty(n, m, device="cuda", dtype=x.dtype)

    def kernel(bm, bn, warps):
        transpose_kernel[(-(-n // bn), -(-m // bm))](x, peer, m, n, BM=bm, BN=bn, num_warps=warps)

    settings = [(32, 32, 1), (32, 32, 4), (64, 32, 4), (32, 64, 4), (64, 64, 2), (64, 64, 4), (64, 64, 8), (128, 64, 8), (64, 128, 8), (128, 128, 8), (128, 128, 16)]
    expected = lambda: x.t().double()
    return Case(
        arguments={"x": x, "y": out},
        checks=[(out, expected)],
        peer_checks=[(peer, expected)],
        moved=2 * x.numel() * x.element_size(),
        pytorch=lambda: peer.copy_(x.t()),
        triton={"x".join(map(str, setting)): lambda setting=setting: kernel(*setting) for setting in settings},
        limit=0.0,
    )


def column_sums_case(x):
    rows, columns = x.shape
    out, peer = torch.zeros(columns, device="cuda"), torch.zeros(columns, device="cuda")

    def kernel(bm, bn, share, warps):
        peer.zero_()
        grid = (-(-columns // bn), -(-rows // share))
        column_sums_kernel[grid](x, peer, rows, columns, share, BM=bm, BN=bn, num_warps=warps)

    settings = [
        (bm, bn, share, warps)
        for bm, bn, warps in [(16, 128, 4), (32, 128, 4), (64, 128, 8), (16, 256, 4), (32, 256, 8), (8, 512, 4), (16, 512, 8), (64, 64, 4)]
        for share in (256, 1024, 4096)
    ]

    def share(resident):
        """Rows of a program, a multiple of its tiles', such that all programs run at once."""
        strips = -(-columns // 128)
        programs = max(resident // strips, 1)
        return -(-rows // (64 * programs)) * 64
    expected = lambda: x.double().sum(0)
    return Case(
        arguments={"x": x, "y": out, "share": share},
        checks=[(out, expected)],
        peer_checks=[(peer, expected)],
        moved=x.numel() * x.element_size(),
        pytorch=lambda: torch.sum(x, 0, dtype=torch.float32),
        triton={"x".join(map(str, setting)): lambda setting=setting: kernel(*setting) for setting in settings},
        before=out.zero_,
        limit=1e-5,
    )


def cross_entropy_case(x):
    rows, words = x.shape
    labels = torch.randint(0, words, (rows,), device="cuda", dtype=torch.int32)
    wide = labels.long()
    out, peer = torch.full((rows,), float("nan"), device="cuda"), torch.empty(rows, device="cuda")

    def kernel(block, warps):
        cross_entropy_kernel[(rows,)](x, labels, peer, words, BLOCK=block, num_warps=warps)

    settings = [(1024, 4), (2048, 4), (4096, 4), (4096, 8), (8192, 8), (8192, 16), (16384, 16), (16384, 32), (32768, 32)]
    expected = lambda: functional.cross_entropy(x[:64].double(), wide[:64], reduction="none")
    return Case(
        arguments={"logits": x, "labels": labels, "loss": out},
        checks=[(out, expected)],
        peer_checks=[(peer, expected)],
        moved=x.numel() * x.element_size(),
        pytorch=lambda: functional.cross_entropy(x, wide, reduction="none"),
        triton={"x".join(map(str, setting)): lambda setting=setting: kernel(*setting) for setting in settings},
        limit=2e-6,
    )


def layer_norm_backward_case(x):
    rows, columns = x.shape
    w, b = (torch.randn(columns, device="cuda", dtype=x.dtype) for _ in range(2))
    dy = torch.randn_like(x)
    _, mean, rstd = torch.native_layer_norm(x, [columns], w, b, EPS)
    flat_mean, flat_rstd = mean.float().flatten(), rstd.float().flatten()
    out, peer = torch.full_like(x, float("nan")), torch.empty_like(x)
    sums, peer_sums = (torch.zeros(2, columns, device="cuda") for _ in range(2))
    block = 0 if triton is None else triton.next_power_of_2(columns)

    def kernel(share, warps):
        peer_sums.zero_()
        grid = (share * torch.cuda.get_device_properties(0).multi_processor_count,)
        layer_norm_backward_kernel[grid](
            x, w, dy, flat_mean, flat_rstd, peer, *peer_sums, rows, columns, BLOCK=block, num_warps=warps
        )

    def backward(a, gradient, weight, mean, rstd):
        return torch.ops.aten.native_layer_norm_backward(
            gradient, a, [columns], mean, rstd, weight, torch.zeros_like(weight), [True, True, True]
        )

    expected = lambda: backward(x[:64].double(), dy[:64].double(), w.double(), mean[:64].double(), rstd[:64].double())[0]

    def expected_sums():
        total = torch.zeros(2, columns, device="cuda", dtype=torch.float64)
        for start in range(0, rows, 1024):
            at = slice(start, start + 1024)
            gradient = dy[at].double()
            normal = (x[at].double() - mean[at].double()) * rstd[at].double()
            total += torch.stack([(gradient * normal).sum(0), gradient.sum(0)])
        return total

    return Case(
        arguments={"x": x, "w": w, "dy": dy, "mean": flat_mean, "rstd": flat_rstd, "dx": out, "dw": sums[0], "db": sums[1], "programs": lambda resident: resident},
        checks=[(out, expected), (sums, expected_sums)],
        peer_checks=[(peer, expected), (peer_sums, expected_sums)],
        moved=3 * x.numel() * x.element_size(),
        pytorch=lambda: backward(x, dy, w, mean, rstd),
        triton={f"{share}x{warps}": lambda share=share, warps=warps: kernel(share, warps) for share in (1, 2, 3, 4, 8) for warps in (1, 4, 8, 16)},
        before=sums.zero_,
        # f32 gradients are differences of sums over a row.
        limit=max(LIMITS[x.dtype], 1e-5),
    )


def error(checks):
    """The largest error of several outputs, relative to their norms; NaN if there is one."""
    worst = 0.0
    for found, expected in checks:
        reference = expected()
        part = found[: reference.shape[0]].double()
        off = ((part - reference).norm() / reference.norm()).item()
        worst = float("nan") if found.isnan().any().item() else max(worst, off)
    return worst


def spread(run, milliseconds):
    """Median and the quarter points, in microseconds."""
    if triton is not None:
        times = triton.testing.do_bench(run, warmup=10, rep=milliseconds, return_mode="all")
        times = [1000 * time for time in times]
    else:
        flush = torch.empty(256 << 20, dtype=torch.int8, device="cuda")
        times = []
        for _ in range(30):
            flush.zero_()
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            run()
            end.record()
            torch.cuda.synchronize()
            times.append(1000 * start.elapsed_time(end))
    quarters = statistics.quantiles(times, n=4)
    return statistics.median(times), quarters[0], quarters[2]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("directory", type=pathlib.Path)
    arguments.add_argument("--json", type=pathlib.Path)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--milliseconds", type=int, default=60, help="how long each is repeated")
    arguments.add_argument("--alone", action="store_true", help="leave PyTorch and Triton out")
    options = arguments.parse_args()
    paths = sorted(path for path in options.directory.glob("*.ptx") if options.only in path.name)
    if not paths:
        print("error: no PTX files there", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    torch.zeros(1, device="cuda")
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, Triton {triton.__version__ if triton else '(none)'}")
    print(f"{'kernel':40} {'us':>8} {'GB/s':>6} {'of copy':>8} {'spread':>7} | {'PyTorch':>8} {'Triton':>7} {'setting':>12} | of best  error")
    wrong, rows = 0, []
    copies = {}
    for path in paths:
        name, ty, shape = path.stem.split("-")[:3]
        dtype, shape = TYPES[ty], elements(shape)
        made = case(name, dtype, shape)
        moved = made.moved
        launch = Launch(path, **made.arguments)

        def run():
            made.before()
            launch()

        run()
        torch.cuda.synchronize()
        off = error(made.checks)
        right = off <= (LIMITS[dtype] if made.limit is None else made.limit)
        wrong += not right
        if moved not in copies:
            source = torch.empty(moved // 2, dtype=torch.int8, device="cuda").random_()
            target = torch.empty_like(source)
            copies[moved] = spread(lambda: target.copy_(source), options.milliseconds)[0]
            del source, target
        copy = copies[moved]
        time, low, high = spread(run, options.milliseconds)
        peer, best, best_setting, peer_off = float("nan"), float("nan"), "", 0.0
        if not options.alone:
            peer = spread(made.pytorch, options.milliseconds)[0]
        if triton is not None and not options.alone:
            for setting, peer_run in made.triton.items():
                try:
                    found = spread(peer_run, options.milliseconds)[0]
                except Exception as problem:  # too many registers, no such setting
                    print(f"  Triton, {setting}: {str(problem).splitlines()[0]}", file=sys.stderr)
                    continue
                if not found >= best:
                    best, best_setting = found, setting
            if best_setting:
                made.triton[best_setting]()
                peer_off = error(made.peer_checks)
        rival = min((value for value in (peer, best) if value == value), default=float("nan"))
        rows.append(dict(name=path.stem, entry=launch.entry, us=time, low=low, high=high, bytes=moved, copy_us=copy, pytorch_us=peer, triton_us=best, triton_setting=best_setting, triton_error=peer_off, error=off, right=right))
        general = " general" if launch.entry.endswith("__general") else ""
        print(
            f"{path.stem:40} {time:8.1f} {moved / time / 1000:6.0f} {copy / time:8.3f} {(high - low) / time:7.1%} |"
            f" {copy / peer:8.3f} {copy / best:7.3f} {best_setting:>12} | {rival / time:7.3f}  {off:.1e}{'' if right else ' WRONG'}{'' if peer_off < 0.1 else ' (Triton is wrong)'}{general}",
            flush=True,
        )
        del made, launch, run
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
