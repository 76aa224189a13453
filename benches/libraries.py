"""The same loops by public libraries: a function for each kernel of `loops.py` that one of them has.

It takes what our kernel is given and its shape, and returns by setting: a launch, what gives its result, and the name of
our tensor that this is held against, or none. The best of the settings counts; a library that tunes itself does so at its
first launch. What a library wants in another order is put there before anything is timed.

Versions that were timed: liger-kernel 0.8, fla-core 0.6, vllm 0.33, sglang 0.5, cut-cross-entropy 25.1.
"""

import itertools

import torch

from attention import LOG2_E


def settings(**choices):
    """Every combination of some choices, by its name."""
    for values in itertools.product(*choices.values()):
        yield " ".join(map(str, values)), dict(zip(choices, values))


def cross_entropy_in_place(given, *shape):
    from liger_kernel.ops.cross_entropy import MAX_FUSED_SIZE, liger_cross_entropy_kernel

    logits, labels, loss = given["logits"], given["labels"], given["loss"]
    rows, words = logits.shape
    counted = int((labels != given["ignore"]).sum())
    block = min(MAX_FUSED_SIZE, 1 << (words - 1).bit_length())
    of = {"loss_ptr": loss, "z_loss_ptr": None, "loss_stride": 1, "token_accuracy_ptr": None, "token_accuracy_stride": 0}
    of |= {"predicted_tokens_ptr": None, "predicted_tokens_stride": 0, "n_cols": words, "n_non_ignore": counted}
    of |= {"sum_non_ignore_weight": counted, "weight_sum": 0.0, "ignore_index": given["ignore"], "lse_square_scale": 0.0}
    of |= {"label_smoothing": 0.0, "reduction": "sum", "softcap": None, "RETURN_Z_LOSS": False, "RETURN_TOKEN_ACCURACY": False}
    of |= {"RETURN_PREDICTED_TOKENS": False, "BLOCK_SIZE": block, "HAS_WEIGHT": False, "HAS_SOFTCAPPING": False, "HAS_GRADIENTS": True}
    kernel = liger_cross_entropy_kernel[(rows,)]
    # It overwrites what it reads, so there is nothing to hold against ours.
    return {"32 warps": (lambda: kernel(logits, words, labels, 1, None, **of, num_warps=32), None, None)}


def of_heads(tensor):
    """Of `[heads, t, …]`, as `[1, t, heads, …]`."""
    return tensor.transpose(0, 1).contiguous()[None]


def chunk_output(given, *shape):
    from fla.ops.common.chunk_o import chunk_fwd_o

    q, k, v, states = (of_heads(given[name]) for name in ("q", "k", "v", "states"))
    run = lambda: chunk_fwd_o(q, k, v, states, scale=given["scale"], chunk_size=64)
    return {"tuned": (run, lambda: run()[0].transpose(0, 1), "o")}


def delta_state(given, *shape):
    from fla.ops.common.chunk_delta_h import chunk_gated_delta_rule_fwd_h

    k, w, u, g = (of_heads(given[name]) for name in ("k", "w", "u", "g"))
    # Their decay is a power of two.
    g = g * LOG2_E
    run = lambda: chunk_gated_delta_rule_fwd_h(k, w, u, g, chunk_size=64)
    return {"tuned": (run, lambda: run()[1][0].transpose(0, 1), "new")}


def chunk_scan(given, *shape):
    from vllm.model_executor.layers.mamba.ops.ssd_bmm import _bmm_chunk_fwd
    from vllm.model_executor.layers.mamba.ops.ssd_chunk_scan import _chunk_scan_fwd

    x, b, c, h, chunk = given["x"].flatten(0, 1), given["b"].flatten(0, 1), given["c"].flatten(0, 1), given["h"].flatten(0, 1), given["chunk"]
    t, heads = x.shape[:2]
    dt, cum = (given[name].transpose(0, 1).reshape(heads, -1, chunk).contiguous() for name in ("dt", "cum"))
    starts = torch.arange(0, t + 1, chunk, device="cuda", dtype=torch.int32)
    sequence = torch.arange(t // chunk, device="cuda", dtype=torch.int32)
    out = torch.empty_like(x)
    # Each chunk begins with its state, as ours does: each is a sequence of its own with that as what it starts from.
    b, c = b[:, None], c[:, None]

    def run():
        products = _bmm_chunk_fwd(c, b, chunk, starts, causal=True, output_dtype=torch.float32)
        _chunk_scan_fwd(products, x, dt, cum, c, h, starts, out, sequence, initial_states=h)
        return out

    return {"tuned": (run, lambda: run().view_as(given["y"]), "y")}


def scaled_fp8(given, m, n, k, block=128):
    from vllm.model_executor.layers.quantization.utils.fp8_utils import _w8a8_triton_block_scaled_mm

    a, b, sb = given["a"], given["b"], given["sb"]
    sa = given["sa"].T.contiguous()
    c = torch.empty_like(given["c"])

    def launch(BLOCK_SIZE_M, BLOCK_SIZE_N, GROUP_SIZE_M, num_warps, num_stages):
        grid = (-(-m // BLOCK_SIZE_M) * -(-n // BLOCK_SIZE_N),)
        of = dict(BLOCK_SIZE_M=BLOCK_SIZE_M, BLOCK_SIZE_N=BLOCK_SIZE_N, BLOCK_SIZE_K=block, GROUP_SIZE_M=GROUP_SIZE_M, num_warps=num_warps, num_stages=num_stages)
        strides = (*a.stride(), b.stride(1), b.stride(0), *c.stride(), *sa.stride(), sb.stride(1), sb.stride(0))

        def run():
            _w8a8_triton_block_scaled_mm[grid](a, b, c, sa, sb, m, n, k, block, block, *strides, **of)
            return c

        return run, run, "c"

    choices = settings(BLOCK_SIZE_M=[64, 128], BLOCK_SIZE_N=[128], GROUP_SIZE_M=[8, 32], num_warps=[4, 8], num_stages=[3, 4])
    return {name: launch(**of) for name, of in choices}


def experts(given, tokens, kinds, n, k, block=64, top=2, group=0):
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe.fused_moe import fused_moe_kernel

    x, weights, slots, expert = (given[name] for name in ("x", "weights", "sorted", "expert"))
    factors, sx, sw = (given.get(name) for name in ("factors", "sx", "sw"))
    count = torch.tensor([len(slots)], device="cuda", dtype=torch.int32)
    y = torch.empty_like(given["y"])
    strides = (*x.stride(), weights.stride(0), weights.stride(2), weights.stride(1), *y.stride())
    strides += (*sx.stride(), sw.stride(0), sw.stride(2), sw.stride(1), 0, 0) if group else (0,) * 7
    of = dict(BLOCK_SIZE_M=block, SPLIT_K=1, MUL_ROUTED_WEIGHT=not group, top_k=top, compute_type=tl.bfloat16, use_fp8_w8a8=bool(group), use_int8_w8a8=False)
    of |= dict(use_int8_w8a16=False, per_channel_quant=False, naive_block_assignment=False, HAS_BIAS=False, SWAP_AB=False, group_n=group, group_k=group)

    def launch(BLOCK_SIZE_N, **more):
        grid = (len(slots) // block * -(-n // BLOCK_SIZE_N),)

        def run():
            fused_moe_kernel[grid](x, weights, y, None, sx, sw, factors, slots, expert, count, n, k, len(slots), tokens * top, *strides, BLOCK_SIZE_N=BLOCK_SIZE_N, **more, **of)
            return y

        return run, run, "y"

    choices = settings(BLOCK_SIZE_N=[64, 128, 256], BLOCK_SIZE_K=[group or 64], GROUP_SIZE_M=[1, 16], num_warps=[4, 8], num_stages=[3, 4])
    return {name: launch(**of) for name, of in choices}


def experts_int4(given, tokens, kinds, n, k, block=64, top=8):
    import triton.language as tl
    from vllm.model_executor.layers.fused_moe.fused_moe import fused_moe_kernel_gptq_awq

    x, weights, scales, slots, expert = (given[name] for name in ("x", "weights", "scales", "sorted", "expert"))
    count = torch.tensor([len(slots)], device="cuda", dtype=torch.int32)
    y = torch.empty_like(given["y"])
    strides = (*x.stride(), weights.stride(0), weights.stride(2), weights.stride(1), *y.stride(), scales.stride(0), scales.stride(2), scales.stride(1), 0, 0, 0)
    of = dict(BLOCK_SIZE_M=block, SPLIT_K=1, MUL_ROUTED_WEIGHT=False, top_k=top, compute_type=tl.bfloat16, has_zp=False, use_int4_w4a16=True, use_int8_w8a16=False)

    def launch(BLOCK_SIZE_N, **more):
        grid = (len(slots) // block * -(-n // BLOCK_SIZE_N),)

        def run():
            fused_moe_kernel_gptq_awq[grid](x, weights, y, scales, None, None, slots, expert, count, n, k, len(slots), tokens * top, *strides, True, 128, BLOCK_SIZE_N=BLOCK_SIZE_N, **more, **of)
            return y

        return run, run, "y"

    choices = settings(BLOCK_SIZE_N=[64, 128], BLOCK_SIZE_K=[64], GROUP_SIZE_M=[1, 8], num_warps=[4, 8], num_stages=[3, 4])
    return {name: launch(**of) for name, of in choices}


def masked(given, *shape):
    q, k, v, seen = (given[name] for name in ("q", "k", "v", "seen"))
    mask = seen.bool()
    run = lambda: torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=mask)
    return {"PyTorch": (run, lambda: run()[0], "o")}


def cut_cross_entropy(given, *shape):
    from cut_cross_entropy import linear_cross_entropy

    x, w = (given[name].clone().requires_grad_() for name in ("x", "w"))
    loss = linear_cross_entropy(x, w, given["labels"].long(), impl="cce", filter_eps=None)
    run = lambda: torch.autograd.grad(loss, (x, w), retain_graph=True)
    # Gradients of 16 bits; ours are added up in 32.
    return {"as it is": (run, None, None)}


def scaled_experts(given, tokens, kinds, n, k, block=64, top=8):
    return experts(given, tokens, kinds, n, k, block, top, group=128)


def decoding(q, keys, values, table, lengths, o, scale, latent):
    from vllm.v1.attention.ops.triton_decode_attention import decode_attention_fwd

    sequences, heads, d = q.shape[0], q.shape[1], o.shape[-1]
    out, sums = torch.empty(sequences, heads, d, device="cuda", dtype=o.dtype), torch.empty(sequences, heads, device="cuda")

    def launch(splits):
        parts = torch.empty(sequences, heads, splits, d + 1, device="cuda")

        def run():
            decode_attention_fwd(q, keys, values, out, sums, table, lengths, parts, splits, scale, page_size=keys.shape[1], is_mla=latent)
            return out

        return run, lambda: run().view_as(o), "o"

    return {f"{splits} splits": launch(splits) for splits in (1, 4, 8)}


def paged_decode(given, *shape):
    q = given["q"].flatten(1, 2)
    scale = q.shape[-1] ** -0.5
    return decoding(q, given["keys"], given["values"], given["table"], given["lengths"], given["o"], scale, False)


def latent_decode(given, *shape):
    q = torch.cat([given["q"], given["qr"]], -1)
    cache = torch.cat([given["cache"], given["rope"]], -1)[:, :, None]
    return decoding(q, cache, cache[..., : given["o"].shape[-1]], given["table"], given["lengths"], given["o"], q.shape[-1] ** -0.5, True)


def gptq(given, m, n, k, group=128):
    from vllm.model_executor.kernels.linear.mixed_precision.triton_w4a16 import triton_w4a16_gemm_kernel

    def packed(codes):
        parts = codes.view(codes.shape[0], -1, 8).int() << (4 * torch.arange(8, device="cuda", dtype=torch.int32))
        return parts.sum(-1, dtype=torch.int32)

    x, scales = given["x"], given["scales"]
    shifts = 4 * torch.arange(8, device="cuda", dtype=torch.int32)
    codes = packed((given["q"][:, None, :] >> shifts[None, :, None] & 15).flatten(0, 1))
    zeros = packed(given["zeros_"])
    y = torch.empty_like(given["y"])

    def launch(BLOCK_M, BLOCK_N, BLOCK_K, num_warps, num_stages):
        grid = (-(-m // BLOCK_M), -(-n // BLOCK_N))
        of = dict(HAS_ZP=True, ZP_BIAS=0, BLOCK_M=BLOCK_M, BLOCK_N=BLOCK_N, BLOCK_K=BLOCK_K, num_warps=num_warps, num_stages=num_stages)

        def run():
            triton_w4a16_gemm_kernel[grid](x, codes, scales, zeros, y, m, n, k, *x.stride(), *codes.stride(), *y.stride(), group, **of)
            return y

        return run, run, "y"

    tall = [64] if m <= 64 else [128, 256]
    choices = settings(BLOCK_M=tall, BLOCK_N=[64, 128, 256], BLOCK_K=[32, 64], num_warps=[4, 8], num_stages=[3, 4])
    return {name: launch(**of) for name, of in choices}


def listed_blocks(given, t, heads, kv, count, d=128, block=64):
    from fla.ops.nsa.parallel import parallel_nsa_fwd

    q, k, v, blocks = (given[name][None] for name in ("q", "k", "v", "blocks"))
    blocks = blocks.long()
    run = lambda: parallel_nsa_fwd(q, k, v, blocks, count, block, d**-0.5)
    return {"as it is": (run, lambda: run()[0][0], "o")}


def forgetting(given, t, heads, d=128):
    from fla.ops.attn.parallel import parallel_attn_fwd

    q, k, v, g = (given[name][None] for name in ("q", "k", "v", "g"))
    run = lambda: parallel_attn_fwd(q, k, v, g, None, d**-0.5)
    return {"as it is": (run, lambda: run()[0][0], "o")}


def stickbreaking(given, t, heads, d=128):
    from fla.ops.stickbreaking_attn.parallel import parallel_stickbreaking_attn_fwd

    q, k, v = (given[name][None] for name in ("q", "k", "v"))
    run = lambda: parallel_stickbreaking_attn_fwd(q, k, v, d**-0.5)
    return {"as it is": (run, lambda: run()[0][0], "o")}


def recurrent_delta(given, *shape):
    from fla.ops.gated_delta_rule.fused_recurrent import fused_recurrent_gated_delta_rule_fwd

    names = ("q", "k", "v", "g", "beta", "first")
    q, k, v, g, beta, first = (given[name] for name in names)
    scale = q.shape[-1] ** -0.5
    run = lambda: fused_recurrent_gated_delta_rule_fwd(q, k, v, g=g, beta=beta, scale=scale, initial_state=first, output_final_state=True)
    return {"as it is": (run, lambda: run()[0], "o")}


def listed_keys(given, t, heads, top, *shape):
    from sglang.kernels.ops.attention.dsa.triton_sparse_mla_prefill import _sparse_mla_prefill_kernel

    q, kv, indices, lengths, scale = (given[name] for name in ("q", "kv", "indices", "lengths", "scale"))
    o = torch.empty_like(given["o"])

    def launch(BLOCK_N, num_warps, num_stages):
        of = dict(H=heads, BLOCK_H=heads, D_QK=q.shape[-1], D_V=o.shape[-1], IDX64=False)
        of |= dict(BLOCK_N=BLOCK_N, num_warps=num_warps, num_stages=num_stages)

        def run():
            _sparse_mla_prefill_kernel[(t,)](q, kv, indices, lengths, o, scale, top, **of)
            return o

        return run, run, "o"

    return {name: launch(**of) for name, of in settings(BLOCK_N=[32, 64], num_warps=[4, 8], num_stages=[1, 2, 3])}


def paged_prefill(given, sequences, new, before):
    from vllm.v1.attention.ops.triton_unified_attention import unified_attention

    q, table, starts, lengths = (given[name] for name in ("q", "table", "starts", "lengths"))
    keys, values = (given[name].unflatten(0, (-1, 16)) for name in ("keys", "values"))
    scale = q.shape[-1] ** -0.5
    o = torch.empty_like(q).flatten(1, 2)

    def run():
        unified_attention(q.flatten(1, 2), keys, values, o, starts, new, lengths, before + new, scale, True, (-1, -1), table, 0, None, None, None)
        return o.view_as(q)

    return {"as it is": (run, run, "o")}


def chunk_gradients(given, *shape):
    import fla.ops.common.chunk_o as library

    # It refuses Triton 3.6 on Hopper, where results of this kernel can be wrong; these agree with ours.
    library.IS_NVIDIA_HOPPER = False
    names = ("q", "k", "v", "dy", "h", "dh")
    tensors = [given[name][None] for name in names]
    run = lambda: library.chunk_bwd_dqkwg(*tensors, g=given["g"][None], scale=given["scale"], chunk_size=64)
    return {"tuned": (run, lambda: run()[0][0], "dq")}
