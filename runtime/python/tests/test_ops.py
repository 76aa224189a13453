"""The operators that come with the package beside those of PyTorch; on the host in the simulator, with a GPU there too."""

import pytest

torch = pytest.importorskip("torch")

import tile.nn  # noqa: E402
from tile import ops  # noqa: E402

functional = torch.nn.functional
DEVICES = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])


@pytest.fixture(params=DEVICES)
def device(request):
    torch.manual_seed(0)
    return request.param


def close(ours, theirs, *given, rtol=1e-4, atol=1e-5):
    """Whether two functions have the same values and gradients."""
    found = []
    for function in (ours, theirs):
        taken = [one.clone().requires_grad_(one.is_floating_point()) for one in given]
        y = function(*taken)
        weights = torch.linspace(-1, 1, y.numel(), device=y.device, dtype=y.dtype).reshape(y.shape)
        (y * weights).sum().backward()
        found.append([y.detach(), *[one.grad for one in taken if one.is_floating_point()]])
    for one, other in zip(*found):
        assert torch.allclose(one, other, rtol=rtol, atol=atol), (one - other).abs().max()


@pytest.mark.parametrize("columns", [40, 300])
def test_rms_norm(device, columns):
    x, w = torch.randn(2, 5, columns, device=device), torch.randn(columns, device=device)
    close(lambda x, w: ops.rms_norm(x, w, 1e-5), lambda x, w: functional.rms_norm(x, (columns,), w, 1e-5), x, w)


@pytest.mark.parametrize("eps", [1e-5, 1e-3])
def test_layer_norm(device, eps):
    x, w, b = torch.randn(2, 7, 100, device=device), torch.randn(100, device=device), torch.randn(100, device=device)
    theirs = lambda x, w, b: functional.layer_norm(x, (100,), w, b, eps)
    close(lambda x, w, b: ops.layer_norm(x, w, b, eps), theirs, x, w, b, atol=1e-4)


def test_softmax(device):
    close(ops.softmax, lambda x: torch.softmax(x, -1), 4 * torch.randn(3, 4, 77, device=device))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_cross_entropy(device, reduction):
    logits, labels = torch.randn(9, 300, device=device), torch.randint(0, 300, (9,), device=device)
    labels[2] = labels[5] = -1
    close(
        lambda logits: ops.cross_entropy(logits, labels, ignore_index=-1, reduction=reduction),
        lambda logits: functional.cross_entropy(logits, labels, ignore_index=-1, reduction=reduction),
        logits,
    )
    labels[0] = 300
    loss = ops.cross_entropy(logits, labels, ignore_index=-1, reduction="none")
    assert loss[0].isnan() and loss[1:].isfinite().all()


@pytest.mark.parametrize("name", ["swiglu", "geglu", "geglu_tanh"])
def test_gated_units(device, name):
    gate, up = torch.randn(2, 5, 70, device=device), torch.randn(2, 5, 70, device=device)
    ours, theirs = {
        "swiglu": (ops.swiglu, lambda gate, up: functional.silu(gate) * up),
        "geglu": (ops.geglu, lambda gate, up: functional.gelu(gate) * up),
        "geglu_tanh": (lambda a, b: ops.geglu(a, b, "tanh"), lambda a, b: functional.gelu(a, approximate="tanh") * b),
    }[name]
    close(ours, theirs, gate, up)


def turned(x, base=10000.0):
    half = x.shape[-1] // 2
    speed = base ** (-torch.arange(half, device=x.device) / half)
    angle = torch.arange(x.shape[-3], device=x.device)[:, None] * speed
    c, s = angle.cos()[:, None, :], angle.sin()[:, None, :]
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * c - b * s, b * c + a * s], -1)


def test_rope(device):
    x = torch.randn(2, 6, 3, 64, device=device)
    close(ops.rope, turned, x, atol=1e-4)
    positions = torch.tensor([[3, 0, 1, 2, 5, 4]] * 2, device=device)
    order = torch.argsort(positions[0])
    assert torch.allclose(ops.rope(x, positions)[:, order], turned(x[:, order]), atol=1e-4)


@pytest.mark.parametrize("activation", ["none", "relu", "gelu", "silu"])
def test_linear(device, activation):
    x, w, b = torch.randn(2, 5, 48, device=device), torch.randn(40, 48, device=device), torch.randn(40, device=device)
    active = {"none": lambda x: x}.get(activation) or getattr(functional, activation)
    close(lambda *given: ops.linear(*given, activation), lambda *given: active(functional.linear(*given)), x, w, b, atol=1e-4)
    assert torch.allclose(ops.linear(x, w), functional.linear(x, w), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("width", [64, 96, 128, 192, 256])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_attention_of_all_widths(device, dtype, width):
    for causal in (False, True):
        q = torch.randn(1, 2, 140, width, device=device, dtype=dtype)
        k, v = (torch.randn(1, 2, 140, width, device=device, dtype=dtype) for _ in range(2))
        close(
            lambda *given: ops.attention(*given, causal=causal),
            lambda *given: functional.scaled_dot_product_attention(*given, is_causal=causal),
            *(q, k, v),
            atol=2e-2 if dtype == torch.float16 else 5e-3,
        )


def test_what_is_refused(device):
    x = torch.randn(4, 8, device=device)
    with pytest.raises(ValueError, match="none, relu, gelu, silu"):
        ops.linear(x, x, activation="tanh")
    with pytest.raises(ValueError, match="mean, sum or none"):
        ops.cross_entropy(x, torch.zeros(4, dtype=torch.long, device=device), reduction="max")


def test_operators_are_compiled_in_one_graph(device):
    def block(x, w, b, labels):
        y = ops.layer_norm(ops.swiglu(ops.rms_norm(x, w), x), w, b)
        return ops.cross_entropy(ops.softmax(ops.linear(y, w[None] * w[:, None], activation="gelu")), labels)

    x, w, b = torch.randn(6, 64, device=device), torch.randn(64, device=device), torch.randn(64, device=device)
    labels = torch.randint(0, 64, (6,), device=device)
    compiled = torch.compile(block, fullgraph=True, backend="aot_eager")
    assert torch.allclose(compiled(x, w, b, labels), block(x, w, b, labels), rtol=1e-5)


class Block(torch.nn.Module):
    """A layer of a transformer, with modules and functions of ours or of PyTorch."""

    def __init__(self, ours, width, heads):
        super().__init__()
        self.ours, self.heads = ours, heads
        of = tile.nn if ours else torch.nn
        self.first, self.second = of.RMSNorm(width, eps=1e-5), of.LayerNorm(width)
        self.qkv, self.out = of.Linear(width, 3 * width), of.Linear(width, width)
        self.up, self.down = of.Linear(width, 4 * width), of.Linear(2 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(self.first(x)).reshape(batch, length, 3, self.heads, -1).unbind(2)
        q, k = (ops.rope(q), ops.rope(k)) if self.ours else (turned(q), turned(k))
        q, k, v = (one.transpose(1, 2) for one in (q, k, v))
        if self.ours:
            heads = ops.attention(q, k, v, causal=True)
        else:
            heads = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(heads.transpose(1, 2).reshape(batch, length, width))
        gate, up = self.up(self.second(x)).chunk(2, -1)
        return x + self.down(ops.swiglu(gate, up) if self.ours else functional.silu(gate) * up)


class Model(torch.nn.Module):
    def __init__(self, ours, words=50, width=64, heads=2):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, width)
        self.block = Block(ours, width, heads)
        self.norm = (tile.nn if ours else torch.nn).RMSNorm(width, eps=1e-5)
        self.head = (tile.nn if ours else torch.nn).Linear(width, words, bias=False)
        self.loss = (tile.nn if ours else torch.nn).CrossEntropyLoss()

    def forward(self, text):
        logits = self.head(self.norm(self.block(self.embedding(text[:, :-1]))))
        return self.loss(logits.flatten(0, 1), text[:, 1:].flatten())


def test_a_small_transformer_is_trained(device):
    theirs = Model(False).to(device)
    ours = Model(True).to(device)
    ours.load_state_dict(theirs.state_dict())
    text = torch.randint(0, 50, (2, 9), device=device)
    losses = []
    for model in (ours, theirs):
        steps = torch.optim.AdamW(model.parameters(), lr=1e-2)
        losses.append([])
        for _ in range(4):
            steps.zero_grad()
            loss = model(text)
            loss.backward()
            steps.step()
            losses[-1].append(loss.item())
    assert torch.allclose(*map(torch.tensor, losses), rtol=1e-3)
    assert losses[0][-1] < 0.8 * losses[0][0]
