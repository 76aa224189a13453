#!/usr/bin/env python3
"""Times kernels as one writes them first beside PyTorch, in one process and one run.

Usage: untuned.py [--only NAME] [--samples N] DIR

DIR holds what `benches/untuned.sh --compile-only DIR` made: KERNEL.ptx. Each kernel has a formula in PyTorch, which says what is right and
is timed twice: as it is, and compiled (`torch.compile`, which writes kernels for Triton). Results are within a rounding of the
output's type of the formula's. Times are medians of CUDA events, all taking turns, the level-2 cache flushed, random inputs in `bf16`
where nothing else is said; `copy` is that of a device-to-device copy of as many bytes as the arguments have together (a kernel that overwrites what it reads moves more).

Columns: microseconds of the kernel, then how many times as long the others take.

Needs PyTorch and the package `tile` (runtime/python/build.sh). Exit codes: 0 all is right, 1 a result is wrong, 2 nothing ran.
"""

import argparse
import pathlib
import sys

import torch
import torch.nn.functional as functional

from attention import Timer
from peers import Launch

BF16, F32, FP8 = torch.bfloat16, torch.float32, torch.float8_e4m3fn
# What a result may be off by, relative to the norm.
LIMITS = {BF16: 4e-3, F32: 1e-5, FP8: 4e-2, torch.uint8: 4e-3, torch.int8: 4e-3, torch.float16: 1e-3, torch.bool: 1e-9}


def normal(*shape, dtype=BF16):
    return torch.randn(shape, device="cuda").to(dtype)


def uniform(*shape):
    return torch.rand(shape, device="cuda")


def whole(end, *shape):
    return torch.randint(0, end, shape, device="cuda", dtype=torch.int32)


def zeros(*shape, dtype=BF16):
    return torch.zeros(shape, device="cuda", dtype=dtype)


# Each gives the arguments, and the formula for the outputs, which are named in the order of what the formula gives.


def small_softmax():
    x = normal(2**19, 128)
    return dict(x=x, y=zeros(*x.shape)), "y", lambda: torch.softmax(x.float(), 1).to(BF16)


def rope_qk_norm():
    q, w, c, s = normal(16384, 32, 128), normal(128), uniform(16384, 64), uniform(16384, 64)

    def formula():
        v = q.float()
        v = v * torch.rsqrt(v.square().mean(-1, keepdim=True) + 1e-6) * w.float()
        a, b = v.chunk(2, -1)
        cosine, sine = c[:, None], s[:, None]
        return torch.cat([a * cosine - b * sine, a * sine + b * cosine], -1).to(BF16)

    return dict(q=q, w=w, c=c, s=s, y=zeros(*q.shape)), "y", formula


def swiglu_backward():
    dy, g, u = (normal(2**26) for _ in range(3))

    def formula():
        d, gate, up = dy.float(), g.float(), u.float()
        s = torch.sigmoid(gate)
        return (d * up * s * (1 + gate * (1 - s))).to(BF16), (d * gate * s).to(BF16)

    return dict(dy=dy, g=g, u=u, dg=zeros(2**26), du=zeros(2**26)), "dg du", formula


def adamw():
    n = 2**26
    p, m, v, g = normal(n, dtype=F32), normal(n, dtype=F32), uniform(n), normal(n)
    before = [tensor.clone() for tensor in (p, m, v)]
    numbers = dict(lr=0.01, b1=0.9, b2=0.99, eps=1e-8, decay=0.1, c1=0.5, c2=0.5)

    def formula():
        p, m, v = before
        first = 0.9 * m + (1 - 0.9) * g.float()
        second = 0.99 * v + (1 - 0.99) * g.float() ** 2
        new = p - 0.01 * (first / 0.5 / ((second / 0.5).sqrt() + 1e-8) + 0.1 * p)
        return new, first, second, new.to(BF16)

    return dict(p=p, g=g, m=m, v=v, low=zeros(n), **numbers), "p m v low", formula


def embedding_backward():
    ids, dy = whole(50000, 16384), normal(16384, 4096)
    table = zeros(50000, 4096, dtype=F32)
    # Both add to what is there; results are compared after the first time.
    formula = lambda: table.index_add_(0, ids, dy.float())
    return dict(ids=ids, dy=dy, dw=zeros(50000, 4096, dtype=F32)), "dw", formula


def cumsum_rows():
    x = normal(1024, 65536)
    return dict(x=x, y=zeros(*x.shape, dtype=F32)), "y", lambda: torch.cumsum(x.float(), 1)


def cumsum_columns():
    x = normal(16, 1024, 4096)
    return dict(x=x, y=zeros(*x.shape, dtype=F32)), "y", lambda: torch.cumsum(x.float(), 1)


def group_quant():
    x = normal(16384, 4096)

    def formula():
        v = x.float().view(16384, 32, 128)
        scale = v.abs().amax(-1).clamp(min=1e-10) / 448
        return (v / scale[..., None]).clamp(-448, 448).to(FP8).view(16384, 4096), scale

    return dict(x=x, q=zeros(*x.shape, dtype=FP8), s=zeros(16384, 32, dtype=F32)), "q s", formula


def jsd():
    p, t = (functional.log_softmax(normal(2048, 32000, dtype=F32), 1).to(BF16) for _ in range(2))

    def formula():
        lp, lq = p.float(), t.float()
        ep, eq = lp.exp(), lq.exp()
        middle = (0.5 * (ep + eq)).log()
        return (0.5 * (ep * (lp - middle) + eq * (lq - middle))).sum(1)

    return dict(p=p, t=t, loss=zeros(2048, dtype=F32)), "loss", formula


def softmax_axis0():
    x = normal(64, 512, 2048)
    return dict(x=x, y=zeros(*x.shape)), "y", lambda: torch.softmax(x.float(), 1).to(BF16)


def max_pool():
    x = normal(2048, 112, 112)
    return dict(x=x, y=zeros(2048, 56, 56)), "y", lambda: functional.max_pool2d(x[None], 3, 2, 1)[0]


def top_p():
    x = uniform(2048, 32000) ** 8

    def formula():
        low, high, total = zeros(2048, 1, dtype=F32), x.amax(1, keepdim=True), x.sum(1, keepdim=True)
        for _ in range(24):
            middle = 0.5 * (low + high)
            enough = torch.where(x >= middle, x, 0.0).sum(1, keepdim=True) >= 0.7 * total
            low, high = torch.where(enough, middle, low), torch.where(enough, high, middle)
        kept = torch.where(x >= low, x, 0.0)
        return kept / kept.sum(1, keepdim=True)

    return dict(x=x, y=zeros(*x.shape, dtype=F32), p=0.7), "y", formula


def bilinear():
    x = normal(512, 128, 128)
    formula = lambda: functional.interpolate(x[None], scale_factor=2, mode="bilinear")[0]
    return dict(x=x, y=zeros(512, 256, 256)), "y", formula


def masked_mean():
    x, lengths = normal(64, 2048, 1024), 1 + whole(2048, 64)

    def formula():
        inside = torch.arange(2048, device="cuda")[None, :, None] < lengths[:, None, None]
        return (torch.where(inside, x.float(), 0.0).sum(1) / lengths[:, None]).to(BF16)

    return dict(x=x, len=lengths, y=zeros(64, 1024)), "y", formula


def conv_update():
    x, state, w, b = normal(4096, 4096), normal(4096, 4096, 4), normal(4096, 4), normal(4096)
    before = state.clone()

    def formula():
        window = torch.cat([before[..., 1:], x[..., None]], -1)
        value = (window.float() * w.float()).sum(-1) + b.float()
        return functional.silu(value).to(BF16), window

    return dict(x=x, state=state, w=w, b=b, y=zeros(4096, 4096)), "y state", formula


def group_norm():
    x, w, b = normal(16, 32, 65536), normal(512), normal(512)
    formula = lambda: functional.group_norm(x.view(16, 512, 4096), 32, w, b, 1e-5).view(x.shape)
    return dict(x=x, w=w, b=b, y=zeros(*x.shape), per=16, hw=4096, eps=1e-5), "y", formula


def solve_tril():
    a = 0.1 * normal(8192, 64, 64, dtype=F32)
    formula = lambda: torch.linalg.inv(torch.tril(a, -1) + torch.eye(64, device="cuda"))
    return dict(a=a, y=zeros(*a.shape, dtype=F32)), "y", formula


def gae():
    r, v, done = normal(8192, 1024, dtype=F32), normal(8192, 1025, dtype=F32), whole(2, 8192, 1024)

    def formula():
        go = 1 - done.float()
        delta = r + 0.99 * go * v[:, 1:] - v[:, :-1]
        advantages, after = torch.empty_like(delta), zeros(8192, dtype=F32)
        for t in range(1023, -1, -1):
            after = delta[:, t] + 0.99 * 0.95 * go[:, t] * after
            advantages[:, t] = after
        return advantages

    return dict(r=r, v=v, done=done, adv=zeros(8192, 1024, dtype=F32), gamma=0.99, lam=0.95), "adv", formula


def tutorial_matmul():
    m, n, k = 8001, 4096, 4096
    a, b = normal(m, k), normal(k, n)
    numbers = dict(m=m, n=n, k=k, a_row=k, b_row=n, c_row=n)
    return dict(a=a, b=b, c=zeros(m, n), **numbers), "c", lambda: a @ b


def complex_matmul():
    ar, ai, br, bi = (normal(4096, 4096) for _ in range(4))

    def formula():
        return torch.addmm(ar @ br, ai, bi, alpha=-1), torch.addmm(ar @ bi, ai, br)

    return dict(ar=ar, ai=ai, br=br, bi=bi, cr=zeros(4096, 4096), ci=zeros(4096, 4096)), "cr ci", formula


def norm_matmul():
    x, g, w = normal(8192, 4096), normal(4096), normal(4096, 4096)
    formula = lambda: functional.rms_norm(x, (4096,), g, 1e-6) @ w.T
    return dict(x=x, g=g, w=w, y=zeros(8192, 4096)), "y", formula


def few_features():
    x, w, bias = normal(8192, 128), normal(8192, 128), normal(8192)
    return dict(x=x, w=w, bias=bias, y=zeros(8192, 8192)), "y", lambda: functional.linear(x, w, bias)


def two_layers():
    x, w, u = normal(2**18, 128), normal(128, 128), normal(128, 128)
    return dict(x=x, w=w, u=u, y=zeros(2**18, 128)), "y", lambda: torch.relu(x @ w) @ u


def viterbi():
    ways, emit = normal(64, 64, dtype=F32), normal(512, 256, 64, dtype=F32)

    def formula():
        now = emit[:, 0]
        for t in range(1, 256):
            now = (now[:, :, None] + ways).amax(1) + emit[:, t]
        return now

    back = torch.zeros(512, 256, 64, device="cuda", dtype=torch.int32)
    return dict(ways=ways, emit=emit, score=zeros(512, 64, dtype=F32), back=back), "score", formula


def beside(x, *steps):
    """`x`, and 0 beside it, from so many elements on along each axis."""
    padded = functional.pad(x, [1] * (2 * len(steps)))
    return padded[tuple(slice(1 + step, 1 + step + size) for step, size in zip(steps, x.shape))]


def blur():
    x = normal(8192, 8192, dtype=F32)
    formula = lambda: sum(beside(x, r, s) for r in (-1, 0, 1) for s in (-1, 0, 1)) / 9.0
    return dict(x=x, y=zeros(8192, 8192, dtype=F32)), "y", formula


def edges():
    x = whole(256, 16384, 16384).to(torch.uint8)

    def formula():
        at = lambda r, s: beside(x, r, s).int()
        across = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1)
        down = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1)
        return (across.abs() + down.abs()).clamp(max=255).to(torch.uint8)

    return dict(x=x, y=torch.zeros_like(x)), "y", formula


def laplace():
    x = normal(512, 512, 512, dtype=F32)

    def formula():
        around = beside(x, -1, 0, 0) + beside(x, 1, 0, 0) + beside(x, 0, -1, 0) + beside(x, 0, 1, 0)
        return around + beside(x, 0, 0, -1) + beside(x, 0, 0, 1) - 6.0 * x

    return dict(x=x, y=torch.zeros_like(x)), "y", formula


def depthwise():
    x, f = normal(16, 64, 512, 512, dtype=F32), normal(64, 3, 3, dtype=F32)
    at = lambda r, s: x[:, :, r : r + 510, s : s + 510] * f[:, r, s, None, None]
    formula = lambda: sum(at(r, s) for r in range(3) for s in range(3))
    return dict(x=x, f=f, y=zeros(16, 64, 510, 510, dtype=F32)), "y", formula


def quantize_rows():
    x = normal(16384, 4096)

    def formula():
        scale = x.float().abs().amax(1).clamp(min=1e-10) / 127.0
        return torch.round(x.float() / scale[:, None]).to(torch.int8), scale

    q = torch.zeros(16384, 4096, device="cuda", dtype=torch.int8)
    return dict(x=x, q=q, s=zeros(16384, dtype=F32)), "q s", formula


def grey():
    x = whole(256, 2**26, 3).to(torch.uint8)
    part = lambda colour: x[:, colour].float()
    formula = lambda: (0.299 * part(0) + 0.587 * part(1) + 0.114 * part(2)).to(torch.uint8)
    return dict(x=x, y=torch.zeros(2**26, device="cuda", dtype=torch.uint8)), "y", formula


def rotate_pairs():
    x, c, s = normal(2**18, 4, 64), normal(2**18, 32, dtype=F32), normal(2**18, 32, dtype=F32)

    def formula():
        a, b, u, v = x[..., 0::2].float(), x[..., 1::2].float(), c[:, None], s[:, None]
        return torch.stack([a * u - b * v, b * u + a * v], -1).flatten(-2).to(BF16)

    return dict(x=x, c=c, s=s, y=zeros(*x.shape)), "y", formula


def multiply_complex():
    a, b = normal(2**26, 2, dtype=F32), normal(2**26, 2, dtype=F32)
    formula = lambda: torch.view_as_real(torch.view_as_complex(a) * torch.view_as_complex(b))
    return dict(a=a, b=b, y=zeros(2**26, 2, dtype=F32)), "y", formula


def by_positions():
    a, b = normal(4096, 4096), normal(4096, 4096)
    return dict(a=a, b=b, c=zeros(4096, 4096)), "c", lambda: a @ b


def all_strides():
    a, b, s = normal(4096, 4096), normal(4096, 4096), 4096
    given = dict(a_ptr=a, b_ptr=b, c_ptr=zeros(s, s), m=s, n=s, k=s)
    strides = dict(stride_am=s, stride_ak=1, stride_bk=s, stride_bn=1, stride_cm=s, stride_cn=1)
    return given | strides, "c_ptr", lambda: a @ b


def stored_by_columns():
    s = 4096
    a, b = normal(s, s), normal(s, s)
    given = dict(a=a, b=b, c=zeros(s, s), m=s, n=s, k=s, am=s, ak=1, bk=s, bn=1, cm=1, cn=s)
    return given, "c", lambda: (a @ b).T.contiguous()


def two_matrices():
    s, n, o = 4096, 2048, 1024
    a, b, d = normal(s, s), normal(s, n), normal(s, o)
    strides = dict(am=s, ak=1, bk=n, bn=1, dk=o, dn=1, cm=n, cn=1, em=o, en=1)
    given = dict(a=a, b=b, d=d, c=zeros(s, n), e=zeros(s, o), m=s, n=n, o=o, k=s)
    return given | strides, "c e", lambda: (a @ b, a @ d)


def rows_shared_out():
    n, d, programs = 65536, 512, 1056
    x = normal(n, d)
    given = dict(x=x, y=zeros(n, d), sums=zeros(programs, d).float(), n=n, d=d, programs=programs)
    return given, "y", lambda: (x.float() - x.float().mean(1, keepdim=True)).to(BF16)


def decayed_blocks():
    n, c, d = 16384, 16, 128
    q, k, g = normal(n, c, d), normal(n, c, d), -torch.rand(n, c, d, device="cuda")

    def formula():
        products = q.float()[:, :, None] * k.float()[:, None]
        return (products * torch.exp2(g[:, :, None] - g[:, None])).sum(-1)

    return dict(q=q, k=k, g=g, y=zeros(n, c, c).float()), "y", formula


def chosen_blocks():
    t, h, group, d, count, size = 2048, 2, 16, 128, 16, 64
    q, k, v = normal(t, h * group, d), normal(t, h, d), normal(t, h, d)
    blocks = torch.randint(0, t // size, (t, h, count), device="cuda", dtype=torch.int32)
    # Each token sees the first block.
    blocks[:, :, 0] = 0
    given = dict(q=q, k=k, v=v, o=zeros(*q.shape), blocks=blocks, t=t, scale=d**-0.5)

    def formula():
        at = (blocks[..., None].long() * size + torch.arange(size, device="cuda")).flatten(2)
        head = torch.arange(h, device="cuda")[None, :, None]
        scores = q.view(t, h, group, d).float() @ k[at, head].mT.float() * d**-0.5
        behind = at > torch.arange(t, device="cuda")[:, None, None]
        p = scores.masked_fill(behind[:, :, None], -torch.inf).softmax(-1)
        return (p.to(BF16) @ v[at, head]).view(t, h * group, d)

    return given, "o", formula


def attention_by_pointers():
    n, d, h = 4096, 64, 16
    q, k, v = (normal(4, h, n, d) for _ in range(3))
    given = dict(q=q, k=k, v=v, o=zeros(*q.shape), sz=h * n * d, sh=n * d, h=h, heads=4 * h, n=n, scale=d**-0.5)
    strides = dict(qm=d, qk=1, kn=d, kk=1, vn=d, vk=1, om=d, on=1)
    return given | strides, "o", lambda: functional.scaled_dot_product_attention(q, k, v)


def softmax_in_blocks():
    x = normal(16384, 2048)
    return dict(x=x, y=zeros(*x.shape)), "y", lambda: torch.softmax(x.float(), 1).to(BF16)


def layer_norm_in_blocks():
    x, w, b = normal(16384, 2048), normal(2048), normal(2048)
    given = dict(x=x, w=w, b=b, y=zeros(*x.shape), m=16384, n=2048, eps=1e-5)
    return given, "y", lambda: functional.layer_norm(x.float(), (2048,), w.float(), b.float()).to(BF16)


def images():
    f16, channels_last = torch.float16, torch.channels_last
    x, w = normal(32, 64, 56, 56, dtype=f16), normal(64, 64, 3, 3, dtype=f16) / 20
    x, w, y = (t.to(memory_format=channels_last) for t in (x, w, zeros(32, 64, 56, 56, dtype=f16)))
    given = dict(x=x, w=w, y=y, batch=32, channels=64, height=56, width=56, features=64)
    given |= strides("xb xc xh xw wf wc wh ww yb yf yh yw", x, w, y)
    return given, "y", lambda: functional.conv2d(x, w, padding=1)


def gradients_of_gates():
    steps, d = 2048, 16384
    g, h, dh = uniform(steps, d), normal(steps, d, dtype=F32), normal(steps, d, dtype=F32)
    given = dict(g=g, h=h, dh=dh, dx=zeros(steps, d, dtype=F32), dg=zeros(steps, d, dtype=F32), steps=steps, d=d)

    def formula():
        dx = torch.empty_like(dh)
        total = torch.zeros_like(dh[0])
        for t in range(steps - 1, -1, -1):
            total = total + dh[t]
            dx[t] = total
            total = total * g[t]
        return dx, torch.cat([torch.zeros_like(h[:1]), dx[1:] * h[:-1]])

    return given, "dx dg", formula


def last_part():
    m, n, k, f16 = 4096, 4096, 4090, torch.float16
    a, b = normal(m, k, dtype=f16), normal(k, n, dtype=f16)
    given = dict(a=a, b=b, c=zeros(m, n, dtype=f16), m=m, n=n, k=k, am=k, ak=1, bk=n, bn=1, cm=n, cn=1)
    return given, "c", lambda: a @ b


def few_rows():
    f16 = torch.float16
    a, codes = normal(16, 8192, dtype=f16), torch.randint(-128, 128, (8192, 8192), device="cuda", dtype=torch.int8)
    scale = (uniform(8192) * 0.01).to(f16)
    w = codes.to(f16) * scale
    return dict(a=a, b=codes, scale=scale, c=zeros(16, 8192, dtype=f16)), "c", lambda: a @ w


def wrapped():
    return by_positions()


def written_out():
    a, b = normal(8192, 512), normal(512, 8192)
    return dict(a=a, b=b, c=zeros(8192, 8192)), "c", lambda: a @ b


def pixels():
    x, f = normal(32, 64, 64, 128), normal(3, 3, 128, 128)
    image, places = x.permute(0, 3, 1, 2), f.permute(3, 2, 0, 1).contiguous(memory_format=torch.channels_last)
    formula = lambda: functional.conv2d(image, places, padding=1).permute(0, 2, 3, 1)
    return dict(x=x, f=f, y=zeros(*x.shape)), "y", formula


def pixels_written_out():
    return pixels()


def of_experts():
    """Rows for each of eight experts, in blocks of 128; numbers of no row fill the last block of each."""
    tokens, top, experts, n, k = 4096, 2, 8, 7168, 4096
    a, b = normal(tokens, k), normal(experts, n, k)
    expert = torch.stack([torch.randperm(experts, device="cuda")[:top] for _ in range(tokens)]).flatten()
    rows, blocks = tokens * top, []
    for one in range(experts):
        own = (expert == one).nonzero().flatten()
        blocks.append(functional.pad(own, (0, -len(own) % 128), value=rows))
    owner = torch.cat([torch.full((len(own) // 128,), one, device="cuda") for one, own in enumerate(blocks)])
    order = torch.cat(blocks).to(torch.int32)

    def formula():
        c = torch.empty(rows, n, device="cuda", dtype=BF16)
        for one, own in enumerate(blocks):
            own = own[own < rows]
            c[own] = a[own // top] @ b[one].T
        return c

    lists = dict(sorted=order, experts=owner.to(torch.int32), padded=whole(1, 1) + len(order))
    return a, b, zeros(rows, n), lists, formula


def fused_moe():
    a, b, c, lists, formula = of_experts()
    (_, n, k), em = b.shape, len(lists["sorted"])
    strides = dict(stride_am=k, stride_ak=1, stride_be=n * k, stride_bk=1, stride_bn=k, stride_cm=n, stride_cn=1)
    return dict(a=a, b=b, c=c, n=n, k=k, em=em, num_valid=len(c), top_k=2) | lists | strides, "c", formula


def moe_of_tensors():
    a, b, c, lists, formula = of_experts()
    return dict(a=a, b=b, c=c, top_k=2) | lists, "c", formula


def persistent_by_pointers():
    a, b, s = normal(4096, 4096), normal(4096, 4096), 4096
    given = dict(a=a, b=b, c=zeros(s, s), m=s, n=s, k=s)
    return given | dict(sam=s, sak=1, sbk=s, sbn=1, scm=s, scn=1), "c", lambda: a @ b


def fp8_blocks():
    s = 4096
    a, b, blocks = normal(s, s).to(FP8), normal(s, s).to(FP8), s // 128
    a_scale, b_scale = uniform(s, blocks) + 0.5, uniform(blocks, blocks) + 0.5
    given = dict(a=a, b=b, c=zeros(s, s), a_scale=a_scale, b_scale=b_scale, m=s, n=s, k=s)
    strides = dict(sam=s, sak=1, sbk=1, sbn=s, scm=s, scn=1, sasm=blocks, sask=1, sbsk=1, sbsn=blocks)

    def formula():
        left = a.float().view(s, blocks, 128) * a_scale[..., None]
        right = b.float().view(blocks, 128, blocks, 128) * b_scale[:, None, :, None]
        return (left.view(s, s) @ right.view(s, s).T).to(BF16)

    return given | strides, "c", formula


def gptq_by_pointers():
    m, n, k, group = 64, 8192, 8192, 128
    words = lambda *shape: torch.randint(-(2**31), 2**31, shape, device="cuda", dtype=torch.int64).int()
    a, b, scales, zero = normal(m, k), words(k // 8, n), uniform(k // group, n).to(BF16), words(k // group, n // 8)
    given = dict(a=a, b=b, c=zeros(m, n), scales=scales, zeros_ptr=zero, m=m, n=n, k=k, sam=k, sbk=n, scm=n, ssc=n, szr=n // 8)
    shift = 4 * torch.arange(8, device="cuda", dtype=torch.int32)

    def formula():
        code = ((b[:, None, :] >> shift[None, :, None]) & 15).flatten(0, 1)
        of_zero = ((zero[:, :, None] >> shift) & 15).flatten(1, 2) + 1
        apart = (code.view(k // group, group, n) - of_zero[:, None, :]).float() * scales.float()[:, None, :]
        return a @ apart.view(k, n).to(BF16)

    return given, "c", formula


def softmax_over_rows():
    x = normal(32768, 1000)
    given = dict(x=x, y=zeros(*x.shape), x_stride=1000, y_stride=1000, rows=32768, columns=1000, programs=528)
    return given, "y", lambda: torch.softmax(x.float(), 1).to(BF16)


def norm_backward():
    x, dy, w, programs = normal(16384, 2048), normal(16384, 2048), normal(2048), 132
    r = torch.rsqrt(x.float().square().mean(1) + 1e-6)
    given = dict(x=x, dy=dy, w=w, r=r, dx=zeros(*x.shape), dw=zeros(programs, 2048, dtype=F32), rows=16384, n=2048)

    def formula():
        v, d = x.float() * r[:, None], dy.float()
        m = d * w.float()
        return ((m - v * (m * v).mean(1, keepdim=True)) * r[:, None]).to(BF16)

    return given | dict(per_program=-(-16384 // programs), programs=programs), "dx", formula


def cross_entropy_in_place():
    x, label = normal(2048, 32000), whole(32000, 2048).long()
    logits = x.clone()
    given = dict(x=x, y=label, loss=zeros(2048, dtype=F32), stride=32000, n_cols=32000, n=1.0, rows=2048)
    return given, "loss", lambda: functional.cross_entropy(logits.float(), label, reduction="none")


def chunks():
    """Sizes and what Mamba's kernels of chunks have in common: decays and steps of each chunk."""
    b, length, h, d, n, chunk = 8, 4096, 64, 64, 128, 256
    count = length // chunk
    steps, decay = uniform(b, h, count, chunk), -0.01 * uniform(b, h, count, chunk).cumsum(-1)
    sizes = dict(batch=b, seqlen=length, heads=h, hdim=d, dstate=n, chunk_size=chunk, ratio=h)
    return (b, length, h, d, n, chunk, count), steps, decay, sizes


def strides(names, *tensors):
    """The strides of tensors, by the names of parameters in the order of their dimensions."""
    return dict(zip(names.split(), [step for tensor in tensors for step in tensor.stride()]))


def chunk_state_by_strides():
    (b, length, h, d, n, chunk, count), dt, da, sizes = chunks()
    x, right = normal(b, length, h, d), normal(b, length, 1, n)
    states = zeros(b, count, h, d, n)
    of_chunks = [t.transpose(1, 2) for t in (dt, da)]
    names = "sxb sxs sxh sxd sbb sbs sbh sbd ssb ssc ssh ssd ssn sdb sdc sdh sds sab sac sah sas"
    given = dict(x=x, b=right, states=states, dt=dt, da=da) | sizes | strides(names, x, right, states, *of_chunks)

    def formula():
        p, steps = of_chunks[1], of_chunks[0]
        scale = torch.exp(p[..., -1:] - p) * steps
        scaled = (right.view(b, count, 1, chunk, n) * scale[..., None]).to(BF16)
        return x.view(b, count, chunk, h, d).permute(0, 1, 3, 4, 2) @ scaled

    return given, "states", formula


def chunk_scan_by_strides():
    (b, length, h, d, n, chunk, count), dt, da, sizes = chunks()
    cb, x, c, prev = normal(b, count, 1, chunk, chunk), normal(b, length, h, d), normal(b, length, 1, n), normal(b, count, h, d, n)
    skip, out = uniform(h), zeros(b, length, h, d)
    of_chunks = [t.transpose(1, 2) for t in (dt, da)]
    names = (
        "scbb scbc scbh scbm scbk sxb sxs sxh sxd sob sos soh sod sdb sdc sdh sds sab sac sah sas scb scs sch scd ssb ssc ssh ssd ssn sdd"
    )
    given = dict(cb=cb, x=x, out=out, dt=dt, da=da, cc=c, prev=prev, d=skip) | sizes
    given |= strides(names, cb, x, out, *of_chunks, c, prev, skip)

    def formula():
        p, steps = of_chunks[1], of_chunks[0]
        weights = cb.float() * torch.exp((p[..., :, None] - p[..., None, :]).clamp(max=0)) * steps[..., None, :]
        rows = x.view(b, count, chunk, h, d).transpose(2, 3)
        inside = weights.tril().to(BF16) @ rows
        before = (c.view(b, count, 1, chunk, n) @ prev.transpose(-1, -2)) * torch.exp(p)[..., None]
        whole = inside + before + rows * skip[None, None, :, None, None]
        return whole.transpose(2, 3).reshape(b, length, h, d).to(BF16)

    return given, "out", formula


def causal_convolution():
    b, length, dim = 8, 4096, 4096
    x, w, bias, y = normal(b, length, dim), normal(dim, 4), normal(dim), zeros(b, length, dim)
    given = dict(x=x, w=w, b=bias, y=y, batch=b, len=length, dim=dim) | strides("sxb sxl sxd syb syl syd swd sww", x, y, w)

    def formula():
        before = functional.pad(x, (0, 0, 3, 0)).float()
        whole = bias.float() + sum(before[:, step : step + length] * w[:, step].float() for step in range(4))
        return functional.silu(whole).to(BF16)

    return given, "y", formula


def quantised_cache():
    tokens, heads, dim = 65536, 8, 128
    k, dest = normal(tokens, heads, dim).half(), torch.randperm(tokens, device="cuda").int()
    out, scale = zeros(tokens, heads, dim, dtype=torch.int8), zeros(tokens, heads, 1, dtype=torch.float16)
    given = dict(k=k, dest=dest, out=out, out_scale=scale, heads=heads, tokens=tokens)
    given |= strides("sk skh skd so soh sod ss ssh", k, out, scale)

    def formula():
        of_rows = (k.float().abs().amax(-1, keepdim=True) / 127).half()
        narrow = (k.float() / of_rows.float()).to(torch.int8)
        return torch.empty_like(out).index_copy(0, dest.long(), narrow), torch.empty_like(scale).index_copy(0, dest.long(), of_rows)

    return given, "out out_scale", formula


def group_norm_in_blocks():
    rows, groups, hidden, per_group = 256, 32, 16384, 4
    x, w, b = normal(rows, groups, hidden), normal(groups * per_group), normal(groups * per_group)
    y, mean, rstd = zeros(*x.shape), zeros(rows, groups, dtype=F32), zeros(rows, groups, dtype=F32)
    given = dict(y=y, x=x, mean=mean, rstd=rstd, w=w, b=b, hidden=hidden, per_group=per_group, eps=1e-5, rows=rows, groups=groups)
    given |= strides("sy syc _ sx sxc _ sm smc sr src", y, x, mean, rstd)
    whole = x.view(rows, groups * per_group, -1)
    return given, "y", lambda: functional.group_norm(whole, groups, w, b).view_as(x)


def logits():
    x, w = normal(4096, 768), normal(50257, 768)
    return dict(x=x, w=w, y=zeros(4096, 50257)), "y", lambda: x @ w.T


def block_scores():
    heads, share, d, length, keys = 16, 4, 128, 8192, 510
    q, k = normal(length, heads, d), normal(keys, heads // share, d)
    lse = normal(heads, length, dtype=F32) + 8
    starts = torch.tensor([0, length], device="cuda", dtype=torch.int32)
    key_starts = torch.tensor([0, keys], device="cuda", dtype=torch.int32)
    s = zeros(heads // share, length, keys, dtype=F32)
    given = dict(q=q, k=k, lse=lse, s=s, kernel_size=32, kernel_stride=16, cu_q=starts, cu_k=key_starts, kv_heads=heads // share, share=share, sm_scale=d**-0.5)
    given |= strides("stride_qn stride_qh stride_qd stride_kn stride_kh stride_kd stride_lh stride_ln stride_sh stride_sq stride_sk", q, k, lse, s)

    def formula():
        scores = torch.einsum("qghd,kgd->ghqk", q.view(length, heads // share, share, d).float(), k.float()) * (d**-0.5 * 1.44269504)
        seen = torch.arange(length, device="cuda")[:, None] >= torch.arange(keys, device="cuda") * 16 + 31
        return torch.where(seen, torch.exp2(scores - lse.view(heads // share, share, length)[..., None]), 0.0).sum(1)

    return given | dict(longest_q=length, longest_k=keys, batch=1), "s", formula


def groups_of_weights():
    m, n, k = 16, 8192, 8192
    f16 = torch.float16
    a, codes = normal(m, k, dtype=f16), torch.randint(-(2**31), 2**31 - 1, (k // 8, n), device="cuda").int()
    scales, offsets = (uniform(k // 128, n) * 0.01).to(f16), (normal(k // 128, n) * 0.1).to(f16)
    shifts = torch.arange(0, 32, 4, device="cuda", dtype=torch.int32)[:, None]
    numbers = ((codes[:, None] >> shifts) & 15).reshape(k, n).to(f16)
    w = torch.addcmul(offsets.repeat_interleave(128, 0), numbers, scales.repeat_interleave(128, 0))
    c = zeros(m, n, dtype=f16)
    given = dict(a=a, b=codes, c=c, scales=scales, zeros_=offsets, m=m, n=n, k=k)
    given |= strides("stride_am stride_ak stride_bk stride_bn stride_cm stride_cn stride_mg stride_mn", a, codes, c, scales)
    return given, "c", lambda: a @ w


def weighted_rows():
    sequences, heads, length, d = 32, 32, 2048, 128
    scores, v = normal(heads, sequences, length, dtype=F32), normal(sequences * length, heads, d, dtype=torch.float16)
    rows = torch.randperm(sequences * length, device="cuda").int().view(sequences, length)

    def formula():
        weights = torch.softmax(scores, 2).transpose(0, 1)[:, :, None].half()
        return (weights @ v[rows.long()].transpose(1, 2))[:, :, 0]

    given = dict(scores=scores, v=v, rows=rows, y=zeros(sequences, heads, d, dtype=torch.float16))
    return given | dict(length=length, sequences=sequences, heads=heads), "y", formula


def tanh_gradients():
    m, n, programs = 8192, 4096, 132
    dy, x, alpha, g = normal(m, n), normal(m, n), normal(1), normal(n)
    sums = dict(da=zeros(programs, n // 2048, dtype=F32), dg=zeros(programs, n, dtype=F32), db=zeros(programs, n, dtype=F32))

    def formula():
        t = torch.tanh(alpha.float() * x.float())
        return (alpha.float() * (1 - t * t) * dy.float() * g.float()).to(BF16)

    return dict(dy=dy, x=x, alpha=alpha, g=g, dx=zeros(m, n), m=m, n=n, programs=programs) | sums, "dx", formula


def suppress():
    count = 4096
    corner = torch.rand(count, 2, device="cuda") * 100
    low, high = corner, corner + torch.rand(count, 2, device="cuda") * 20
    shared = (torch.minimum(high[:, None], high) - torch.maximum(low[:, None], low)).clamp(min=0).prod(2)
    area = (high - low).prod(1)
    overlaps = shared / (area[:, None] + area - shared) > 0.3

    def formula():
        keep = torch.ones(count, device="cuda", dtype=torch.bool)
        later = torch.triu(overlaps, 1).cpu()
        kept = keep.cpu()
        for box in range(count):
            if kept[box]:
                kept &= ~later[box]
        return kept.cuda()

    return dict(overlaps=overlaps, keep=torch.ones(count, device="cuda", dtype=torch.bool), count=count), "keep", formula


def in_parts():
    m1, m2, n, k1, k2 = 2048, 2048, 4096, 2048, 2048
    a11, a12, a21, a22 = normal(m1, k1), normal(m1, k2), normal(m2, k1), normal(m2, k2)
    b1, b2 = normal(k1, n), normal(k2, n)
    whole, both = torch.cat([torch.cat([a11, a12], 1), torch.cat([a21, a22], 1)]), torch.cat([b1, b2])
    c1, c2 = zeros(m1, n), zeros(m2, n)
    given = dict(a11=a11, a12=a12, a21=a21, a22=a22, b1=b1, b2=b2, c1=c1, c2=c2, m1=m1, m2=m2, n=n, k1=k1, k2=k2)
    given |= strides("am1 ak1", a11) | strides("am2 ak2", a12) | strides("bk bn", b1) | dict(cm=n, cn1=1, cn2=1)
    return given, "c1 c2", lambda: torch.mm(whole, both).split([m1, m2])


CASES = [
    small_softmax, rope_qk_norm, swiglu_backward, adamw, embedding_backward, cumsum_rows, cumsum_columns, group_quant, jsd, softmax_axis0,
    max_pool, top_p, bilinear, masked_mean, conv_update, group_norm, solve_tril, gae,
    tutorial_matmul, complex_matmul, norm_matmul, few_features, two_layers, viterbi,
    blur, edges, laplace, depthwise, quantize_rows, grey,
    rotate_pairs, multiply_complex, by_positions, all_strides, persistent_by_pointers, fused_moe, moe_of_tensors, fp8_blocks, gptq_by_pointers, attention_by_pointers, softmax_in_blocks, layer_norm_in_blocks, softmax_over_rows, norm_backward, cross_entropy_in_place, chunk_state_by_strides, chunk_scan_by_strides, causal_convolution, quantised_cache, group_norm_in_blocks, logits, block_scores, groups_of_weights, stored_by_columns, two_matrices, rows_shared_out, decayed_blocks, chosen_blocks, images, gradients_of_gates, last_part, few_rows, wrapped, written_out, pixels, pixels_written_out, weighted_rows, tanh_gradients, suppress, in_parts,
]  # fmt: skip
# Formulas that are a loop of a thousand steps, which PyTorch unrolls, or that nothing is compiled of.
NOT_COMPILED = {"fused_moe", "moe_of_tensors", "gae", "solve_tril", "viterbi", "multiply_complex", "gradients_of_gates", "suppress"}
NOT_TIMED = {"gae", "gradients_of_gates", "suppress"}


def difference(found, wanted):
    """Relative to the norm, over what is allowed."""
    off = (found.double() - wanted.double()).norm() / wanted.double().norm()
    return off.item() / LIMITS[found.dtype]


def run(case, directory, timer, samples):
    """Prints the line of a kernel; whether it is right."""
    name = case.__name__
    given, outputs, formula = case()
    launch = Launch(directory / f"{name}.ptx", **given)
    launch()
    wanted = formula()
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    worst = max(difference(given[output], of) for output, of in zip(outputs.split(), wanted))
    launches = {"ours": launch}
    if name not in NOT_TIMED:
        launches["PyTorch"] = formula
    if name not in NOT_COMPILED:
        launches["compiled"] = torch.compile(formula)
    # Half of the bytes are read and as many written.
    size = sum(tensor.nbytes for tensor in given.values() if torch.is_tensor(tensor)) // 2
    source, target = (torch.empty(size, dtype=torch.uint8, device="cuda") for _ in range(2))
    launches["copy"] = lambda: target.copy_(source)
    times = timer.together(launches, samples)
    ours = times.pop("ours")
    ratios = "  ".join(f"{other} {time / ours:6.2f}" for other, time in times.items())
    print(f"{name:20} {1000 * ours:8.1f} us  {ratios}{'' if worst <= 1 else f'  WRONG: {worst:.1f} of what is allowed'}", flush=True)
    return worst <= 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="NAME", help="only this kernel")
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    cases = [case for case in CASES if options.only in (None, case.__name__)]
    if not cases or not torch.cuda.is_available():
        print("nothing to run", file=sys.stderr)
        return 2
    torch.manual_seed(0)
    print(torch.cuda.get_device_name(), f"PyTorch {torch.__version__}")
    timer = Timer()
    right = [run(case, options.directory, timer, options.samples) for case in cases]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
