"""Real sub- and superscripts."""

import pytest

from gpruntime.show.markup import rich, signs, tex, without_tex


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("T_max ≤ T_init + n.", "T<sub>max</sub> ≤ T<sub>init</sub> + n."),
        ("n^−0.10 [−0.21, 0.0093]", "n<sup>−0.10</sup> [−0.21, 0.0093]"),
        ("like n^1.5. Then", "like n<sup>1.5</sup>. Then"),
        ("n^1.5·10⁻⁵", "n<sup>1.5·10<sup>−5</sup></sup>"),
        ("(n/2e)^(n/2), 4^t, c·n^α", "(n/2e)<sup>n/2</sup>, 4<sup>t</sup>, c·n<sup>α</sup>"),
        ("t^−a", "t<sup>−a</sup>"),
        ("9.5·10⁻⁵·n²", "9.5·10<sup>−5</sup>·n<sup>2</sup>"),
        ("x₁ … x_{n−1}, x̄_i", "x<sub>1</sub> … x<sub>n−1</sub>, x̄<sub>i</sub>"),
        ("P(A₃) & <b>", "P(A<sub>3</sub>) &amp; &lt;b&gt;"),
        ("tree x_y.txt, run_many, cor:a_b", "tree x_y.txt, run_many, cor:a_b"),
        ("p_19, AND_n, n^−½ and 3^states", "p<sub>19</sub>, AND<sub>n</sub>, n<sup>−½</sup> and 3<sup>states</sup>"),
        ("GP*-single", '<span class="whole">GP*-single</span>'),
    ],
)
def test_rich(text, html):
    assert str(rich(text)) == html


def test_links_are_whole_words():
    links = {"cor:a": "#a", "cor:a-b": "#ab"}
    assert str(rich("cor:a-b and cor:a: n²", links)) == (
        '<a href="#ab">cor:a-b</a> and <a href="#a">cor:a</a>: n<sup>2</sup>'
    )
    assert str(rich("xcor:a cor:ab cor:a:b", links)) == "xcor:a cor:ab cor:a:b"


def test_figures_have_real_indices_too():
    assert tex("E[T_max] ÷ n") == r"E[$T_{\mathrm{max}}$] ÷ n"
    assert tex("limit $e^{-2}/k!$, T_max") == "limit $e^{-2}/k!$, T_max"
    assert without_tex(tex("E[T_max] ÷ n")) == "E[T_max] ÷ n"
    assert without_tex(r"$\mathrm{E}[T_{\max}] \div n$") == "E[T_max] ÷ n"


def test_a_terminal_has_what_unicode_has():
    assert signs("T_max ≤ T_init + n, x_{n−1}, 2^(i−1), AND_n") == "Tₘₐₓ ≤ Tᵢₙᵢₜ + n, xₙ₋₁, 2ⁱ⁻¹, ANDₙ"
    assert signs("n^1.5, (n/2e)^(n/2), GP*-single, x₁, cor:a_b") == "n^1.5, (n/2e)^(n/2), GP*-single, x₁, cor:a_b"
