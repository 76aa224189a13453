"""Attention, with gradients: `06_attention.tile`, `23_attention_backward.tile` and `26_attention_varlen.tile`."""

import tile

from ._kernels import kernels

# Tiles that are fastest on an H100, by the width of a head: forward, gradient of the queries, gradients of keys and values.
_TILES = {
    64: ((128, 128), (128, 128), (64, 64)),
    128: ((128, 128), (128, 64), (64, 128)),
}
# What stores whole boxes by TMA shares a multiprocessor with another such program by these.
_TILES_OF_BOXES = {64: (128, 64)}
# The same of elements of 16 bits on Hopper, by whether a query sees all keys: three warpgroups, or two of wide heads.
_TILES_OF_HOPPER = {
    64: {False: (192, 128), True: (128, 128)},
    96: {False: (128, 128), True: (128, 128)},
    192: {False: (128, 80), True: (128, 80)},
    256: {False: (128, 80), True: (128, 80)},
}
# Any width fits these.
_SMALL = ((64, 32), (32, 32), (32, 32))
_WIDTHS = (16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256)


# How each kind is named, where its kernels are, and what they take besides.
_DENSE = ("attention", "06_attention.tile", "23_attention_backward.tile", ())
_VARLEN = ("attention_varlen", "26_attention_varlen.tile", "26_attention_varlen.tile", ("cu_seqlens_q", "cu_seqlens_k", "longest"))
_MADE = {}


def _operator(kind, width, causal, is_hopper=False):
    """The operator of a kind for a width, which is made once."""
    # In a graph of any sizes the width is a number none the less: kernels are compiled for it.
    width = next((known for known in _WIDTHS if width == known), width)
    key = (kind, width, causal, is_hopper and kind is _DENSE and width in _TILES_OF_HOPPER)
    if key not in _MADE:
        _MADE[key] = _made(*kind, *key[1:])
    return _MADE[key]


def _made(name, forward, backward, ends, width, causal, is_hopper):
    of_forward, of_queries, of_keys = _TILES.get(width, _SMALL)
    if not ends:
        of_forward = _TILES_OF_BOXES.get(width, of_forward)
    if is_hopper:
        of_forward = _TILES_OF_HOPPER[width][causal]
    backward = kernels(backward)
    suffix = f"{width}{'_causal' if causal else ''}{'_hopper' if is_hopper else ''}"

    def operator(kernel, of, outputs, tile_size, **more):
        bm, bn = tile_size
        return tile.torch_op(kernel, f"{name}{of}_{suffix}", outputs=outputs, D=width, CAUSAL=causal, BM=bm, BN=bn, **more)

    delta = tile.torch_op(backward.delta, f"{name}_delta_{suffix}", outputs=["delta"], D=width)
    queries = operator(backward.gradient_of_queries, "_dq", ["dq"], of_queries)
    keys = operator(backward.gradient_of_keys, "_dk_dv", ["dk", "dv"], of_keys)

    def gradients(saved, dy, _):
        q, k, v, lse, *rest = (saved[name] for name in ("q", "k", "v", "lse", *ends))
        sums = delta(saved["o"], dy)
        dk, dv = keys(q, k, v, dy, lse, sums, *rest)
        return {"q": queries(q, k, v, dy, lse, sums, *rest), "k": dk, "v": dv}

    return operator(getattr(kernels(forward), name), "", ["o", "lse"], of_forward, backward=gradients)


def _check_heads(q, k, heads, key_heads):
    if heads % key_heads:
        raise ValueError(f"queries of shape {tuple(q.shape)} cannot share keys of shape {tuple(k.shape)}")


def attention(q, k, v, causal=False):
    """softmax(q kᵀ / √D) v of tensors [..., heads, m, D], [..., key_heads, n, D] and [..., key_heads, n, D], in f16, bf16 or f32.

    With `causal` a query sees the keys up to its own position, where the last query belongs to the last key (m ≤ n).
    Heads of the keys may be fewer than those of the queries, by a whole factor: neighbours share one.
    torch.compile knows it for D of 64 and 128, and for others after a call outside of it.
    """
    *batch, m, width = q.shape
    *others, n, _ = k.shape
    if others != batch:
        if others[:-1] != batch[:-1]:
            raise ValueError(f"queries of shape {tuple(q.shape)} cannot share keys of shape {tuple(k.shape)}")
        _check_heads(q, k, batch[-1], others[-1])
    if _is_by_token(q, k, v):
        return _by_token(q, k, v, causal)
    heads = [one.reshape(-1, size, width).contiguous() for one, size in ((q, m), (k, n), (v, n))]
    o, _ = _operator(_DENSE, width, causal, _is_hopper(q))(*heads)
    return o.reshape(*batch, m, width)


def _is_hopper(q):
    """Whether these are elements of 16 bits on such a GPU: wider ones need more shared memory than there is, as others have less."""
    import torch

    return q.element_size() == 2 and q.is_cuda and torch.cuda.get_device_properties(q.device).major == 9


def _has_gradients(*tensors):
    import torch

    return torch.is_grad_enabled() and any(one.requires_grad for one in tensors)


def _is_by_token(*tensors):
    """Whether these are [batch, heads, tokens, D] whose memory has a token's heads beside each other, as projections of several heads
    give them. With gradients a copy is cheaper: those of the keys are slower by tokens."""
    if _has_gradients(*tensors):
        return False
    return all(one.dim() == 4 and not one.is_contiguous() and one.transpose(1, 2).is_contiguous() for one in tensors)


def _by_token(q, k, v, causal):
    """Attention of tensors that would have to be copied: their memory is that of sequences one after the other."""
    import torch

    batch, heads, m, width = q.shape
    n = k.shape[2]
    tokens = [one.transpose(1, 2).reshape(-1, one.shape[1], width) for one in (q, k, v)]
    # Not kept from call to call: they may be of a graph's own memory, or of a graph that is traced.
    ends_q, ends_k = (torch.arange(0, (batch + 1) * size, size, dtype=torch.int32, device=q.device) for size in (m, n))
    o = attention_varlen(*tokens, ends_q, ends_k, m, n, causal)
    return o.reshape(batch, m, heads, width).transpose(1, 2)


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, causal=False):
    """Attention of sequences of different lengths, one after the other in tensors [tokens, heads, D].

    Sequence `s` has the queries from `cu_seqlens_q[s]` up to `cu_seqlens_q[s + 1]`, an `int32` tensor on the same device,
    and keys and values likewise; `max_seqlen_q` and `max_seqlen_k` are the most of a sequence, or more. Heads may be
    shared and `causal` means what it does in `attention`; a query that sees no key gets zeros.
    """
    _check_heads(q, k, q.shape[1], k.shape[1])
    # One number serves the grids of all kernels; without gradients there is only that over the queries.
    longest = max(max_seqlen_q, max_seqlen_k) if _has_gradients(q, k, v) else max_seqlen_q
    o, _ = _operator(_VARLEN, q.shape[-1], causal)(q, k, v, cu_seqlens_q, cu_seqlens_k, longest)
    return o


# A graph that is traced finds operators, and cannot make them.
for _kind in (_DENSE, _VARLEN):
    for _width in _TILES:
        for _causal in (False, True):
            for _hopper in (False, True):
                _operator(_kind, _width, _causal, _hopper)
