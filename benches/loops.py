#!/usr/bin/env python3
"""Times compiled loops that are no plain product: routed experts, paged decoding, weights of four bits, and others.

Usage: loops.py [--json FILE] [--only TEXT] [--samples N] [--before DIR] [--libraries] DIR

DIR holds what `benches/loops.sh --compile-only DIR` made: KERNEL-TILE.ptx. The fastest tile is timed in turns with
the others, the level-2 cache flushed before each run; medians. `--before` has files of another version of the
compiler; with `--libraries`, what public libraries have for the same work is timed too (libraries.py), where they are
installed. `bound` is what the same device needs for the same work without the loop's difficulty, by PyTorch: a
plain product of as many operations, attention over keys that lie in order, without sinks, or of 16 bits, a copy of as many
bytes, or cuDNN's convolution. Results are compared with PyTorch's in float32.

Needs PyTorch and the package `tile` (runtime/python/build.sh). Exit codes: 0 all is right, 1 a result is wrong, 2 nothing ran.
"""

import json
import sys

import torch

import libraries
from attention import LOG2_E, Timer, error, options
from peers import Launch

# What a result may be off by, relative to the norm: bf16 has 8 bits.
LIMIT = 8e-3


def normal(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def copied(bytes):
    source = torch.empty(bytes // 2, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    return lambda: target.copy_(source)


def routed(tokens, kinds, top, block):
    """Tokens choose `top` of the experts; slots are sorted by expert and padded to blocks."""
    chosen = torch.rand(tokens, kinds, device="cuda").topk(top).indices.flatten()
    slots, expert = [], []
    for kind in range(kinds):
        own = (chosen == kind).nonzero().flatten()
        padding = -len(own) % block
        slots += [own, torch.full((padding,), tokens * top, device="cuda")]
        expert += [kind] * ((len(own) + padding) // block)
    return chosen, torch.cat(slots).int(), torch.tensor(expert, device="cuda").int()


def experts(tokens, kinds, n, k, block=64, top=2):
    x, weights = normal(tokens, k), normal(kinds, n, k) / k**0.5
    chosen, slots, expert = routed(tokens, kinds, top, block)
    factors = torch.rand(tokens * top, device="cuda")
    y = torch.full((tokens * top, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"x": x, "weights": weights, "factors": factors, "sorted": slots, "expert": expert, "y": y}
    given["files"] = f"experts-BM{block}*.ptx"

    def check():
        rows = torch.arange(0, tokens * top, 37, device="cuda")
        wanted = torch.einsum("rk,rnk->rn", x[rows // top].float(), weights[chosen[rows]].float()) * factors[rows, None]
        return error(y[rows], wanted)

    plain = normal(kinds, tokens * top // kinds, k)
    return given, check, lambda: torch.bmm(plain, weights.transpose(1, 2))


def scaled_experts(tokens, kinds, n, k, block=64, top=8):
    x, weights = normal(tokens, k).to(torch.float8_e4m3fn), normal(kinds, n, k).to(torch.float8_e4m3fn)
    sx, sw = torch.rand(tokens, k // 128, device="cuda") / 10, torch.rand(kinds, n // 128, k // 128, device="cuda") / 10
    chosen, slots, expert = routed(tokens, kinds, top, block)
    y = torch.full((tokens * top, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"x": x, "sx": sx, "weights": weights, "sw": sw, "sorted": slots, "expert": expert, "y": y}
    given["files"] = f"scaled_experts-BM{block}*.ptx"

    def check():
        worst = 0
        for slot in range(0, tokens * top, tokens * top // 5):
            own = sw[chosen[slot]].repeat_interleave(128, 0).repeat_interleave(128, 1) * weights[chosen[slot]].float()
            worst = max(worst, error(y[slot], own @ (x[slot // top].float() * sx[slot // top].repeat_interleave(128))))
        return worst

    one = torch.ones((), device="cuda")
    plain = normal(tokens * top, k).to(torch.float8_e4m3fn)
    return given, check, lambda: torch._scaled_mm(plain, weights[0].t(), one, one, out_dtype=torch.bfloat16, use_fast_accum=True)


def experts_int4(tokens, kinds, n, k, block=64, top=8):
    x, weights = normal(tokens, k), torch.randint(0, 256, (kinds, n, k // 2), device="cuda").to(torch.uint8)
    scales = normal(kinds, n, k // 128) / k**0.5
    chosen, slots, expert = routed(tokens, kinds, top, block)
    y = torch.full((tokens * top, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"x": x, "weights": weights, "scales": scales, "sorted": slots, "expert": expert, "y": y}

    def check():
        worst = 0
        for slot in range(0, tokens * top, tokens * top // 5):
            own = weights[chosen[slot]]
            codes = torch.stack([own & 15, own >> 4], -1).flatten(1).float() - 8
            own = (codes * scales[chosen[slot]].float().repeat_interleave(128, 1)).bfloat16()
            worst = max(worst, error(y[slot], own.float() @ x[slot // top].float()))
        return worst

    plain, other = normal(kinds, tokens * top // kinds, k), normal(kinds, n, k)
    return given, check, lambda: torch.bmm(plain, other.transpose(1, 2))


def paged_decode(sequences, length, kinds=8, heads=8, width=128, page=64):
    most = -(-length // page)
    keys, values = (normal(sequences * most, page, kinds, width) for _ in range(2))
    table = torch.randperm(sequences * most, device="cuda").int().view(sequences, most)
    lengths = torch.randint(length * 3 // 4, length + 1, (sequences,), device="cuda").int()
    q = normal(sequences, kinds, heads, width)
    o = torch.full_like(q, torch.nan)
    given = {"q": q, "keys": keys, "values": values, "table": table, "lengths": lengths, "o": o}

    def check():
        worst = 0
        for s in (0, sequences - 1):
            count = int(lengths[s])
            k, v = (of[table[s].long()].flatten(0, 1)[:count].float() for of in (keys, values))
            scores = torch.einsum("ghd,ngd->ghn", q[s].float(), k) / width**0.5
            worst = max(worst, error(o[s], torch.einsum("ghn,ngd->ghd", scores.softmax(-1), v)))
        return worst

    return given, check, copied(int(lengths.sum()) * kinds * width * 2 * 2)


def int4(m, n, k, group=128):
    x = normal(m, k)
    weights = torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8)
    scales = (torch.rand(k // group, n, device="cuda") / k**0.5).bfloat16()
    y = torch.full((m, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"x": x, "weights": weights, "scales": scales, "y": y}
    low, high = (weights & 15).int() - 8, (weights >> 4).int() - 8
    whole = torch.stack((low, high), -1).flatten(1).bfloat16() * scales.T.repeat_interleave(group, 1)
    return given, lambda: error(y, x.float() @ whole.float().T), lambda: x @ whole.T


def cross_entropy_in_place(rows, words, ignore=-100):
    logits = normal(rows, words)
    labels = torch.randint(0, words, (rows,), device="cuda").int()
    labels[::5] = ignore
    loss = torch.full((rows,), torch.nan, device="cuda")
    scale = 1.0 / rows
    given = {"logits": logits, "labels": labels, "loss": loss, "ignore": ignore, "scale": scale}
    first = logits.clone()

    def check():
        logits.copy_(first)
        yield
        own = first.float().requires_grad_()
        wanted = torch.nn.functional.cross_entropy(own, labels.long(), ignore_index=ignore, reduction="none") * scale
        wanted.sum().backward()
        return max(error(loss, wanted), error(logits, own.grad))

    target = torch.empty_like(first)
    return given, check, lambda: target.copy_(first)


def chunk_output(heads, t, dk=128, dv=128, chunk=64):
    chunks = -(-t // chunk)
    q, k, v = normal(heads, t, dk), normal(heads, t, dk), normal(heads, t, dv)
    states = normal(heads, chunks, dk, dv)
    o = torch.full_like(v, torch.nan)
    given = {"q": q, "k": k, "v": v, "states": states, "o": o, "scale": dk**-0.5}

    def check():
        worst = 0
        for head, at in ((0, 0), (heads - 1, (chunks - 1) * chunk)):
            own = [of[head, at : at + chunk].float() for of in (q, k, v)]
            inside = (own[0] @ own[1].T).tril() @ own[2]
            wanted = (own[0] @ states[head, at // chunk].float() + inside) * dk**-0.5
            worst = max(worst, error(o[head, at : at + chunk], wanted))
        return worst

    return given, check, copied(2 * (q.numel() + k.numel() + 2 * v.numel() + states.numel()))


def scaled_fp8(m, n, k, block=128):
    kind = torch.float8_e4m3fn
    a, b = normal(m, k).to(kind), normal(n, k).to(kind)
    sa = torch.rand(k // block, m, device="cuda") + 0.5
    sb = (torch.rand(-(-n // block), k // block, device="cuda") + 0.5) / k**0.5
    c = torch.full((m, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"a": a, "sa": sa, "b": b, "sb": sb, "c": c}

    def check():
        rows = torch.arange(0, m, 61, device="cuda")
        left = a[rows].float() * sa.T[rows].repeat_interleave(block, 1)
        right = b.float() * sb.repeat_interleave(block, 0)[:n].repeat_interleave(block, 1)
        return error(c[rows], left @ right.T)

    one = torch.ones((), device="cuda")
    return given, check, lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=torch.bfloat16)


def delta_state(heads, t, dk=128, dv=128, chunk=64):
    chunks = -(-t // chunk)
    k, w, u = normal(heads, t, dk) / dk**0.5, normal(heads, t, dk) / dk**0.5, normal(heads, t, dv)
    g = -torch.rand(heads, t // chunk, chunk, device="cuda").cumsum(-1).flatten(1) / chunk
    states = torch.full((heads, chunks, dk, dv), torch.nan, device="cuda", dtype=torch.bfloat16)
    new = torch.full_like(u, torch.nan)
    given = {"k": k, "w": w, "u": u, "g": g, "states": states, "new": new}

    def check():
        worst = 0
        for head in (0, heads - 1):
            state = torch.zeros(dk, dv, device="cuda")
            for number in range(chunks):
                at = slice(number * chunk, (number + 1) * chunk)
                worst = max(worst, error(states[head, number], state)) if number else worst
                own = u[head, at].float() - w[head, at].float() @ state.bfloat16().float()
                last = g[head, at][-1]
                state = state * last.exp() + k[head, at].float().T @ (own * (last - g[head, at]).exp()[:, None])
        return worst

    return given, check, copied(2 * sum(of.numel() for of in (k, w, u, states, new)))


def chunk_scan(batch, t, heads, p=64, s=128, chunk=256):
    x, b, c = normal(batch, t, heads, p), normal(batch, t, s), normal(batch, t, s)
    dt = torch.rand(batch, heads, t, device="cuda")
    cum = -(torch.rand(batch, heads, t // chunk, chunk, device="cuda") / 16).cumsum(-1).flatten(2)
    h = normal(batch, t // chunk, heads, p, s)
    y = torch.full_like(x, torch.nan)
    given = {"x": x, "b": b, "c": c, "dt": dt, "cum": cum, "h": h, "y": y, "chunk": chunk}

    def check():
        worst = 0
        for one, head, number in ((0, 0, 0), (batch - 1, heads - 1, t // chunk - 1)):
            at = slice(number * chunk, (number + 1) * chunk)
            own, mine = c[one, at].float(), cum[one, head, at]
            scores = (own @ b[one, at].float().T) * (mine[:, None] - mine[None, :]).exp() * dt[one, head, at]
            wanted = (own @ h[one, number, head].float().T) * mine.exp()[:, None] + scores.tril() @ x[one, at, head].float()
            worst = max(worst, error(y[one, at, head], wanted))
        return worst

    return given, check, copied(2 * (2 * x.numel() + h.numel()) + 8 * dt.numel())


def linear_cross_entropy(rows, k, words):
    x, w = normal(rows, k), normal(words, k) / k**0.5
    labels = torch.randint(0, words, (rows,), device="cuda").int()
    loss = torch.full((rows,), torch.nan, device="cuda")
    given = {"x": x, "w": w, "labels": labels, "loss": loss}

    def check():
        some = slice(0, None, 97)
        return error(loss[some], torch.nn.functional.cross_entropy(x[some].float() @ w.float().T, labels[some].long(), reduction="none"))

    return given, check, lambda: x @ w.T


def nf4(m, n, k):
    x, table = normal(m, k), normal(16)
    weights = torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8)
    scales = torch.rand(n, k // 64, device="cuda") / k**0.5
    y = torch.full((m, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"x": x, "weights": weights, "scales": scales, "table": table, "y": y}
    codes = torch.stack((weights >> 4, weights & 15), -1).flatten(1).int()
    whole = (table[codes].float() * scales.repeat_interleave(64, 1)).bfloat16()
    return given, lambda: error(y, x.float() @ whole.float().T), lambda: x @ whole.T


def gptq(m, n, k, group=128):
    x = torch.randn(m, k, device="cuda", dtype=torch.float16)
    q = torch.randint(-(2**31), 2**31, (k // 8, n), device="cuda", dtype=torch.int64).int()
    zeros = torch.randint(0, 16, (k // group, n), device="cuda").half()
    scales = (torch.rand(k // group, n, device="cuda") / k**0.5).half()
    y = torch.full((m, n), torch.nan, device="cuda", dtype=torch.float16)
    codes = (q[:, None, :] >> (4 * torch.arange(8, device="cuda")[None, :, None]) & 15).flatten(0, 1).half()
    whole = (codes - zeros.repeat_interleave(group, 0)) * scales.repeat_interleave(group, 0)
    given = {"x": x, "q": q, "zeros_": zeros, "scales": scales, "y": y}
    return given, lambda: error(y, x.float() @ whole.float()), lambda: x @ whole


def mxfp4(m, n, k):
    x, table = normal(m, k), normal(16)
    codes = torch.randint(0, 256, (n, k // 2), device="cuda", dtype=torch.uint8)
    exponents = torch.randint(118, 124, (n, k // 32), device="cuda", dtype=torch.uint8)
    y = torch.full((m, n), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"x": x, "codes": codes, "exponents": exponents, "table": table, "y": y}
    numbers = torch.stack((codes & 15, codes >> 4), -1).flatten(1).int()
    whole = (table[numbers].float() * (2.0 ** (exponents.float() - 127)).repeat_interleave(32, 1)).bfloat16()
    return given, lambda: error(y, x.float() @ whole.float().T), lambda: x @ whole.T


def latent_decode(sequences, length, heads=128, d=512, r=64, page=64):
    most = -(-length // page)
    q, qr = normal(sequences, heads, d), normal(sequences, heads, r)
    cache, rope = normal(sequences * most, page, d), normal(sequences * most, page, r)
    table = torch.randperm(sequences * most, device="cuda").int().view(sequences, most)
    lengths = torch.randint(length * 3 // 4, length + 1, (sequences,), device="cuda").int()
    o = torch.full_like(q, torch.nan)
    scale = (d + r) ** -0.5
    given = {"q": q, "qr": qr, "cache": cache, "rope": rope, "table": table, "lengths": lengths, "o": o, "scale": scale * LOG2_E}

    def check():
        worst = 0
        for s in (0, sequences - 1):
            latent, turned = (of[table[s].long()].flatten(0, 1)[: int(lengths[s])].float() for of in (cache, rope))
            scores = (q[s].float() @ latent.T + qr[s].float() @ turned.T) * scale
            worst = max(worst, error(o[s], scores.softmax(-1) @ latent))
        return worst

    # The products alone, of keys that lie in order.
    keys = normal(sequences, length * 7 // 8, d + r)
    queries = normal(sequences, heads, d + r)
    powers = normal(sequences, heads, length * 7 // 8)

    def products():
        torch.bmm(queries, keys.transpose(1, 2))
        torch.bmm(powers, keys[:, :, :d])

    return given, check, products


def latent_prefill(t, heads, d=128, r=64):
    q, k, v = normal(t, heads, d + r), normal(t, heads, d + r), normal(t, heads, d)
    o = torch.full_like(v, torch.nan)
    given = {"q": q, "k": k, "v": v, "o": o}
    unseen = torch.ones(t, t, dtype=torch.bool, device="cuda").triu(1)

    def check():
        scores = q[:, 1].float() @ k[:, 1].float().T / (d + r) ** 0.5
        return error(o[:, 1], scores.masked_fill(unseen, -torch.inf).softmax(-1) @ v[:, 1].float())

    return given, check, cudnn(*(of.transpose(0, 1)[None] for of in (q, k, v)), is_causal=True)


def hstu(sequences, longest, heads, d=64):
    lengths = torch.randint(longest // 2, longest + 1, (sequences,))
    lengths[0] = longest
    starts = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).int().cuda()
    q, k, v = (normal(int(starts[-1]), heads, d) for _ in range(3))
    o, bias = torch.full_like(v, torch.nan), torch.randn(64, device="cuda")
    given = {"q": q, "k": k, "v": v, "starts": starts, "bias": bias, "o": o, "longest": longest}

    def check():
        own = slice(int(starts[1]), int(starts[2]))
        at = torch.arange(own.stop - own.start, device="cuda")
        distance = at[:, None] - at[None, :]
        x = q[own, 1].float() @ k[own, 1].float().T / d**0.5 + bias[distance.clamp(0, 63)]
        return error(o[own, 1], (x * x.sigmoid()).masked_fill(distance < 0, 0.0) / longest @ v[own, 1].float())

    of = (normal(sequences, heads, int(lengths.float().mean()), d) for _ in range(3))
    return given, check, cudnn(*of, is_causal=True)


def indexer(queries, keys, heads=64, d=128):
    q, k = normal(queries, heads, d), normal(keys, d)
    weights = torch.rand(queries, heads, device="cuda")
    y = torch.full((queries, keys), torch.nan, device="cuda")
    given = {"q": q, "k": k, "weights": weights, "y": y}

    def check():
        some = slice(0, None, 37)
        scores = torch.einsum("qhd,kd->qhk", q[some].float(), k.float()).relu()
        return error(y[some], (scores * weights[some][:, :, None]).sum(1))

    part = q[: queries // 4].flatten(0, 1)

    def products():
        for _ in range(4):
            part @ k.T

    return given, check, products


def cudnn(*of, **more):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def plain():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(*of, **more)

    return plain


def sinks(n, heads, kv, d=64):
    q, k, v = normal(n, heads, d), normal(n, kv, d), normal(n, kv, d)
    sink = torch.randn(heads, device="cuda")
    o = torch.full_like(q, torch.nan)
    given = {"q": q, "k": k, "v": v, "sink": sink, "o": o}

    def check():
        worst, rows = 0, torch.randint(0, n, (64,), device="cuda")
        for head in (0, heads - 1):
            own = [of[:, head * kv // heads].float() for of in (k, v)]
            scores = q[rows, head].float() @ own[0].T / d**0.5
            scores.masked_fill_(torch.arange(n, device="cuda")[None, :] > rows[:, None], -torch.inf)
            powers = torch.cat((scores, sink[head].expand(len(rows), 1)), 1).softmax(-1)[:, :-1]
            worst = max(worst, error(o[rows, head], powers @ own[1]))
        return worst

    apart = [of.transpose(0, 1)[None] for of in (q, k, v)]
    return given, check, cudnn(*apart, is_causal=True, enable_gqa=True)


def nearest(n, centres, d=128):
    x, c = normal(n, d).half(), normal(centres, d).half()
    length = c.float().square().sum(1)
    which = torch.zeros(n, dtype=torch.int32, device="cuda")
    distance = torch.full((n,), torch.nan, device="cuda")
    given = {"x": x, "c": c, "norm": length, "which": which, "distance": distance}

    def check():
        rows = torch.randint(0, n, (1024,), device="cuda")
        far = length - 2 * (x[rows].float() @ c.float().T)
        own = far.gather(1, which[rows, None].long())[:, 0]
        return max(error(distance[rows], far.amin(1)), error(own, far.amin(1)))

    side = round((n * centres * d) ** (1 / 3) / 128) * 128
    left, right = normal(side, side), normal(side, side)
    return given, check, lambda: left @ right


def pair_bias(rows, heads, n, d=32):
    q, k, v = (normal(rows, heads, n, d) for _ in range(3))
    bias = normal(heads, n, n)
    mask = torch.where(torch.rand(rows, n, device="cuda") < 0.9, 0.0, -1e9)
    o = torch.full_like(q, torch.nan)
    given = {"q": q, "k": k, "v": v, "mask": mask, "bias": bias, "o": o}
    added = (bias[None] + mask[:, None, None, :]).bfloat16()

    def check():
        row, head = rows // 2, heads - 1
        scores = q[row, head].float() @ k[row, head].float().T / d**0.5 + bias[head].float() + mask[row]
        return error(o[row, head], scores.softmax(-1) @ v[row, head].float())

    return given, check, lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=added)


def fp8_attention(n, heads, d=128):
    q, k, v = (normal(heads, n, d).to(torch.float8_e4m3fn) for _ in range(3))
    o = torch.full((heads, n, d), torch.nan, device="cuda", dtype=torch.bfloat16)
    scale = LOG2_E / d**0.5
    given = {"q": q, "k": k, "v": v.transpose(1, 2).contiguous(), "scale": scale, "o": o}
    # Powers have three bits.
    given["limit"] = 5e-2

    def check():
        rows = torch.randint(0, n, (64,), device="cuda")
        scores = q[-1].float()[rows] @ k[-1].float().T / d**0.5
        return error(o[-1, rows], scores.softmax(-1) @ v[-1].float())

    return given, check, cudnn(*[of.bfloat16()[None] for of in (q, k, v)])


def int8_cache(n, heads, d=128):
    q = normal(heads, n, d)
    k, v = (torch.randint(-127, 128, (heads, n, d), device="cuda", dtype=torch.int8) for _ in range(2))
    sk, sv = (torch.rand(heads, n, device="cuda") / 64 for _ in range(2))
    o = torch.full((heads, n, d), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"q": q, "k": k, "sk": sk, "v": v, "sv": sv, "o": o}

    def check():
        rows = torch.randint(0, n, (64,), device="cuda")
        scores = q[-1].float()[rows] @ (k[-1].float() * sk[-1][:, None]).T / d**0.5
        return error(o[-1, rows], scores.softmax(-1) @ (v[-1].float() * sv[-1][:, None]))

    return given, check, cudnn(*[of.bfloat16()[None] for of in (q, k, v)])


def rotated_keys(n, heads, d=128):
    q, k, v = (normal(heads, n, d) for _ in range(3))
    angles = torch.rand(n, d // 2, device="cuda") * 6
    c, s = angles.cos().bfloat16(), angles.sin().bfloat16()
    o = torch.full((heads, n, d), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"q": q, "k": k, "v": v, "c": c, "s": s, "o": o}

    def check():
        rows = torch.randint(0, n, (64,), device="cuda")
        a, b = k[-1].float().chunk(2, -1)
        keys = torch.cat([a * c.float() - b * s.float(), b * c.float() + a * s.float()], -1)
        scores = q[-1].float()[rows] @ keys.T / d**0.5
        return error(o[-1, rows], scores.softmax(-1) @ v[-1].float())

    return given, check, cudnn(q[None], k[None], v[None])


def listed_blocks(t, heads, kv, count, d=128, block=64):
    q, k, v = normal(t, heads, d), normal(t, kv, d), normal(t, kv, d)
    order = torch.rand(t, kv, t // block, device="cuda")
    # A query's own block is the first one, and no block is listed twice.
    order.scatter_(2, (torch.arange(t, device="cuda") // block)[:, None, None].expand(t, kv, 1), 2.0)
    blocks = order.topk(count).indices.int()
    o = torch.full_like(q, torch.nan)
    given = {"q": q, "k": k, "v": v, "blocks": blocks, "o": o}

    def check():
        worst, group = 0, heads // kv
        for i in (0, t // 2 + 1, t - 1):
            for g in (0, kv - 1):
                seen = (blocks[i, g].unique()[:, None] * block + torch.arange(block, device="cuda")).flatten()
                seen = seen[seen <= i].long()
                own = slice(g * group, (g + 1) * group)
                scores = q[i, own].float() @ k[seen, g].float().T / d**0.5
                worst = max(worst, error(o[i, own], scores.softmax(-1) @ v[seen, g].float()))
        return worst

    # All keys, though a query sees few of them.
    return given, check, cudnn(*[of.transpose(0, 1)[None] for of in (q, k, v)], is_causal=True, enable_gqa=True)


def forgetting(t, heads, d=128):
    q, k, v = (normal(t, heads, d) for _ in range(3))
    g = -(torch.rand(t, heads, device="cuda") / 50).cumsum(0)
    o = torch.full_like(q, torch.nan)

    def check():
        rows = torch.randint(0, t, (64,), device="cuda")
        scores = q[rows, -1].float() @ k[:, -1].float().T / d**0.5 + (g[rows, -1][:, None] - g[:, -1]) / LOG2_E
        scores.masked_fill_(rows[:, None] < torch.arange(t, device="cuda"), -torch.inf)
        return error(o[rows, -1], scores.softmax(-1) @ v[:, -1].float())

    return {"q": q, "k": k, "v": v, "g": g, "o": o}, check, cudnn(*[of.transpose(0, 1)[None] for of in (q, k, v)], is_causal=True)


def stickbreaking(t, heads, d=128):
    q, k, v = (normal(t, heads, d) for _ in range(3))
    o = torch.full_like(q, torch.nan)

    def check():
        rows = torch.randint(1, t, (64,), device="cuda")
        scores = q[rows, -1].float() @ k[:, -1].float().T / d**0.5
        seen = rows[:, None] > torch.arange(t, device="cuda")
        gone = torch.where(seen, -torch.nn.functional.softplus(scores), 0.0)
        left = gone.flip(1).cumsum(1).flip(1)
        return error(o[rows, -1], torch.where(seen, (scores + left).exp(), 0.0) @ v[:, -1].float())

    return {"q": q, "k": k, "v": v, "o": o}, check, cudnn(*[of.transpose(0, 1)[None] for of in (q, k, v)], is_causal=True)


def recurrent_delta(n, t, heads, hv, d=128):
    q, k, v = normal(n, t, heads, d) / d**0.5, normal(n, t, heads, d) / d**0.5, normal(n, t, hv, d)
    g, beta = -torch.rand(n, t, hv, device="cuda"), torch.rand(n, t, hv, device="cuda")
    first = torch.randn(n, hv, d, d, device="cuda")
    o, last = torch.full_like(v, torch.nan), torch.full_like(first, torch.nan)
    given = {"q": q, "k": k, "v": v, "g": g, "beta": beta, "first": first, "o": o, "last": last}

    def check():
        state, worst = first[-1, -1], 0
        for at in range(t):
            key, query = k[-1, at, -1].float(), q[-1, at, -1].float() / d**0.5
            state = state * g[-1, at, -1].exp()
            value = (v[-1, at, -1].float() - key @ state) * beta[-1, at, -1]
            state = state + key[:, None] * value
            worst = max(worst, error(o[-1, at, -1], query @ state)) if at == t - 1 else worst
        return max(worst, error(last[-1, -1], state))

    return given, check, copied(2 * first.numel() * 4 + 2 * (q.numel() + k.numel() + 2 * v.numel()))


def listed_keys(t, heads, top, s, d=512, r=64):
    q, kv = normal(t, heads, d + r), normal(s, d + r)
    # Each query has a list without repetitions, of which the last five are none.
    indices = torch.rand(t, 4096, device="cuda").topk(top).indices * (s // 4096) + torch.randint(s // 4096, (t, top), device="cuda")
    indices[:, -5:] = -1
    o = torch.full((t, heads, d), torch.nan, device="cuda", dtype=torch.bfloat16)
    given = {"q": q, "kv": kv, "indices": indices.int(), "lengths": torch.full((t,), top, device="cuda").int(), "o": o, "scale": (d + r) ** -0.5}

    def check():
        worst = 0
        for i in (0, t - 1):
            seen = kv[indices[i][indices[i] >= 0]].float()
            weights = (q[i].float() @ seen.T * given["scale"]).softmax(-1)
            worst = max(worst, error(o[i], weights @ seen[:, :d]))
        return worst

    left, right = normal(t * heads, 2 * d + r), normal(2 * d + r, top)
    return given, check, lambda: left @ right


def paged_prefill(sequences, new, before, kv=8, group=4, d=128, page=16):
    length = before + new
    most = -(-length // page)
    keys, values = (normal(sequences * most * page, kv, d) for _ in range(2))
    table = torch.randperm(sequences * most, device="cuda").int().view(sequences, most)
    q = normal(sequences * new, kv, group, d)
    o = torch.full_like(q, torch.nan)
    starts = torch.arange(sequences + 1, device="cuda").int() * new
    lengths = torch.full((sequences,), length, device="cuda").int()
    given = {"q": q, "keys": keys, "values": values, "table": table, "starts": starts, "lengths": lengths, "o": o, "longest": new}

    def check():
        worst = 0
        for s in (0, sequences - 1):
            k, v = (of.view(-1, page, kv, d)[table[s].long()].flatten(0, 1)[:length].float() for of in (keys, values))
            own = slice((s + 1) * new - 64, (s + 1) * new)
            scores = torch.einsum("tkgd,nkd->kgtn", q[own].float(), k) / d**0.5
            hidden = torch.arange(length, device="cuda") > torch.arange(length - 64, length, device="cuda")[:, None]
            weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
            worst = max(worst, error(o[own], torch.einsum("kgtn,nkd->tkgd", weights, v)))
        return worst

    plain = normal(sequences, kv * group, new, d), normal(sequences, kv, length, d), normal(sequences, kv, length, d)
    return given, check, cudnn(*plain, is_causal=before == 0, enable_gqa=True)


def chunk_gradients(t, heads, d=128, chunk=64):
    q, k, v, dy = (normal(t, heads, d) for _ in range(4))
    h, dh = (normal(t // chunk, heads, d, d) for _ in range(2))
    g = torch.nn.functional.logsigmoid(torch.randn(t, heads, device="cuda")).view(-1, chunk, heads).cumsum(1).view(t, heads)
    dq, dk, dg = torch.full_like(q, torch.nan), torch.full_like(k, torch.nan), torch.full_like(g, torch.nan)
    scale = d**-0.5
    given = {"q": q, "k": k, "v": v, "g": g, "h": h, "dy": dy, "dh": dh, "dq": dq, "dk": dk, "dg": dg, "scale": scale}

    def check():
        worst = 0
        for c, head in ((0, 0), (t // chunk - 1, heads - 1)):
            own = slice(c * chunk, (c + 1) * chunk), head
            query, key, value, grad, decay = (of[own].float() for of in (q, k, v, dy, g))
            scores = (grad @ value.T * torch.exp2(decay[:, None] - decay)).tril() * scale
            queries = grad @ h[c, head].float().T * (torch.exp2(decay) * scale)[:, None] + scores @ key
            before = value @ dh[c, head].float().T * torch.exp2(decay[-1] - decay)[:, None]
            keys = before + scores.T @ query
            decays = (queries * query).sum(1) - (keys * key).sum(1)
            decays[-1] += (h[c, head].float() * dh[c, head].float()).sum() * torch.exp2(decay[-1]) + (before * key).sum()
            worst = max(worst, error(dq[own], queries), error(dk[own], keys), error(dg[own], decays))
        return worst

    bytes = 6 * q.nbytes + 2 * h.nbytes
    return given, check, copied(bytes)


def convolution(images, size, c, out):
    x, w = normal(images, size, size, c).half(), normal(out, 9, c).half() / (9 * c) ** 0.5
    y = torch.full((images * size * size, out), torch.nan, device="cuda", dtype=torch.float16)
    torch.backends.cudnn.benchmark = True
    by_cudnn = lambda: torch.nn.functional.conv2d(x.permute(0, 3, 1, 2), w.view(out, 3, 3, c).permute(0, 3, 1, 2), padding=1)
    check = lambda: error(y, by_cudnn().permute(0, 2, 3, 1).reshape(-1, out))
    return {"x": x.view(-1, c), "w": w, "y": y, "height": size, "width": size}, check, by_cudnn


def masked(n, heads, d=128):
    q, k, v = (normal(heads, n, d) for _ in range(3))
    seen = (torch.rand(n, n, device="cuda") < 0.5).to(torch.int8)
    seen[:, 0] = 1
    o = torch.full_like(q, torch.nan)

    def check():
        scores = (q[-1].float() @ k[-1].float().T / d**0.5).masked_fill(seen == 0, -torch.inf)
        return error(o[-1], scores.softmax(-1) @ v[-1].float())

    return {"q": q, "k": k, "v": v, "seen": seen, "o": o}, check, cudnn(q[None], k[None], v[None])


def mlstm(n, heads, d=128):
    q, k, v = (normal(heads, n, d) for _ in range(3))
    forget = torch.nn.functional.logsigmoid(torch.randn(heads, n, device="cuda") + 3).cumsum(1)
    gates = torch.randn(heads, n, device="cuda")
    o = torch.full_like(q, torch.nan)

    def check():
        rows = torch.randint(0, n, (64,), device="cuda")
        gate = forget[-1, rows, None] - forget[-1] + gates[-1]
        gate.masked_fill_(rows[:, None] < torch.arange(n, device="cuda"), -torch.inf)
        largest = gate.amax(1, keepdim=True)
        weighted = q[-1, rows].float() @ k[-1].float().T / d**0.5 * (gate - largest).exp()
        norm = torch.maximum(weighted.sum(1, keepdim=True).abs(), (-largest).exp()) + 1e-6
        return error(o[-1, rows], weighted / norm @ v[-1].float())

    return {"q": q, "k": k, "v": v, "forget": forget, "input": gates, "o": o}, check, cudnn(q[None], k[None], v[None], is_causal=True)


def means(sequences, longest, d=1024):
    x, lengths = normal(sequences, longest, d), torch.randint(1, longest + 1, (sequences,), device="cuda").int()
    y = torch.full((sequences, d), torch.nan, device="cuda", dtype=torch.bfloat16)
    seen = (torch.arange(longest, device="cuda")[None] < lengths[:, None])[..., None]
    part = normal(int(lengths.sum()) // 2, d)

    def check():
        return error(y, (x.float() * seen).sum(1) / lengths[:, None])

    return {"x": x, "lengths": lengths, "y": y}, check, lambda: part.clone()


def cut_cross_entropy(t, d, words):
    x, w, labels = normal(t, d), normal(words, d) / d**0.5, torch.randint(0, words, (t,), device="cuda").int()
    lse = torch.cat([(part.float() @ w.float().T).logsumexp(1) for part in x.split(1024)])
    dx, dw = torch.empty(t, d, device="cuda"), torch.empty(words, d, device="cuda")

    def check():
        dx.zero_(), dw.zero_()
        yield
        powers = (x.float() @ w.float().T - lse[:, None]).exp()
        powers[torch.arange(t), labels.long()] -= 1
        powers /= t
        return max(error(dx, powers @ w.float()), error(dw, powers.T @ x.float()))

    logits = normal(t, words)

    def bound():
        x @ w.T, logits @ w, logits.T @ x

    return {"x": x, "w": w, "labels": labels, "lse": lse, "dx": dx, "dw": dw, "factor": 1 / t}, check, bound


def extend(sequences, new, before, kv=8, group=4, d=128):
    q, ke, ve = normal(sequences * new, kv * group, d), *(normal(sequences * new, kv, d) for _ in range(2))
    kb, vb = (normal(sequences * before, kv, d) for _ in range(2))
    start, ptr = (torch.arange(sequences + 1, device="cuda").int() * length for length in (new, before))
    slots = torch.randperm(sequences * before, device="cuda").int()
    o = torch.full_like(q, torch.nan)
    given = {"q": q, "ke": ke, "ve": ve, "kb": kb, "vb": vb, "start": start, "ptr": ptr, "idx": slots, "o": o, "scale": d**-0.5}

    def check():
        worst = 0
        for s in (0, sequences - 1):
            cached, own = slots[s * before : (s + 1) * before].long(), slice(s * new, (s + 1) * new)
            k, v = (torch.cat([old[cached], more[own]]).float() for old, more in ((kb, ke), (vb, ve)))
            query = q[own][-64:].view(64, kv, group, d).float()
            scores = torch.einsum("tkgd,nkd->kgtn", query, k) * d**-0.5
            hidden = torch.arange(before + new, device="cuda") > torch.arange(before + new - 64, before + new, device="cuda")[:, None]
            weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
            wanted = torch.einsum("kgtn,nkd->tkgd", weights, v).flatten(1, 2)
            worst = max(worst, error(o[own][-64:], wanted))
        return worst

    plain = normal(sequences, kv * group, new, d), normal(sequences, kv, before + new, d), normal(sequences, kv, before + new, d)
    return given, check, cudnn(*plain, enable_gqa=True)


def awq(m, n, k, group=128):
    a = torch.randn(m, k, device="cuda", dtype=torch.float16)
    q, z = (torch.randint(-(2**31), 2**31, (rows, n // 8), device="cuda", dtype=torch.int32) for rows in (k, k // group))
    s = torch.rand(k // group, n, device="cuda", dtype=torch.float16) / k**0.5
    c = torch.full((m, n), torch.nan, device="cuda", dtype=torch.float16)

    def unpacked(words):
        shifts = torch.tensor([0, 4, 1, 5, 2, 6, 3, 7], device="cuda", dtype=torch.int32) * 4
        return (words[..., None] >> shifts & 15).flatten(-2).float()

    w = ((unpacked(q).view(-1, group, n) - unpacked(z)[:, None]) * s.float()[:, None]).view(k, n)
    plain = w.half()
    return {"a": a, "q": q, "s": s, "z": z, "c": c}, lambda: error(c, a.float() @ w), lambda: a @ plain


def chunk_scan_gradients(batch, t, heads, p=64, chunk=256):
    x, dy = (normal(batch, t, heads, p) for _ in range(2))
    dt = torch.rand(batch, heads, t // chunk, chunk, device="cuda")
    cum = -(torch.rand(batch, heads, t // chunk, chunk, device="cuda") / 16).cumsum(-1)
    cb, skip = torch.randn(batch, t // chunk, 1, chunk, chunk, device="cuda"), torch.randn(heads, device="cuda")
    dx, ddt = torch.full_like(x, torch.nan), torch.full_like(dt, torch.nan)
    given = {"x": x, "cb": cb, "dt": dt, "cum": cum, "dy": dy, "skip": skip, "dx": dx, "ddt": ddt}

    def check():
        worst = 0
        for one, head, number in ((0, 0, 0), (batch - 1, heads - 1, t // chunk - 1)):
            at = slice(number * chunk, (number + 1) * chunk)
            own, grad, mine = x[one, at, head].float(), dy[one, at, head].float(), cum[one, head, number]
            weights = (cb[one, number, 0] * (mine[:, None] - mine[None, :]).exp()).tril()
            sums = weights.T @ grad
            wanted = sums * dt[one, head, number][:, None] + grad * skip[head]
            worst = max(worst, error(dx[one, at, head], wanted), error(ddt[one, head, number], (sums * own).sum(1)))
        return worst

    return given, check, copied(2 * 3 * x.numel() + 4 * (cb.numel() + 3 * dt.numel()))


def gated_recurrence(batch, t, channels):
    x, g = normal(batch, t, channels), torch.nn.functional.logsigmoid(normal(batch, t, channels))
    y = torch.full_like(x, torch.nan)

    def check():
        state, wanted = torch.zeros(batch, channels, device="cuda"), []
        for at in range(t):
            state = state * g[:, at].float().exp() + x[:, at].float()
            wanted.append(state)
        return error(y, torch.stack(wanted, 1))

    return {"x": x, "g": g, "y": y}, check, copied(2 * 3 * x.numel())


ROWS = [
    (experts, (512, 8, 4096, 4096)),
    (experts, (4096, 8, 4096, 4096)),
    (experts, (4096, 8, 4096, 4096, 128)),
    (experts, (4096, 64, 2048, 2048)),
    (scaled_experts, (256, 128, 2048, 4096)),
    (scaled_experts, (4096, 32, 2048, 4096)),
    (scaled_experts, (8192, 32, 4096, 2048, 128)),
    (experts_int4, (256, 64, 2048, 4096)),
    (experts_int4, (4096, 32, 2048, 4096)),
    (paged_decode, (64, 4096)),
    (paged_decode, (256, 1000)),
    (int4, (64, 8192, 8192)),
    (int4, (512, 8192, 8192)),
    (int4, (4096, 4096, 4096)),
    (cross_entropy_in_place, (4096, 32000)),
    (cross_entropy_in_place, (2048, 50257)),
    (chunk_output, (64, 8192)),
    (chunk_output, (64, 8100)),
    (scaled_fp8, (4096, 7168, 2048)),
    (scaled_fp8, (4096, 4096, 7168)),
    (scaled_fp8, (64, 7168, 2048)),
    (delta_state, (64, 8192)),
    (delta_state, (256, 2048)),
    (chunk_scan, (8, 4096, 80)),
    (linear_cross_entropy, (4096, 4096, 32000)),
    (linear_cross_entropy, (16384, 2048, 50257)),
    (nf4, (64, 8192, 8192)),
    (nf4, (4096, 4096, 4096)),
    (gptq, (64, 8192, 8192)),
    (gptq, (4096, 4096, 4096)),
    (mxfp4, (64, 8192, 8192)),
    (mxfp4, (4096, 4096, 4096)),
    (latent_decode, (128, 4096)),
    (hstu, (16, 2048, 8)),
    (latent_prefill, (2048, 64)),
    (latent_prefill, (8192, 16)),
    (indexer, (1024, 16384)),
    (sinks, (8192, 64, 8)),
    (nearest, (262144, 4096)),
    (pair_bias, (128, 4, 512)),
    (fp8_attention, (4096, 32)),
    (int8_cache, (4096, 32)),
    (rotated_keys, (4096, 32)),
    (listed_blocks, (4096, 64, 4, 16)),
    (forgetting, (8192, 16)),
    (stickbreaking, (8192, 16)),
    (recurrent_delta, (64, 1, 16, 32)),
    (recurrent_delta, (4, 512, 16, 32)),
    (listed_keys, (1024, 64, 2048, 32768)),
    (listed_keys, (2048, 32, 2048, 32768)),
    (listed_keys, (2048, 16, 2048, 32768)),
    (paged_prefill, (8, 1024, 4096)),
    (paged_prefill, (4, 4096, 0)),
    (chunk_gradients, (16384, 32)),
    (convolution, (32, 56, 128, 128)),
    (convolution, (32, 28, 256, 256)),
    (convolution, (32, 14, 512, 512)),
    (masked, (8192, 16)),
    (cut_cross_entropy, (4096, 2048, 32768)),
    (extend, (4, 1024, 4096)),
    (awq, (64, 8192, 8192)),
    (awq, (4096, 4096, 4096)),
    (chunk_scan_gradients, (4, 4096, 80)),
    (gated_recurrence, (8, 2048, 2048)),
    (mlstm, (4096, 32)),
    (means, (256, 512)),
    (means, (16384, 32)),
]


def checked(check, launch):
    """The error of a launch; a check that is a generator prepares what is computed in place."""
    steps = check()
    if not hasattr(steps, "send"):
        launch()
        return check()
    next(steps)
    launch()
    try:
        next(steps)
    except StopIteration as done:
        return done.value


def of_library(timer, name, given, shape):
    """The fastest setting of what a library has for a kernel, its launch, and what to say of it."""
    best, text = None, ""
    try:
        launches = getattr(libraries, name)(given, *shape)
    except ImportError as problem:
        return None, f"\n  library: {problem}"
    for setting, (launch, result, held_against) in launches.items():
        try:
            launch()
            median = timer.together({"it": launch}, 3)["it"]
        except Exception as problem:
            # A setting that asks for more than the device has.
            text += f"\n  library {setting}: {(str(problem) or repr(problem)).splitlines()[0]}"
            continue
        if result and not (off := error(result(), given[held_against])) < 3 * LIMIT:
            text += f"\n  library {setting}: {off:.2e} from ours"
        if best is None or median < best[0]:
            best = (median, setting, launch)
    return best, text


def main():
    arguments = options("Loops that are no plain product.", libraries=True)
    print(torch.cuda.get_device_name())
    timer, rows, failed = Timer(), [], False
    for make, shape in ROWS:
        name = f"{make.__name__} {' x '.join(map(str, shape))}"
        if arguments.only not in name:
            continue
        given, check, bound = make(*shape)
        files = given.pop("files", f"{make.__name__}-*.ptx")
        limit = given.pop("limit", LIMIT)
        launches, row = {"bound": bound}, {"kernel": make.__name__, "shape": shape}
        text = ""
        for version, directory in [("now", arguments.directory), ("before", arguments.before)]:
            best = None
            for path in sorted(directory.glob(files)) if directory else []:
                try:
                    launch = Launch(path, **given)
                    worst = checked(check, launch)
                    if not worst < limit:
                        text += f"\n  WRONG {version} {path.name}: error {worst:.2e}"
                        failed = True
                    median = timer.together({"it": launch}, 3)["it"]
                except RuntimeError as problem:
                    text += f"\n  {version} {path.name}: {problem}"
                    failed = True
                    continue
                if best is None or median < best[0]:
                    best = (median, path.stem.split("-")[-1], launch)
            if best:
                _, row[f"{version}_tile"], launches[version] = best
                row[f"{version}_entry"] = best[2].entry
        if "now" not in launches:
            continue
        if arguments.libraries and hasattr(libraries, make.__name__):
            best, more = of_library(timer, make.__name__, given, shape)
            text += more
            if best:
                _, row["library"], launches["library"] = best
        ms = row["ms"] = timer.together(launches, arguments.samples)
        before = f"  before {ms['before']:8.4f} ms, now {ms['before'] / ms['now']:5.2f} times as fast" if "before" in ms else ""
        library = f"  library {ms['library']:8.4f} ms, ours {ms['library'] / ms['now']:5.2f} times as fast" if "library" in ms else ""
        entries = " <- ".join(f"{row[f'{v}_tile']} {row[f'{v}_entry']}" for v in ("now", "before") if f"{v}_tile" in row)
        print(f"{name:42} {ms['now']:8.4f} ms  bound {ms['bound'] / ms['now']:4.2f}{before}{library}  {entries}{text}", flush=True)
        rows.append(row)
        del given, check, bound, launches
        torch.cuda.empty_cache()
    if arguments.json:
        arguments.json.write_text(json.dumps({"device": torch.cuda.get_device_name(), "rows": rows}, indent=1))
    return 1 if failed else 0 if rows else 2


if __name__ == "__main__":
    sys.exit(main())
