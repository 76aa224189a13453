"""Attention, with gradients: `06_attention.tile` and `23_attention_backward.tile`."""

import tile

from ._kernels import kernels

# Tiles that are fastest on an H100, by the width of a head: forward, gradient of the queries, gradients of keys and values.
_TILES = {
    64: ((128, 128), (128, 128), (64, 64)),
    128: ((128, 128), (128, 64), (64, 128)),
}
# Any width fits these.
_SMALL = ((64, 32), (32, 32), (32, 32))
_WIDTHS = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256)


_OPERATORS = {}


def _made(width, causal):
    (bm, bn), of_queries, of_keys = _TILES.get(width, _SMALL)
    backward = kernels("23_attention_backward.tile")
    suffix = f"{width}_causal" if causal else str(width)
    both = {"D": width, "CAUSAL": causal}
    delta = tile.torch_op(backward.delta, f"attention_delta_{suffix}", outputs=["delta"], D=width)
    queries = tile.torch_op(
        backward.gradient_of_queries, f"attention_dq_{suffix}", outputs=["dq"], BM=of_queries[0], BN=of_queries[1], **both
    )
    keys = tile.torch_op(
        backward.gradient_of_keys, f"attention_dk_dv_{suffix}", outputs=["dk", "dv"], BM=of_keys[0], BN=of_keys[1], **both
    )

    def gradients(saved, dy, _):
        q, k, v, lse = (saved[name] for name in ("q", "k", "v", "lse"))
        sums = delta(saved["o"], dy)
        dk, dv = keys(q, k, v, dy, lse, sums)
        return {"q": queries(q, k, v, dy, lse, sums), "k": dk, "v": dv}

    forward = kernels("06_attention.tile").attention
    return tile.torch_op(forward, f"attention_{suffix}", outputs=["o", "lse"], backward=gradients, BM=bm, BN=bn, **both)


def attention(q, k, v, causal=False):
    """softmax(q kᵀ / √D) v of tensors [..., m, D], [..., n, D] and [..., n, D], in f16, bf16 or f32.

    With `causal` a query sees the keys up to its own position, where the last query belongs to the last key (m ≤ n).
    Heads of the keys may be fewer than those of the queries, by a whole factor: neighbours share one.
    torch.compile knows it for D of 64 and 128, and for others after a call outside of it.
    """
    *batch, m, width = q.shape
    groups = 1
    if k.shape[:-2] != q.shape[:-2]:
        groups, rest = divmod(q.shape[-3], k.shape[-3])
        if rest or k.shape[:-3] != q.shape[:-3]:
            raise ValueError(f"queries of shape {tuple(q.shape)} cannot share keys of shape {tuple(k.shape)}")
        k, v = k.repeat_interleave(groups, -3), v.repeat_interleave(groups, -3)
    n = k.shape[-2]
    heads = [one.reshape(-1, size, width) for one, size in ((q, m), (k, n), (v, n))]
    # In a graph of any sizes the width is a number none the less: kernels are compiled for it.
    width = next((known for known in _WIDTHS if width == known), width)
    if (width, causal) not in _OPERATORS:
        _OPERATORS[width, causal] = _made(width, causal)
    o, _ = _OPERATORS[width, causal](*heads)
    return o.reshape(*batch, m, width)


# A graph that is traced finds operators, and cannot make them.
for _width in _TILES:
    for _causal in (False, True):
        _OPERATORS[_width, _causal] = _made(_width, _causal)
