#!/usr/bin/env python3
"""Times the operators of Tile's Python package beside PyTorch, torch.compile and Liger, forward and with gradients.

Usage: ops.py [--only TEXT] [--samples N]

Layers of an 8B model in bf16, random inputs, a cold level-2 cache, CUDA events, medians of runs that take turns. The numbers
beside ours are theirs divided by ours: above 1 ours is faster. Values and gradients are compared with PyTorch's in f32 first, and
must be no further off than twice PyTorch's in bf16. Behind the bar is what a call costs the host.

Needs PyTorch, the package (runtime/python/build.sh) and a GPU; without Liger its column stays empty. Exit codes: 0 all is right,
1 a result is wrong, 2 nothing ran.
"""

import argparse
import statistics
import sys
import time

import torch
from tile import ops

functional = torch.nn.functional
TOKENS, WIDTH, HIDDEN, WORDS, HEADS, HEAD = 8192, 4096, 14336, 128256, 32, 128


def random(*shape):
    return torch.randn(shape, device="cuda", dtype=torch.bfloat16)


def turned(x, base=10000.0):
    half = x.shape[-1] // 2
    angle = torch.arange(x.shape[-3], device=x.device)[:, None] * base ** (-torch.arange(half, device=x.device) / half)
    c, s = angle.cos()[:, None, :], angle.sin()[:, None, :]
    a, b = x[..., :half].float(), x[..., half:].float()
    return torch.cat([a * c - b * s, b * c + a * s], -1).to(x.dtype)


def liger():
    """Their functions by our names, as far as they are there."""
    try:
        from liger_kernel.ops.cross_entropy import LigerCrossEntropyFunction
        from liger_kernel.ops.layer_norm import LigerLayerNormFunction
        from liger_kernel.ops.rms_norm import LigerRMSNormFunction
        from liger_kernel.ops.softmax import LigerSoftmaxFunction
        from liger_kernel.ops.swiglu import LigerSiLUMulFunction
    except ImportError as missing:
        print(f"no Liger: {missing}", file=sys.stderr)
        return {}
    return {
        "rms_norm": lambda x, w: LigerRMSNormFunction.apply(x, w, 1e-6, 0.0, "llama", False),
        "layer_norm": lambda x, w, b: LigerLayerNormFunction.apply(x, w, b, 1e-5),
        "softmax": lambda x: LigerSoftmaxFunction.apply(x),
        "swiglu": lambda gate, up: LigerSiLUMulFunction.apply(gate, up),
        "cross_entropy": lambda x, labels: LigerCrossEntropyFunction.apply(x, labels, None, -100)[0],
    }


def cases():
    """Name, arguments, ours, theirs."""
    rows, weight = (TOKENS, WIDTH), (WIDTH,)
    yield "rms_norm", [rows, weight], ops.rms_norm, lambda x, w: functional.rms_norm(x, weight, w, 1e-6)
    yield "layer_norm", [rows, weight, weight], ops.layer_norm, lambda x, w, b: functional.layer_norm(x, weight, w, b)
    yield "softmax", [rows], ops.softmax, lambda x: torch.softmax(x, -1)
    yield "swiglu", [(TOKENS, HIDDEN)] * 2, ops.swiglu, lambda gate, up: functional.silu(gate) * up
    yield "geglu", [(TOKENS, HIDDEN)] * 2, ops.geglu, lambda gate, up: functional.gelu(gate) * up
    yield "rope", [(TOKENS, HEADS, HEAD)], ops.rope, turned
    labels = torch.randint(0, WORDS, (TOKENS // 4,), device="cuda")
    yield "cross_entropy", [(TOKENS // 4, WORDS), labels], ops.cross_entropy, functional.cross_entropy
    ours = lambda x, w, b: ops.linear(x, w, b, "gelu")
    yield "linear", [rows, (HIDDEN, WIDTH), (HIDDEN,)], ours, lambda x, w, b: functional.gelu(functional.linear(x, w, b))
    heads = (2, HEADS, TOKENS // 2, HEAD)
    theirs = lambda q, k, v: functional.scaled_dot_product_attention(q, k, v, is_causal=True)
    yield "attention", [heads] * 3, lambda q, k, v: ops.attention(q, k, v, causal=True), theirs


FLUSH = None


def timed(run):
    """Events around a run that the host has given before the GPU begins it, and the host's microseconds."""
    global FLUSH
    FLUSH = torch.empty(256 << 20, dtype=torch.int8, device="cuda") if FLUSH is None else FLUSH
    torch.cuda.synchronize()
    torch.cuda._sleep(4_000_000)
    FLUSH.zero_()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    start = time.perf_counter_ns()
    run()
    host = (time.perf_counter_ns() - start) / 1000
    end.record()
    return begin, end, host


def results(function, given, dy=None):
    given = [one.detach().clone().requires_grad_(one.is_floating_point()) for one in given]
    y = function(*given)
    y.backward(torch.ones_like(y) if dy is None else dy.to(y.dtype))
    return [y.detach(), *[one.grad for one in given if one.is_floating_point()]]


def off(found, expected):
    return [((one.double() - right.double()).norm() / right.double().norm()).item() for one, right in zip(found, expected)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="")
    arguments.add_argument("--samples", type=int, default=20)
    options = arguments.parse_args()
    if not torch.cuda.is_available():
        print("there is no GPU here", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}")
    print(f"{'operator':14} {'pass':8} {'us':>9} {'PyTorch':>8} {'compiled':>8} {'Liger':>8} | {'host us':>8} {'PyTorch':>8} {'compiled':>8} {'Liger':>8}")
    others, wrong = liger(), 0
    for name, shapes, ours, theirs in cases():
        if options.only not in name:
            continue
        given = [random(*one) if isinstance(one, tuple) else one for one in shapes]
        dy = torch.randn_like(theirs(*given))
        wide = [one.float() if one.is_floating_point() else one for one in given]
        if name != "attention":  # f32 attention of PyTorch takes a kernel that needs all the memory
            expected = results(theirs, wide, dy)
            mine, rounded = (off(results(function, given, dy), expected) for function in (ours, theirs))
            if any(not one <= 2 * other + 1e-3 for one, other in zip(mine, rounded)):
                wrong += 1
                print(f"  WRONG {name}: {mine}, PyTorch {rounded}")
            del expected
        rivals = {"PyTorch": theirs, "compiled": torch.compile(theirs), "Liger": others.get(name)}
        for both in (False, True):
            launches = {}
            for who, function in {"ours": ours, **rivals}.items():
                if function is None:
                    continue
                taken = [one.detach().clone().requires_grad_(both and one.is_floating_point()) for one in given]

                def run(function=function, taken=taken):
                    # Liger writes its gradient over the logits.
                    y = function(*taken)
                    if both:
                        y.backward(dy.to(y.dtype))
                        for one in taken:
                            one.grad = None

                try:
                    run()
                    run()
                    launches[who] = run
                except Exception as problem:
                    print(f"  {who}, {name}: {str(problem).splitlines()[0]}", file=sys.stderr)
            events = {who: [] for who in launches}
            for _ in range(options.samples):
                for who, run in launches.items():
                    events[who].append(timed(run))
            torch.cuda.synchronize()
            times = {who: statistics.median(begin.elapsed_time(end) for begin, end, _ in of) for who, of in events.items()}
            hosts = {who: statistics.median(host for *_, host in of) for who, of in events.items()}
            ratios, calls = (
                "".join(f"{of[who] / scale:9.{digits}f}" if who in of else " " * 9 for who in names)
                for of, names, scale, digits in [(times, rivals, times["ours"], 2), (hosts, ["ours", *rivals], 1, 0)]
            )
            print(f"{name:14} {'both' if both else 'forward':8} {1000 * times['ours']:9.1f}{ratios} |{calls}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
