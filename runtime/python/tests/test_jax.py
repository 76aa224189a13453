"""Kernels as functions of JAX. Skipped where JAX is missing."""

import numpy
import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("jax_tvm_ffi")

import jax.numpy as jnp  # noqa: E402
import tile  # noqa: E402

SCALE = """
    kernel scale<T: float = f32>(
        x: tensor<T>[n, m], y: mut tensor<T>[n, m], s: tensor<T>[m], by: f32, r: mut tensor<f32>[n],
    ) grid(cdiv(n, 8)) {
        let at = program_id(0) * 8;
        let v = load(x[at +: 8, 0 +: 64]) as f32;
        store(y[at +: 8, 0 +: 64], (v * by * (load(s[0 +: 64]) as f32)[None, :]) as T);
        store(r[at +: 8], sum(v, axis = 1));
    }
    kernel scale_backward<T: float = f32>(s: tensor<T>[m], by: f32, dy: tensor<T>[n, m], dx: mut tensor<T>[n, m])
        grid(cdiv(n, 8))
    {
        let at = program_id(0) * 8;
        store(dx[at +: 8, 0 +: 64], ((load(dy[at +: 8, 0 +: 64]) as f32) * by * (load(s[0 +: 64]) as f32)[None, :]) as T);
    }
"""


@pytest.fixture(scope="module")
def kernels():
    return tile.kernel(SCALE)


@pytest.fixture(scope="module")
def scale(kernels):
    backward = tile.jax_op(kernels.scale_backward, outputs=["dx"])
    return tile.jax_op(kernels.scale, outputs=["y", "r"], backward=backward)


@pytest.fixture(scope="module")
def arrays():
    return jax.random.normal(jax.random.key(0), (20, 50), jnp.float32), jnp.arange(50.0)


def test_outputs_in_the_middle_of_the_parameters_are_given_back(scale, arrays):
    x, s = arrays
    y, r = scale(x, s, 2.5)
    numpy.testing.assert_allclose(y, x * 2.5 * s, rtol=1e-6)
    numpy.testing.assert_allclose(r, x.sum(1), atol=1e-5)


def test_jit_compiles_it_and_grad_takes_the_backward_kernel(scale, arrays):
    x, s = arrays
    y = jax.jit(lambda x, s: scale(x, s, 2.0)[0] + 1.0)(x, s)
    numpy.testing.assert_allclose(y, x * 2.0 * s + 1.0, rtol=1e-6)
    gradient = jax.jit(jax.grad(lambda x: scale(x, s, 2.5)[0].sum()))(x)
    numpy.testing.assert_allclose(gradient, jnp.broadcast_to(2.5 * s, x.shape))


def test_element_types_are_those_of_the_arrays(scale, arrays):
    x, s = (one.astype(jnp.bfloat16) for one in arrays)
    y, r = scale(x, s, 1.0)
    assert y.dtype == jnp.bfloat16 and r.dtype == jnp.float32


def test_vmap_calls_it_for_each(scale, arrays):
    x, s = arrays
    both = jax.vmap(lambda x: scale(x, s, 1.0)[0])(jnp.stack([x, 2 * x]))
    numpy.testing.assert_allclose(both[1], 2 * x * s, rtol=1e-6)


def test_what_cannot_be_says_why(kernels, scale, arrays):
    x, s = arrays
    with pytest.raises(ValueError, match="`y` of .* is written to, and arrays of JAX never change"):
        tile.jax_op(kernels.scale, outputs=["r"])
    with pytest.raises(ValueError, match="`x` is no `mut tensor`"):
        tile.jax_op(kernels.scale, outputs=["x"])
    with pytest.raises(TypeError, match="scale takes 3 arguments, and 1 were given: x, s, by"):
        scale(x)
    with pytest.raises(ValueError, match="`m` of scale has two sizes"):
        scale(x, s[:3], 1.0)
    with pytest.raises(TypeError, match="nothing gives `by` of"):
        backward = tile.jax_op(kernels.scale_backward, outputs=["dx"])
        plain = tile.kernel(SCALE.replace("by: f32, r", "times: f32, r").replace("v * by", "v * times")).scale
        op = tile.jax_op(plain, outputs=["y", "r"], backward=backward)
        jax.grad(lambda x: op(x, s, 1.0)[0].sum())(x)


def test_what_the_simulator_finds_is_an_error_of_jax():
    k = tile.kernel("""
        kernel racy(x: tensor<f32>[n], y: mut tensor<f32>[m]) grid(2) {
            store(y[0], load(x[program_id(0)]));
        }
    """)
    op = tile.jax_op(k.racy, outputs=["y"])
    with pytest.raises(ValueError, match="nothing binds the size `m` of an output of racy"):
        op(jnp.ones(4))
    k = tile.kernel("""
        kernel racy(x: tensor<f32>[n], y: mut tensor<f32>[n]) grid(2) {
            store(y[0], load(x[program_id(0)]));
        }
    """)
    if jax.default_backend() == "gpu":
        pytest.skip("a GPU finds no races")
    with pytest.raises(Exception, match="race"):
        jax.block_until_ready(tile.jax_op(k.racy, outputs=["y"])(jnp.arange(4.0)))
