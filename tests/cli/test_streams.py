"""Where a stream lacks a sign of ours it has words for it; no sign becomes a question mark."""

import ast
import io
from pathlib import Path

import pytest

from gpruntime.cli import streams
from gpruntime.cli.streams import in_words

SOURCES = Path(__file__).parents[2] / "src" / "gpruntime"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("α = −0.175 ≤ λ·n", "alpha = -0.175 <= lambda·n"),
        ("Ω(n² log⁴ n) ≈ 10¹⁰, 10⁻²⁵", "Omega(n^2 log^4 n) ~ 10^10, 10^-25"),
        ("x̄₁ → x₂, √n, ⌈n⌉, ∞", "!x1 -> x2, sqrt n, ceil(n), infinity"),
        ("├── J\n│   └── x1", "|-- J\n|   `-- x1"),
        ("n² ÷ 2 … 3 × – “é”", "n² ÷ 2 … 3 × – “é”"),
        ("\u2605, \u4e2d, \u0142", "black star, \\u4e2d, l"),
    ],
)
def test_words_on_a_stream_of_windows(monkeypatch, text, words):
    below = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(below, encoding="cp1252", newline="\n"))
    monkeypatch.setattr("sys.stderr", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    streams.show_in_words()
    print(text, end="", flush=True)
    assert below.getvalue().decode("cp1252") == words


def test_on_a_plain_stream_too():
    assert in_words("n² ≥ 2 … 3 × – é", "ascii") == "n^2 >= 2 ... 3 x - e"
    assert in_words("2ⁱ⁻¹, nᵝ", "ascii") == "2^i-1, n^beta"


def test_what_shows_all_signs_is_left_alone():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="strict")
    assert streams._showing(stream) is stream
    assert in_words("10¹⁰ ≤ ∞", "utf-8") == "10¹⁰ ≤ ∞"
    assert streams._showing(None) is None


def test_every_sign_in_our_texts_has_words():
    signs = {
        sign for path in SOURCES.rglob("*.py") for sign in _texts(path) if not sign.isascii() and sign.isprintable()
    }
    assert len(signs) > 40
    for encoding in ("cp1252", "ascii"):
        for sign in signs - {"\u0304"}:
            in_words(sign, encoding).encode(encoding)


def _texts(path: Path) -> str:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return "".join(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))
