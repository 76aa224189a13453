#!/usr/bin/env python3
"""Times compiled attention and its gradients beside cuDNN, FlashAttention and Triton, in one process and taking turns.

Usage: attention.py [--json FILE] [--only TEXT] [--samples N] [--before DIR] DIR

DIR holds what `benches/attention.sh --compile-only DIR` made: KIND-D-CAUSAL-BMxBN.ptx. For each width, mask and
length all tiles run a few times, and the fastest is timed in turns with the others, the level-2 cache flushed
before each run, random normal inputs in bf16; medians. Triton is the usual kernel in the settings of attention_triton.py, the
fastest of which counts (forward, widths that are powers of two). `--before` has files of another version of the compiler.
Results are compared with attention in float64 of a sample of rows. `grouped` has a head of keys for four of queries, and
`plain` beside it one for each. `varlen` has sequences one after the other, beside PyTorch's varlen_attn; where all are of
one length, `padded` is attention of as many of the next multiple of 128. `variant` has masks and scores of its own
(benches/kernels/attentions.tile), beside PyTorch's flex_attention and `plain` causal attention of the same compiler; beside a window,
`short` is attention without masks over as many keys as its programs read. TFLOP/s count what is useful. The time of the gradients is that of dq plus
that of dk and dv; cuDNN's also has the sums of o * dy, which are a kernel of their own here.

Needs PyTorch and the package `tile` (runtime/python/build.sh). Exit codes: 0 all is right, 1 a result is wrong, 2 nothing ran.
"""

import argparse
import inspect
import json
import pathlib
import statistics
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

import attention_triton
from peers import Launch

LENGTHS = [1000, 1408, 2048, 4096, 4100, 4224, 4352, 5632, 8191, 8192, 8448]
WIDE_LENGTHS = [1000, 2048, 8192]
BACKWARD_LENGTHS = [1000, 4096, 8192]
GROUPED_LENGTHS = [2048, 8192]
VARIANT_LENGTHS = {"sliding_window": [(4096, 1024), (8192, 1024), (8192, 4096)], "soft_cap": [(2048, None), (8192, None)], "alibi": [(2048, None), (8192, None)]}
CAP = 30.0
# Lengths of the sequences of a row.
VARLEN = {"16x1000": [1000] * 16, "8x4100": [4100] * 8, "4x8191": [8191] * 4, "mixed": [8191, 130, 2500, 4100, 77, 1000, 6000, 300, 3333, 512]}
# What a result may be off by, relative to the norm: bf16 has 8 bits, and probabilities are rounded to it as well.
LIMIT = 8e-3
LOG2_E = 1.4426950408889634
attention = torch.nn.functional.scaled_dot_product_attention


def heads_of(length):
    """Enough programs for many turns of the device."""
    return 112 if length < 5000 else 64


def expected(q, k, v, causal, head, rows):
    """Rows of a head's output in float64."""
    scores = q[head, rows].double() @ k[head].double().T / q.shape[-1] ** 0.5
    if causal:
        scores.masked_fill_(torch.arange(k.shape[1], device="cuda")[None, :] > rows[:, None], -torch.inf)
    return scores.softmax(-1) @ v[head].double()


def gradients(q, k, v, dy, causal):
    """Those of a head in float64."""
    given = [tensor.double().requires_grad_() for tensor in (q, k, v)]
    scores = given[0] @ given[1].T / q.shape[-1] ** 0.5
    if causal:
        scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
    return torch.autograd.grad(scores.softmax(-1) @ given[2], given, dy.double())


def error(found, reference):
    return ((found.double() - reference).norm() / reference.norm()).item()


class Timer:
    def __init__(self):
        size = 2 * torch.cuda.get_device_properties(0).L2_cache_size
        self.flush = torch.empty(size, dtype=torch.uint8, device="cuda")
        # A device that was idle takes a while to reach its clock: whatever is timed first must not pay for that.
        begin = time.monotonic()
        while time.monotonic() - begin < 0.5:
            self.flush.random_()
            torch.cuda.synchronize()

    def once(self, launch):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        self.flush.zero_()
        begin.record()
        launch()
        end.record()
        return begin, end

    def together(self, launches, samples):
        """The median of each, in milliseconds, all taking turns."""
        for launch in launches.values():
            launch()
        times = {name: [] for name in launches}
        for _ in range(samples):
            for name, launch in launches.items():
                times[name].append(self.once(launch))
        torch.cuda.synchronize()
        return {name: statistics.median(begin.elapsed_time(end) for begin, end in of) for name, of in times.items()}


def files(directory, kind, width, causal):
    return sorted(directory.glob(f"{kind}-{width}-{str(causal).lower()}-*.ptx"))


def fastest(timer, directory, kind, width, causal, given):
    """The fastest file of a kind, its tile, and all that are right to launch."""
    best = None
    for path in files(directory, kind, width, causal):
        launch = Launch(path, **given)
        launch()
        median = timer.together({"it": launch}, 3)["it"]
        if best is None or median < best[0]:
            best = (median, path.stem.split("-")[-1], launch)
    return best


def fastest_of_triton(timer, q, k, v, causal, o, lse):
    """Its fastest setting, and the launch; settings that need more than the device has are left out."""
    times, launches = {}, attention_triton.runs(q, k, v, o, lse, causal)
    for setting, launch in launches.items():
        try:
            launch()
        except Exception as problem:
            print(f"  Triton's {setting}: {str(problem).splitlines()[0]}")
            continue
        times[setting] = timer.together({"it": launch}, 3)["it"]
    if not times:
        return None
    setting = min(times, key=times.get)
    return setting, launches[setting]


def forward(arguments, timer, width, causal, length):
    heads = heads_of(length)
    q, k, v = (torch.randn(heads, length, width, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    o = torch.full_like(q, torch.nan)
    lse = torch.full((heads, length), torch.nan, device="cuda")
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse}
    launches, row = {}, {"kind": "forward", "d": width, "causal": causal, "n": length, "heads": heads}
    rows = torch.randint(0, length, (64,), device="cuda")
    wrong = []
    for name, directory in [("now", arguments.directory), ("before", arguments.before)]:
        best = directory and fastest(timer, directory, "forward", width, causal, given)
        if best:
            _, row[f"{name}_tile"], launches[name] = best
            o.fill_(torch.nan)
            launches[name]()
            worst = max(error(o[head, rows], expected(q, k, v, causal, head, rows)) for head in (0, heads // 2, heads - 1))
            row[f"{name}_entry"] = launches[name].entry
            if not worst < LIMIT or not torch.isfinite(o).all() or not torch.isfinite(lse).all():
                wrong.append(f"{name}: error {worst:.2e}")
    for name, backend in [("cudnn", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION)]:

        def peer(backend=backend):
            with sdpa_kernel(backend):
                attention(q[None], k[None], v[None], is_causal=causal)

        launches[name] = peer
    best = fastest_of_triton(timer, q, k, v, causal, o, lse)
    if best:
        row["triton_setting"], launches["triton"] = best
        o.fill_(torch.nan)
        launches["triton"]()
        worst = max(error(o[head, rows], expected(q, k, v, causal, head, rows)) for head in (0, heads // 2, heads - 1))
        if not worst < LIMIT:
            # Then it is no peer, and it is no fault of ours.
            print(f"  Triton's {row['triton_setting']} is wrong: error {worst:.2e}")
            del launches["triton"]
    row["ms"] = timer.together(launches, arguments.samples)
    operations = 4 * heads * length * length * width / (2 if causal else 1)
    row["tflops"] = {name: operations / ms / 1e9 for name, ms in row["ms"].items()}
    return row, wrong


def grouped(arguments, timer, width, causal, length):
    heads = heads_of(length)
    q, k, v = (torch.randn(count, length, width, device="cuda", dtype=torch.bfloat16) for count in (heads, heads // 4, heads // 4))
    o, lse = torch.full_like(q, torch.nan), torch.full((heads, length), torch.nan, device="cuda")
    repeated = {"k": k.repeat_interleave(4, 0), "v": v.repeat_interleave(4, 0)}
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse}
    launches, row = {}, {"kind": "grouped", "d": width, "causal": causal, "n": length, "heads": heads}
    _, row["now_tile"], launches["now"] = fastest(timer, arguments.directory, "forward", width, causal, given)
    row["now_entry"] = launches["now"].entry
    launches["plain"] = fastest(timer, arguments.directory, "forward", width, causal, {**given, **repeated})[2]
    o.fill_(torch.nan)
    launches["now"]()
    rows = torch.randint(0, length, (64,), device="cuda")
    worst = max(error(o[head, rows], expected(q, repeated["k"], repeated["v"], causal, head, rows)) for head in (0, heads // 2, heads - 1))

    def cudnn():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            attention(q[None], k[None], v[None], is_causal=causal, enable_gqa=True)

    launches["cudnn"] = cudnn
    row["ms"] = timer.together(launches, arguments.samples)
    operations = 4 * heads * length * length * width / (2 if causal else 1)
    row["tflops"] = {name: operations / ms / 1e9 for name, ms in row["ms"].items()}
    return row, [] if worst < LIMIT and torch.isfinite(o).all() else [f"error {worst:.2e}"]


def expected_variant(name, q, k, v, slope, window, rows):
    """Rows of a head's output in float64."""
    scores = q[rows].double() @ k.double().T / q.shape[-1] ** 0.5
    distance = rows[:, None] - torch.arange(k.shape[0], device="cuda")[None, :]
    if name == "soft_cap":
        scores = CAP * torch.tanh(scores / CAP)
    if name == "alibi":
        scores = scores - slope.double() * distance
    scores.masked_fill_((distance < 0) | (distance >= (window or k.shape[0])), -torch.inf)
    return scores.softmax(-1) @ v.double()


def flex(name, q, k, v, slopes, window):
    """PyTorch's attention with the same scores and mask."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    length = q.shape[1]

    def mask(b, h, i, j):
        return (i >= j) & (i - j < window) if window else i >= j

    def score(s, b, h, i, j):
        if name == "soft_cap":
            return CAP * torch.tanh(s / CAP)
        return s - slopes[h] * (i - j) if name == "alibi" else s

    # Each shape is compiled anew, and PyTorch gives up after some.
    torch._dynamo.reset()
    compiled, blocks = torch.compile(flex_attention, dynamic=False), create_block_mask(mask, None, None, length, length, device="cuda")
    return lambda: compiled(q[None], k[None], v[None], score_mod=score, block_mask=blocks)


def variant(arguments, timer, width, name, of):
    length, window = of
    heads = heads_of(length)
    q, k, v = (torch.randn(heads, length, width, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    o, lse = torch.full_like(q, torch.nan), torch.empty(heads, length, device="cuda")
    slopes = torch.exp2(-8.0 * torch.arange(1, heads + 1, device="cuda") / heads)
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse, "slopes": slopes, "cap": CAP, "window": window or 0}
    launches, row = {}, {"kind": name, "d": width, "causal": True, "n": length, "window": window, "heads": heads}
    _, row["now_tile"], launches["now"] = fastest(timer, arguments.directory, name, width, True, given)
    row["now_entry"] = launches["now"].entry
    launches["plain"] = fastest(timer, arguments.directory, "forward", width, True, given)[2]
    if arguments.before:
        launches["before"] = fastest(timer, arguments.before, name, width, True, given)[2]
    if window:
        # As many keys as most programs of the window read, and no masks: the same prologue and end for as few iterations.
        rows, columns = map(int, row["now_tile"].split("x"))
        read = max(-(-(min(length, i + rows) - max(0, i - window + 1) // columns * columns) // columns) for i in range(0, length, rows)) * columns
        few = {of: given[of][:, :read].contiguous() for of in ("k", "v")}
        launches["short"] = Launch(arguments.directory / f"forward-{width}-false-{row['now_tile']}.ptx", **{**given, **few})
        launches["short"]()
    o.fill_(torch.nan)
    launches["now"]()
    rows = torch.randint(0, length, (64,), device="cuda")
    heads_seen = (0, heads // 2, heads - 1)
    worst = max(error(o[head, rows], expected_variant(name, q[head], k[head], v[head], slopes[head], window, rows)) for head in heads_seen)
    finite = bool(torch.isfinite(o).all())
    try:
        launches["flex"] = flex(name, q, k, v, slopes, window)
        launches["flex"]()
    except Exception as problem:
        print(f"  flex_attention: {str(problem).splitlines()[0]}")
        launches.pop("flex", None)
    row["ms"] = timer.together(launches, arguments.samples)
    operations = 4 * heads * width * (length * (length + 1) // 2)
    seen = sum(min(i + 1, window or length) for i in range(length)) / (length * (length + 1) // 2)
    row["tflops"] = {name: operations * (1 if name == "plain" else seen) / ms / 1e9 for name, ms in row["ms"].items()}
    if "short" in row["ms"]:
        row["tflops"]["short"] = 4 * heads * width * length * read / row["ms"]["short"] / 1e9
    return row, [] if worst < LIMIT and finite else [f"error {worst:.2e}"]


def varlen(arguments, timer, width, causal, name):
    heads, lengths = 16, VARLEN[name]
    total, longest = sum(lengths), max(lengths)
    q, k, v = (torch.randn(total, heads, width, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    ends = torch.tensor([0, *lengths], device="cuda").cumsum(0).int()
    o, lse = torch.full_like(q, torch.nan), torch.full((heads, total), torch.nan, device="cuda")
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse, "cu_seqlens_q": ends, "cu_seqlens_k": ends, "longest": longest}
    launches, row = {}, {"kind": "varlen", "d": width, "causal": causal, "n": name, "heads": heads}
    _, row["now_tile"], launches["now"] = fastest(timer, arguments.directory, "varlen", width, causal, given)
    row["now_entry"] = launches["now"].entry
    if arguments.before:
        launches["before"] = fastest(timer, arguments.before, "varlen", width, causal, given)[2]
    o.fill_(torch.nan)
    launches["now"]()
    worst = 0.0
    for number, length in enumerate(lengths):
        start = int(ends[number])
        own = [one[start : start + length].transpose(0, 1) for one in (q, k, v)]
        rows = torch.randint(0, length, (32,), device="cuda")
        worst = max(worst, error(o[start + rows, number], expected(*own, causal, number, rows)))
    if len(set(lengths)) == 1:
        padded = -(-lengths[0] // 128) * 128
        dense = {one: torch.randn(heads * len(lengths), padded, width, device="cuda", dtype=torch.bfloat16) for one in "qkvo"}
        dense["lse"] = torch.empty(heads * len(lengths), padded, device="cuda")
        launches["padded"] = fastest(timer, arguments.directory, "forward", width, causal, dense)[2]
    try:
        from torch.nn.attention.varlen import varlen_attn

        known = inspect.signature(varlen_attn).parameters
        mask = {"is_causal": causal} if "is_causal" in known else {"window_size": (-1, 0 if causal else -1)}
        launches["varlen_attn"] = lambda: varlen_attn(q, k, v, ends, ends, longest, longest, **mask)
    except ImportError:
        pass
    row["ms"] = timer.together(launches, arguments.samples)
    operations = sum(4 * heads * length * length * width / (2 if causal else 1) for length in lengths)
    row["tflops"] = {name: operations / ms / 1e9 for name, ms in row["ms"].items()}
    return row, [] if worst < LIMIT and torch.isfinite(o).all() else [f"error {worst:.2e}"]


def backward(arguments, timer, width, causal, length):
    heads = heads_of(length)
    q, k, v, dy = (torch.randn(heads, length, width, device="cuda", dtype=torch.bfloat16) for _ in range(4))
    inputs = [tensor[None].requires_grad_() for tensor in (q, k, v)]
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        o = attention(*inputs, is_causal=causal)
    # Of the scores as they are, in the base of 2.
    lse = torch.empty(heads, length, device="cuda")
    for head in range(heads):
        scores = (q[head] @ k[head].T).float() * width**-0.5
        if causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
        lse[head] = scores.logsumexp(-1) * LOG2_E
    with torch.no_grad(), sdpa_kernel(SDPBackend.FLASH_ATTENTION):
        o_again = attention(*(tensor[None] for tensor in (q, k, v)), is_causal=causal)
    delta = (o_again[0].float() * dy.float()).sum(-1)
    dq, dk, dv = (torch.full_like(q, torch.nan) for _ in range(3))
    given = {"q": q, "k": k, "v": v, "dy": dy, "lse": lse, "delta": delta, "dq": dq, "dk": dk, "dv": dv}
    launches, row = {}, {"kind": "backward", "d": width, "causal": causal, "n": length, "heads": heads}
    reference = gradients(q[-1], k[-1], v[-1], dy[-1], causal)
    wrong = []
    for name, directory in [("now", arguments.directory), ("before", arguments.before)]:
        both = directory and [fastest(timer, directory, kind, width, causal, given) for kind in ("queries", "keys")]
        if both and all(both):
            for tensor in (dq, dk, dv):
                tensor.fill_(torch.nan)
            for _, _, launch in both:
                launch()
            row[f"{name}_tile"] = "+".join(tile for _, tile, _ in both)
            row[f"{name}_entry"] = "+".join(launch.entry for _, _, launch in both)
            launches[f"{name} dq"], launches[f"{name} dk"] = (launch for _, _, launch in both)
            worst = max(error(found[heads - 1], of) for found, of in zip((dq, dk, dv), reference))
            if not torch.isfinite(o).all():
                print("  cuDNN's output has elements that are no numbers")
            if not worst < LIMIT or not all(torch.isfinite(of).all() for of in (dq, dk, dv)):
                wrong.append(f"{name}: error {worst:.2e}")
    launches["cudnn"] = lambda: torch.autograd.grad(o, inputs, dy[None], retain_graph=True)
    times = timer.together(launches, arguments.samples)
    row["parts"] = dict(times)
    for name in ("now", "before"):
        if f"{name} dq" in times:
            times[name] = times.pop(f"{name} dq") + times.pop(f"{name} dk")
    row["ms"] = times
    operations = 10 * heads * length * length * width / (2 if causal else 1)
    row["tflops"] = {name: operations / ms / 1e9 for name, ms in row["ms"].items()}
    return row, wrong


def options(description, libraries=False):
    """Those of a table of compiled files."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, help="files of another version of the compiler")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", default="", help="rows whose names have this")
    parser.add_argument("--samples", type=int, default=15)
    if libraries:
        parser.add_argument("--libraries", action="store_true", help="time what public libraries have, too")
    return parser.parse_args()


def main():
    arguments = options("Attention beside cuDNN, FlashAttention and Triton.")
    print(torch.cuda.get_device_name())
    timer, rows, failed = Timer(), [], False
    masked = [False, True]
    table = [(forward, f"forward d={d}", d, causal, n) for d in (128, 64) for causal in masked for n in LENGTHS]
    table += [(forward, f"forward d={d}", d, causal, n) for d in (96, 192, 256) for causal in masked for n in WIDE_LENGTHS]
    table += [(grouped, f"grouped d={d}", d, causal, n) for d in (128, 64) for causal in masked for n in GROUPED_LENGTHS]
    table += [(variant, f"{name} d={d}", d, name, of) for d in (128, 64) for name, lengths in VARIANT_LENGTHS.items() for of in lengths]
    table += [(varlen, f"varlen d={d}", d, causal, n) for d in (128, 64) for causal in masked for n in VARLEN]
    table += [(backward, f"backward d={d}", d, causal, n) for d in (128, 64) for causal in masked for n in BACKWARD_LENGTHS]
    for act, name, width, causal, length in table:
        if act is variant:
            name += f" n={length[0]}" + (f" window={length[1]}" if length[1] else "")
        else:
            name += f" {'causal' if causal else 'full'} n={length}"
        if arguments.only not in name:
            continue
        kind = {forward: "forward", grouped: "forward", variant: causal, varlen: "varlen", backward: "keys"}[act]
        if not files(arguments.directory, kind, width, act is variant or causal):
            continue
        try:
            row, wrong = act(arguments, timer, width, causal, length)
        except RuntimeError as problem:
            print(f"{name:36} {problem}")
            failed = True
            continue
        rows.append(row)
        ms = row["ms"]
        text = f"{name:36} {row['tflops']['now']:6.0f} TFLOP/s"
        for peer in ("cudnn", "flash", "triton", "flex", "plain", "short", "padded", "varlen_attn", "before"):
            if peer in ms:
                text += f"  of {peer} {row['tflops']['now'] / row['tflops'][peer]:.2f}"
        print(f"{text}  {row['now_tile']} {row['now_entry']}", flush=True)
        for problem in wrong:
            print(f"  WRONG {problem}")
            failed = True
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": torch.cuda.get_device_name(), "rows": rows}, indent=1))
    return 1 if failed else 0 if rows else 2


if __name__ == "__main__":
    sys.exit(main())
