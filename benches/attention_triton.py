"""Attention as one writes it in Triton, for the column beside cuDNN: tensor maps, a loop without masks and one with them.

`runs` gives a launch for each setting of tiles, warps and stages; without Triton, or for a width that is no power of two, none.
"""

try:
    import triton
    import triton.language as tl
    from triton.tools.tensor_descriptor import TensorDescriptor
except ImportError:
    triton = None

LOG2_E = 1.4426950408889634
# BM, BN, warps, stages.
SETTINGS = {
    64: [(128, 128, 8, 2), (128, 128, 8, 3), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3)],
    128: [(128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 8, 2), (64, 64, 4, 3)],
    256: [(128, 64, 8, 2), (64, 64, 4, 2), (64, 32, 4, 3)],
}

if triton is not None:

    @triton.jit
    def span(
        query, k, v, acc, total, largest, head, first, last, n, i, scale,
        MASKED: tl.constexpr, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
    ):  # fmt: skip
        """The keys from `first` to `last`."""
        for j in tl.range(first, last, BN):
            keys = k.load([head, j, 0]).reshape(BN, D)
            scores = tl.dot(query, keys.T)
            if MASKED:
                key = (j + tl.arange(0, BN))[None, :]
                seen = key < n
                if CAUSAL:
                    seen = seen & (key <= (i + tl.arange(0, BM))[:, None])
                scores = tl.where(seen, scores, float("-inf"))
            new = tl.maximum(largest, tl.max(scores, 1) * scale)
            powers = tl.exp2(scores * scale - new[:, None])
            shrink = tl.exp2(largest - new)
            total = total * shrink + tl.sum(powers, 1)
            values = v.load([head, j, 0]).reshape(BN, D)
            acc = tl.dot(powers.to(values.dtype), values, acc * shrink[:, None])
            largest = new
        return acc, total, largest

    @triton.jit(do_not_specialize=["n"])
    def forward(q, k, v, o, lse, n, scale, CAUSAL: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
        # The longest programs of a causal kernel first.
        block = tl.num_programs(0) - 1 - tl.program_id(0) if CAUSAL else tl.program_id(0)
        head, i = tl.program_id(1), block * BM
        query = q.load([head, i, 0]).reshape(BM, D)
        acc = tl.zeros([BM, D], tl.float32)
        total = tl.zeros([BM], tl.float32)
        largest = tl.full([BM], float("-inf"), tl.float32)
        end = tl.minimum(n, i + BM) if CAUSAL else n
        whole = (i if CAUSAL else n) // BN * BN
        acc, total, largest = span(query, k, v, acc, total, largest, head, 0, whole, n, i, scale, False, CAUSAL, BM, BN, D)
        acc, total, largest = span(query, k, v, acc, total, largest, head, whole, end, n, i, scale, True, CAUSAL, BM, BN, D)
        row = i + tl.arange(0, BM)
        tl.store(lse + head * n + row, largest + tl.log2(total), mask=row < n)
        o.store([head, i, 0], (acc / total[:, None]).to(o.dtype).reshape(1, BM, D))


def runs(q, k, v, o, lse, causal):
    """A launch by the name of its setting."""
    heads, n, width = q.shape
    launches = {}
    for bm, bn, warps, stages in SETTINGS.get(width, []) if triton is not None else []:
        maps = [TensorDescriptor.from_tensor(tensor, [1, rows, width]) for tensor, rows in ((q, bm), (k, bn), (v, bn), (o, bm))]

        def launch(maps=maps, bm=bm, bn=bn, warps=warps, stages=stages):
            scale = width**-0.5 * LOG2_E
            forward[(triton.cdiv(n, bm), heads)](*maps, lse, n, scale, causal, bm, bn, width, num_warps=warps, num_stages=stages)

        launches[f"{bm}x{bn}, {warps} warps, {stages} stages"] = launch
    return launches
