"""Kernels as operators of PyTorch, on its tensors of the host; with a GPU, there too."""

import pytest

torch = pytest.importorskip("torch")

import tile  # noqa: E402

DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
TEXT = """
    kernel scaled(x: tensor<f32>[m, n], w: tensor<f32>[n], eps: f32, y: mut tensor<f32>[m, n]) grid(m) {
        let row = program_id(0);
        store(y[row, 0 +: 64], load(x[row, 0 +: 64]) * load(w[0 +: 64]) + eps);
    }
    kernel scaled_backward(
        x: tensor<f32>[m, n], w: tensor<f32>[n], dy: tensor<f32>[m, n], dx: mut tensor<f32>[m, n], dw: mut tensor<f32>[n],
    ) grid(1) {
        let mut sum = zeros([64], f32);
        for row in range(0, m) {
            let d = load(dy[row, 0 +: 64]);
            store(dx[row, 0 +: 64], d * load(w[0 +: 64]));
            sum += d * load(x[row, 0 +: 64]);
        }
        store(dw[0 +: 64], sum);
    }
    kernel doubled(x: mut tensor<f32>[n]) grid(cdiv(n, 64)) {
        let at = program_id(0) * 64;
        store(x[at +: 64], 2.0 * load(x[at +: 64]));
    }
"""


@pytest.fixture(scope="module")
def k():
    return tile.kernel(TEXT)


@pytest.fixture(scope="module")
def scaled(k):
    back = tile.torch_op(k.scaled_backward, outputs=["dx", "dw"])
    return tile.torch_op(k.scaled, outputs=["y"], backward=back)


@pytest.fixture(scope="module")
def doubled(k):
    return tile.torch_op(k.doubled)


@pytest.fixture(params=DEVICES)
def given(request):
    torch.manual_seed(0)
    return torch.randn(5, 40, device=request.param), torch.randn(40, device=request.param)


def test_an_operator_allocates_its_outputs(scaled, given):
    x, w = given
    assert torch.allclose(scaled(x, w, 0.5), x * w + 0.5)


def test_an_operator_knows_what_it_makes_for_arguments_alike(scaled, given, monkeypatch):
    from tile import _torch

    monkeypatch.setattr(_torch, "_MOST_KNOWN", 4)
    x, w = given
    for rows in (5, 3, 5):
        for by in range(6):
            assert torch.allclose(scaled(x[:rows], w, float(by)), x[:rows] * w + by)
            assert len(scaled._known) <= 4
    with pytest.raises(TypeError, match="takes 3 arguments, not 2"):
        scaled(x, w)


def test_an_operator_changes_in_place(doubled, given):
    x = given[0].flatten()
    before, version = x.clone(), x._version
    assert doubled(x) is None
    assert torch.equal(x, 2 * before)
    assert x._version > version


def test_gradients_are_those_of_the_named_kernel(scaled, given):
    x, w = (one.clone().requires_grad_() for one in given)
    (scaled(x, w, 0.5) ** 2).sum().backward()
    a, b = (one.clone().requires_grad_() for one in given)
    ((a * b + 0.5) ** 2).sum().backward()
    assert torch.allclose(x.grad, a.grad, atol=1e-5)
    assert torch.allclose(w.grad, b.grad, atol=1e-4)


def test_opcheck(scaled, doubled, given):
    x, w = given
    torch.library.opcheck(torch.ops.tile.scaled.default, (x, w, 0.5))
    torch.library.opcheck(torch.ops.tile.doubled.default, (x.flatten(),))


@pytest.mark.parametrize("dynamic", [False, True])
def test_a_compiled_function_has_one_graph(scaled, given, dynamic):
    w = given[1]

    def f(x):
        return scaled(x * 2, w, 1.0).sum(-1)

    compiled = torch.compile(f, fullgraph=True, dynamic=dynamic, backend="aot_eager")
    for rows in (5, 7, 9):
        x = torch.randn(rows, 40, device=w.device, requires_grad=True)
        y = compiled(x)
        assert torch.allclose(y, ((2 * x) * w + 1).sum(-1), atol=1e-4)
        y.sum().backward()
        assert torch.allclose(x.grad, (2 * w).expand(rows, 40), atol=1e-5)


def test_a_kernel_does_not_swallow_gradients(k, given):
    x, w = given
    y = torch.empty_like(x)
    with pytest.raises(tile.LaunchError, match="`w` requires gradients"):
        k.scaled(x, w.clone().requires_grad_(), 0.5, y)
    with torch.no_grad():
        k.scaled(x, w.clone().requires_grad_(), 0.5, y)
    assert torch.allclose(y, x * w + 0.5)
    # Once for each device: it takes the place of the one before.
    alone = tile.torch_op(k.scaled, "alone", outputs=["y"])
    assert torch.allclose(alone(x, w, 0.5), y)
    with pytest.raises(RuntimeError, match="tile::alone has no gradient"):
        alone(x, w.clone().requires_grad_(), 0.5)


def test_arrays_beside_tensors_are_looked_past(k):
    x, y = torch.ones(5, 40), torch.empty(5, 40)
    k.scaled(x.numpy(), torch.ones(40), 0.5, y)
    assert torch.equal(y, x + 0.5)
    with pytest.raises(tile.LaunchError, match="`w` requires gradients"):
        k.scaled(x.numpy(), torch.ones(40, requires_grad=True), 0.5, y)
    k.scaled(x, torch.ones(40), 1.5, y.numpy())
    assert torch.equal(y, x + 1.5)


def test_a_kernel_does_not_drop_signs(k, given):
    z = torch.complex(given[0][0], given[0][1])
    x = z.conj().imag
    assert x.is_neg()
    with pytest.raises(tile.LaunchError, match="`x` is a view with negated numbers"):
        k.doubled(x)


def test_a_tensor_that_stands_for_one_is_refused(k, scaled, given):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        x = torch.empty(5, 40)
        y = scaled(x, torch.empty(40), 0.5)
        assert y.shape == (5, 40)
    with pytest.raises((TypeError, tile.LaunchError, RuntimeError)):
        k.doubled(torch.empty(40, device="meta"))


def test_the_version_counter_moves(k, given):
    x = given[0].flatten()
    version = x._version
    k.doubled(x)
    assert x._version > version


def test_vmap_is_a_loop(scaled, given):
    x, w = given
    batch = torch.stack([x, 2 * x])
    found = torch.vmap(lambda one: torch.ops.tile.scaled(one, w, 0.5))(batch)
    assert torch.allclose(found, batch * w + 0.5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_graphs_are_captured_and_replayed(scaled):
    x, w = torch.randn(5, 40, device="cuda"), torch.randn(40, device="cuda")
    scaled(x, w, 0.5)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        scaled(x, w, 0.5)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        y = scaled(x, w, 0.5)
    x.normal_()
    graph.replay()
    torch.cuda.synchronize()
    assert torch.allclose(y, x * w + 0.5)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_graph_is_not_captured_before_the_first_call(k):
    x = torch.randn(64, device="cuda")
    doubled = tile.kernel(TEXT + "// of this test").doubled
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(tile.DeviceError, match="call it once before the capture"):
        with torch.cuda.graph(graph):
            doubled(x)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_graphs_that_run_at_once_have_workspaces_of_their_own():
    text = """
    kernel product(a: tensor<f16>[m, k], b: tensor<f16>[k, n], c: mut tensor<f32>[m, n]) grid(cdiv(m, 128), cdiv(n, 128)) {
        let (i, j) = (program_id(0) * 128, program_id(1) * 128);
        let mut acc = zeros([128, 128], f32);
        for at in range(0, k, 64) {
            acc = dot(load(a[i +: 128, at +: 64]), load(b[at +: 64, j +: 128]), acc);
        }
        store(c[i +: 128, j +: 128], acc);
    }
    """
    product = tile.kernel(text).product
    assert '"part_bytes"' in product.ptx()
    sets = []
    for seed in range(3):
        a, b = (torch.randint(-2, 3, (512, 4096), device="cuda").half() for _ in range(2))
        sets.append((a, b.T.contiguous(), torch.empty(512, 512, device="cuda"), a.float() @ b.float().T))
    product(*sets[0][:3])
    torch.cuda.synchronize()
    graphs = []
    for a, b, c, _ in sets[:2]:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(20):
                product(a, b, c)
        graphs.append(graph)
    streams = [torch.cuda.Stream() for _ in range(3)]
    for turn in range(50):
        for stream, graph in zip(streams, graphs):
            with torch.cuda.stream(stream):
                graph.replay()
        with torch.cuda.stream(streams[2]):
            for _ in range(20):
                product(*sets[2][:3])
        torch.cuda.synchronize()
        for a, b, c, wanted in sets:
            assert torch.equal(c, wanted)
            c.fill_(torch.nan)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("width", "heads", "shared"), [(64, 2, 2), (128, 4, 2), (32, 1, 1)])
def test_attention_and_its_gradients(device, causal, width, heads, shared):
    from tile.ops import attention

    torch.manual_seed(1)
    m, n = (40, 50) if device == "cpu" else (300, 333)
    kind = torch.float32 if width == 32 else torch.bfloat16
    q = torch.randn(2, heads, m, width, device=device, dtype=kind, requires_grad=True)
    k, v = (torch.randn(2, shared, n, width, device=device, dtype=kind, requires_grad=True) for _ in range(2))
    dy = torch.randn(2, heads, m, width, device=device, dtype=kind)
    o = attention(q, k, v, causal)
    found = torch.autograd.grad(o, (q, k, v), dy)

    exact = [one.detach().double().requires_grad_() for one in (q, k, v)]
    repeated = [exact[0], *(one.repeat_interleave(heads // shared, 1) for one in exact[1:])]
    scores = repeated[0] @ repeated[1].transpose(-1, -2) / width**0.5
    if causal:
        scores = scores.masked_fill(torch.ones(m, n, dtype=torch.bool, device=device).triu(n - m + 1), -torch.inf)
    wanted = scores.softmax(-1) @ repeated[2]
    gradients = torch.autograd.grad(wanted, exact, dy.double())
    for one, other in zip((o, *found), (wanted, *gradients)):
        assert (one.double() - other).norm() <= 1e-2 * other.norm()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(("width", "heads", "shared"), [(64, 2, 1), (128, 1, 1)])
def test_attention_of_sequences_and_its_gradients(device, causal, width, heads, shared):
    from tile.ops import attention, attention_varlen

    torch.manual_seed(2)
    lengths = [40, 0, 7] if device == "cpu" else [300, 0, 7, 128, 1000]
    ends = torch.tensor([0, *lengths], device=device).cumsum(0).int()
    given = [torch.randn(sum(lengths), count, width, device=device, dtype=torch.bfloat16) for count in (heads, shared, shared)]
    found, wanted = [], []
    for function, results in ((attention_varlen, found), (attention, wanted)):
        q, k, v = leaves = [one.clone().requires_grad_() for one in given]
        if function is attention_varlen:
            o = function(q, k, v, ends, ends, max(lengths), max(lengths), causal)
        else:
            each = zip(*(one.transpose(0, 1).split(lengths, 1) for one in leaves))
            o = torch.cat([function(*one, causal) for one in each if one[0].shape[1]], 1).transpose(0, 1)
        results += [o, *torch.autograd.grad((o * torch.linspace(-1, 1, width, device=device)).sum(), leaves)]
    for one, other in zip(found, wanted):
        assert (one - other).norm() <= 1e-2 * other.norm()


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("batch", [1, 2])
def test_heads_that_lie_beside_each_other_are_read_where_they_are(device, causal, batch):
    from tile.ops import attention

    torch.manual_seed(3)
    m, n = (40, 50) if device == "cpu" else (300, 333)
    given = [torch.randn(batch, size, heads, 64, device=device, dtype=torch.bfloat16) for size, heads in ((m, 4), (n, 2), (n, 2))]
    given = [one.transpose(1, 2) for one in given]
    found, wanted = attention(*given, causal), attention(*(one.contiguous() for one in given), causal)
    assert found.shape == wanted.shape and found.transpose(1, 2).is_contiguous()
    assert (found.float() - wanted.float()).norm() <= 1e-2 * wanted.float().norm()
    compiled = torch.compile(lambda q, k, v: attention(q, k, v, causal), fullgraph=True, backend="aot_eager")
    assert torch.equal(compiled(*given), found)
    # With gradients, and where keys lie in another way, they are copied.
    leaves = [one.detach().requires_grad_() for one in given]
    assert (attention(*leaves, causal).float() - wanted.float()).norm() <= 1e-2 * wanted.float().norm()
    assert torch.equal(attention(given[0], given[1].contiguous(), given[2], causal), wanted)


def test_what_heads_cannot_share_is_refused():
    from tile.ops import attention

    q, k = torch.zeros(1, 3, 16, 64), torch.zeros(1, 2, 16, 64)
    with pytest.raises(ValueError, match="cannot share"):
        attention(q, k, k)


def test_attention_is_compiled_in_one_graph():
    from tile.ops import attention

    device = DEVICES[-1]
    compiled = torch.compile(lambda q, k, v: attention(q, k, v, True).sum(-1), fullgraph=True, dynamic=True, backend="aot_eager")
    for m in (40, 56):
        q, k, v = (torch.randn(1, 2, m, 64, device=device, dtype=torch.float16) for _ in range(3))
        wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).sum(-1)
        assert torch.allclose(compiled(q, k, v), wanted, atol=3e-2)
