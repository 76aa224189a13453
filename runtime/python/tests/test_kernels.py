"""Kernels on arrays of the host, in the simulator."""

import json
import os
import pathlib
import subprocess
import sys
import threading
import traceback

import numpy
import pytest

import tile

ADD = """
    /// z = x + y
    kernel add<T: float = f32, const B: i32 = 256>(x: tensor<T>[n], y: tensor<T>[n], z: mut tensor<T>[n]) grid(cdiv(n, B)) {
        let at = program_id(0) * B;
        store(z[at +: B], load(x[at +: B]) + load(y[at +: B]));
    }
"""
ROWS = """
    kernel scaled<T: any = f32>(x: tensor<T>[m, n] strides(a, b), y: mut tensor<T>[m, n] strides(c, d), by: T) grid(m) {
        let row = program_id(0);
        store(y[row, 0 +: 64], load(x[row, 0 +: 64]) * by);
    }
"""


@pytest.fixture(scope="module")
def add():
    return tile.kernel(ADD).add


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_element_types_are_those_of_the_arrays(add, kind):
    x, y = (numpy.random.default_rng(0).normal(size=1000).astype(kind) for _ in range(2))
    z = numpy.empty_like(x)
    assert add(x, y, z) is None
    assert (z == x + y).all()


def test_arguments_and_generics_by_name(add):
    x, y, z = numpy.ones(100, "f"), numpy.full(100, 2, "f"), numpy.zeros(100, "f")
    add(x, z=z, y=y, B=64)
    assert (z == 3).all()


def test_views_with_any_strides():
    scaled = tile.kernel(ROWS).scaled
    x = numpy.arange(5 * 60, dtype="i4").reshape(60, 5).T
    y = numpy.zeros((10, 120), "i4")[::2, ::2]
    scaled(x, y, 3)
    assert (y == 3 * x).all()
    back = numpy.zeros((5, 60), "i4")
    scaled(x[::-1], back, -1)
    assert (back == -x[::-1]).all()


def test_arrays_without_elements(add):
    empty = numpy.empty(0, "f")
    add(empty, empty, empty.copy())


def test_an_example_from_its_file():
    examples = pathlib.Path(__file__).parents[3] / "lang-examples"
    random = numpy.random.default_rng(1)
    q, k, v = (random.normal(size=(2, length, 64)).astype("e") for length in (40, 70, 70))
    o, lse = numpy.zeros_like(q), numpy.zeros((2, 40), "f")
    tile.load(examples / "06_attention.tile").attention(q, k, v, o, lse, BM=64, BN=64)
    scores = q.astype("d") @ k.astype("d").transpose(0, 2, 1) / 8
    powers = numpy.exp(scores - scores.max(-1, keepdims=True))
    wanted = powers @ v.astype("d") / powers.sum(-1, keepdims=True)
    assert numpy.abs(o - wanted).max() < 4e-3


def test_ptx_needs_no_compiler(add, tmp_path, monkeypatch):
    path = tmp_path / "add.ptx"
    path.write_text(add.ptx(T="f32"))
    code = f"""
import numpy, tile
z = numpy.empty(9, "f")
tile.load({str(path)!r}).add(numpy.ones(9, "f"), numpy.ones(9, "f"), z)
assert (z == 2).all()
"""
    environment = {**os.environ, "TILEC": str(tmp_path / "none")}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def test_a_plan_says_what_a_call_would_launch(add):
    x = numpy.ones(1000, "f")
    z = numpy.zeros_like(x)
    plan = add.plan(x, x, z, B=64)
    assert plan.grid == (16, 1, 1) and plan.threads == 32 and plan.shared_bytes == 0
    assert plan.entry == "add" and plan.programs_at_once >= 132
    assert not z.any()
    # What the fast variant relies on is not there.
    assert add.plan(x[:999], x[:999], z[:999], B=64).entry == "add__general"
    with pytest.raises(tile.LaunchError, match="`n` is 1000"):
        add.plan(x, x, z[1:])


def test_check_gives_what_the_simulator_finds(add):
    x = numpy.ones(1000, "f")
    z = numpy.zeros_like(x)
    assert add.check(x, x, z) == [] and not z.any()
    k = tile.kernel("""
        kernel racing(y: mut ptr<f32>) grid(2) {
            store(y, program_id(0) as f32);
        }
    """)
    (found,) = k.racing.check(z)
    assert found.code == "race" and found.line == 2 and found.program in ((0, 0, 0), (1, 0, 0)), found.data
    assert "race" in str(found) and not z.any()
    with pytest.raises(tile.Finding, match="race"):
        raise found


def test_explain_is_text_and_a_page(add):
    x = numpy.ones(1 << 20, "f")
    told = add.explain(x, x, x, B=512)
    assert "add" in str(told) and "coalesced" in told.text
    assert told.page.startswith("<!") and "<iframe" in told._repr_html_()
    assert told.data


def test_a_record_of_tuning_is_taken(tmp_path):
    path = tmp_path / "double.tile"
    path.write_text("""kernel double<const B: i32>(x: mut tensor<f32>[n]) grid(cdiv(n, B))
tune B in [256, 64] {
    let at = program_id(0) * B;
    store(x[at +: B], load(x[at +: B]) * 2.0);
}
""")
    x = numpy.ones(1024, "f")
    k = tile.load(path)
    assert k.double.plan(x).grid == (4, 1, 1)
    winner = {"kernel": "double", "target": "sm_90a", "device": "it", "generics": {}, "sizes": {"n": 1024}, "values": {"B": "64"}}
    record = {"format": 1, "winners": [{**winner, "time_us": 1.0, "ratio": 0.5, "compiler": "it"}]}
    path.with_suffix(".tuned.json").write_text(json.dumps(record))
    k = tile.load(path)
    assert k.double.plan(x).grid == (16, 1, 1)
    assert "B" in k.double.tune(x)


def test_a_mistake_in_a_kernel_is_what_tilec_prints():
    with pytest.raises(tile.CompileError) as caught:
        tile.kernel("kernel f(x: mut ptr<f32>) grid(1) {\n    store(x, y);\n}").f(numpy.zeros(1, "f"))
    text = str(caught.value)
    assert "error[E0101]: no `y` is known here" in text
    assert "test_kernels.tile:2:14" in text
    assert "2 |     store(x, y);" in text


def test_what_does_not_suit_names_the_parameter(add):
    x = numpy.zeros(8, "f")
    with pytest.raises(tile.LaunchError, match="`n` is 8 as size 0 of `x`.*but 7 as size 0 of `z`"):
        add(x, x, x[:7].copy())
    with pytest.raises(tile.LaunchError, match="`y` has elements of type f64.*`T` is f32|y: tensor<f32>"):
        add(x, x.astype("d"), x)
    with pytest.raises(TypeError, match="misses the argument `z`"):
        add(x, x)
    with pytest.raises(TypeError, match="no argument or generic `w`"):
        add(x, x, x, w=1)
    with pytest.raises(TypeError, match="`y` is None: give y: tensor<f32>"):
        add(x, None, x)
    with pytest.raises(tile.CompileError, match="Q"):
        add.ptx(Q=1)
    with pytest.raises(AttributeError, match="no kernel `sub`; it has add"):
        tile.kernel(ADD).sub


def test_what_the_simulator_finds_shows_the_line():
    far = tile.kernel("kernel far(x: mut ptr<f32>) grid(1) {\n    store(x + 100, 1.0);\n}").far
    with pytest.raises(tile.Finding, match="out-of-bounds: element 100 of `x`, which has 3 elements") as caught:
        far(numpy.zeros(3, "f"))
    frames = "".join(traceback.format_exception(caught.value))
    assert 'test_kernels.tile", line 2, in far' in frames


def test_threads_share_a_kernel():
    add = tile.kernel(ADD + "// of this test\n").add
    wrong = []

    def act(seed):
        x = numpy.full(500, seed, "f")
        z = numpy.zeros_like(x)
        for _ in range(20):
            add(x, x, z)
            if not (z == 2 * seed).all():
                wrong.append(seed)

    threads = [threading.Thread(target=act, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_processes_share_the_cache(tmp_path):
    code = f"""
import numpy, tile
z = numpy.empty(9, "f")
tile.kernel({ADD!r}).add(numpy.ones(9, "f"), numpy.ones(9, "f"), z)
assert (z == 2).all()
"""
    environment = {**os.environ, "TILE_CACHE": str(tmp_path)}
    processes = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(6)]
    assert [process.wait() for process in processes] == [0] * 6
    assert len(list(tmp_path.glob("*.ptx"))) == 1
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_changed_source_is_compiled_again(tmp_path):
    path = tmp_path / "set.tile"
    x = numpy.zeros(1, "f")
    for value in (1.0, 2.0):
        path.write_text(f"kernel set(x: mut ptr<f32>) grid(1) {{ store(x, {value}); }}\n")
        tile.load(path).set(x)
        assert x[0] == value


def test_calls_do_not_grow_memory(add):
    resource = pytest.importorskip("resource")
    x, z = numpy.zeros(8, "f"), numpy.zeros(8, "f")

    def most():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(200):
        add(x, x, z)
    before = most()
    for _ in range(2000):
        add(x, x, z)
        with pytest.raises(tile.LaunchError):
            add(x, x, z[:3])
    assert most() - before < 20_000


def test_stubs_say_how_kernels_are_called(tmp_path):
    path = tmp_path / "add.tile"
    path.write_text(ADD)
    text = tile.stubs(path)
    assert "def add(x: Any, y: Any, z: Any, *, T: Any = ..., B: int = ...) -> None:" in text
    assert "z: mut tensor<T>[n]" in text
    compile(text, "add.pyi", "exec")


def test_commands_come_with_the_package():
    for command in ("tilec", "tile-run"):
        done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
        assert done.stdout.startswith(command)
