"""Closed forms and recurrences behind exact values at n = 1, 2, 3, …: a guess, not a proof.

The last two values are held back from the fit and must be met exactly. What is tried and when it is given:
`form_search` and `recurrences`; the language of closed forms: `forms`. Where nothing is met, the answer is "no form
found".

Values are integers and fractions, never floats: 0.333 is not 1/3, and a rounded number meets no form exactly.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from gpruntime.exact import solve
from gpruntime.model.errors import BadInput, whole
from gpruntime.model.spec import RunSpec
from gpruntime.model.spec_text import sentence
from gpruntime.progress import Shown, simple_bar, telling
from gpruntime.theory.answer import Answer
from gpruntime.theory.form_search import HELD_BACK, closed_form, value_bits
from gpruntime.theory.forms import MAX_N, ClosedForm
from gpruntime.theory.recurrences import Recurrence, recurrence

FEWEST, MOST = 4, 200  # values
_MAX_DIGITS = 4000  # Python writes out no more than 4,300
_LONG = 40
_NONE = "no form found"
_ALLOWED = "must be an integer or a fraction such as 29/2"

Progress = Callable[[int, int], None]


@dataclass(frozen=True, repr=False)
class Guess(Answer):
    """What was found.

    Attributes:
        places: n of each value, increasing.
        values: f(n).
        form: the closed form or the recurrence; None if none was found.
        spec: whose E[evaluations] the values are; None for values that were given.
        remark: what the reader should know of how the values were come by; may be empty.
    """

    places: tuple[int, ...]
    values: tuple[Fraction, ...]
    form: ClosedForm | Recurrence | None
    spec: RunSpec | None = None
    remark: str = ""

    @property
    def kind(self) -> str:
        """ "closed form", "recurrence" or "no form found"."""
        return {ClosedForm: "closed form", Recurrence: "recurrence"}.get(type(self.form), _NONE)

    @property
    def text(self) -> str:
        """The form in one line."""
        if self.form is None:
            return _NONE
        if isinstance(self.form, ClosedForm):
            return f"f(n) = {self.form}"
        begins = [f"f({self.places[0] + at}) = {_short(value)}" for at, value in enumerate(self.form.initial)]
        return f"{self.form}, {', '.join(begins)}"

    def to_latex(self) -> str:
        """The form in LaTeX, as it stands between the signs of a formula."""
        if self.form is None:
            return rf"\text{{{_NONE}}}"
        if isinstance(self.form, ClosedForm):
            return f"f(n) = {self.form.latex}"
        begins = [f"f({self.places[0] + at}) = {_short(value)}" for at, value in enumerate(self.form.initial)]
        return rf"{self.form.latex}, \quad {', '.join(begins)}"

    @property
    def spare_bits(self) -> float | None:
        """By how many bits the form is shorter than the values it explains: the more, the less a matter of chance."""
        if self.form is None:
            return None
        explained = self.values[self.form.order :] if isinstance(self.form, Recurrence) else self.values
        return value_bits(explained) - self.form.bits

    def at(self, n: int) -> Fraction | None:
        """What the form says for this n; None where it says nothing."""
        whole("n", n, min(self.places[0], 0), MAX_N)
        return None if self.form is None else self.form.at(n)

    @property
    def among(self) -> str:
        """The range of n."""
        return f"{self.places[0]} … {self.places[-1]}"

    def sentences(self) -> list[str]:
        """The answer in words."""
        among = f"n = {self.among}"
        if self.form is None:
            words = [f"No form found for the {len(self.values)} values at {among}. More values may show one."]
            return [*words, self.remark] if self.remark else words
        last = f"n = {self.places[-2]} and {self.places[-1]}"
        meets = f"A {self.kind} that meets all {len(self.values)} values at {among}"
        words = [
            f"{self.text}.",
            f"{meets}; those at {last} were held back from the fit.",
            f"It is {self.spare_bits:.0f} bits shorter than what it explains.",
            "This is a guess, not a proof: it says nothing certain of other n.",
        ]
        return [*words, self.remark] if self.remark else words

    def to_record(self) -> dict[str, Any]:
        """Plain data; fractions as text."""
        spare = self.spare_bits
        record: dict[str, Any] = {
            "kind": self.kind,
            "form": None if self.form is None else self.text,
            "latex": None if self.form is None else self.to_latex(),
            "n": list(self.places),
            "values": [str(value) for value in self.values],
            "held_back": list(self.places[-HELD_BACK:]),
            "spare_bits": None if spare is None else round(spare, 1),
            "remark": self.remark,
        }
        if self.spec is not None:
            settings = self.spec.settings
            record["spec"] = {name: settings[name] for name in ("problem", "algorithm", "init", "accept")}
        return record

    more = ".at(n), .to_latex(), .sentences(), .to_record(), .plot()"
    figure = "pictures:values_and_form"

    @property
    def title(self) -> str:
        """Whether there is one."""
        return "A form that meets exact values" if self.form else "No form found"

    def _facts(self) -> list[tuple[str, object]]:
        rows: list[tuple[str, object]] = [("form", self.text), ("LaTeX", self.to_latex())]
        rows += [(f"f({n})", _short(value)) for n, value in zip(self.places, self.values, strict=True)]
        return [*rows, *(("", line) for line in self.sentences()[1:])]


def guess(
    values: RunSpec | Sequence[Any] | Mapping[int, Any],
    first: int = 1,
    seconds: float = 30,
    progress: Shown = None,
) -> Guess:
    """Looks for a closed form, and then for a recurrence.

    Args:
        values: exact values at n = first, first + 1, …, or by n; or a spec, whose E[evaluations] is solved in fractions
            for n = first … its own n, as far as the time allows.
        first: the n of the first value; of a mapping it is not asked.
        seconds: how long a spec's values may take.
        progress: is told of the values that are solved; True shows a bar.

    Raises:
        BadInput: a value is no exact number, or there are too few, or the spec has no such answer.
    """
    if isinstance(values, RunSpec):
        if not 0 < seconds < math.inf:
            raise BadInput("seconds", seconds, "must be a number above 0")
        with telling(progress, lambda: simple_bar("n", asked=True)) as tell:
            return _from_spec(values, whole("first", first, 1, values.n), seconds, tell)
    places, exact = _given(values, first)
    return Guess(places, exact, _form(places, exact))


def _form(places: tuple[int, ...], values: tuple[Fraction, ...]) -> ClosedForm | Recurrence | None:
    form: ClosedForm | Recurrence | None = closed_form(places, values)
    if form is None and places == tuple(range(places[0], places[-1] + 1)):
        form = recurrence(places[0], values)
    return form


def _given(values: Sequence[Any] | Mapping[int, Any], first: int) -> tuple[tuple[int, ...], tuple[Fraction, ...]]:
    """The numbers that were given, checked."""
    if isinstance(values, Mapping):
        places = tuple(sorted(whole("n", n, 0, MAX_N) for n in values))
        numbers = [values[n] for n in places]
    elif isinstance(values, str) or not hasattr(values, "__len__"):
        raise BadInput("values", values, "must be a list of numbers, a mapping from n to numbers, or a RunSpec")
    else:
        numbers = list(values)
        begin = whole("first", first, 0, MAX_N)
        places = tuple(range(begin, begin + len(numbers)))
        whole("n", begin + len(numbers), 0, MAX_N + 1)
    exact = tuple(map(exact_number, numbers))
    if not FEWEST <= len(exact) <= MOST:
        few = f"from {FEWEST} to {MOST} are needed: {HELD_BACK} are held back"
        raise BadInput("values", f"{len(exact)} given", few)
    return places, exact


def exact_number(value: Any) -> Fraction:
    """An integer or a fraction, or its text; floats and decimals are refused: nobody knows which digits were lost."""
    text = value.strip() if isinstance(value, str) else ""
    if isinstance(value, float) or "." in text or "e" in text.lower():
        words = f"{_ALLOWED}: a rounded number meets no form exactly; `gpruntime exact --rational` prints fractions"
        raise BadInput("values", value, words)
    number: Fraction | None = None
    if isinstance(value, Fraction):
        number = value
    elif text and len(text) <= 2 * _MAX_DIGITS:
        try:
            number = Fraction(text.replace("−", "-"))
        except (ValueError, ZeroDivisionError):
            number = None
    elif hasattr(value, "__index__") and not isinstance(value, bool):
        number = Fraction(value.__index__())
    if number is None:
        raise BadInput("values", value, _ALLOWED)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MAX_DIGITS * math.log2(10):
        raise BadInput("values", value, f"must have at most {_MAX_DIGITS:,} digits")
    return number


def _from_spec(spec: RunSpec, first: int, seconds: float, progress: Progress | None) -> Guess:
    begin, values, remark = time.monotonic(), list[Fraction](), ""
    spent = [0.0, 0.0]  # by the last two
    for n in range(first, spec.n + 1):
        since = time.monotonic()
        expected_next = spent[1] * max(spent[1] / spent[0], 1.0) if spent[0] else 0.0
        if values and since - begin + expected_next > seconds:
            remark = f"There was time for n up to {n - 1}."
            break
        try:
            values.append(_expected(spec.replace(n=n)))
        except BadInput as error:
            if not values or error.name != "n":
                raise
            remark = f"n = {n} cannot be solved in fractions: {error.allowed}."
            break
        spent = [spent[1], time.monotonic() - since]
        if progress is not None:
            progress(n - first + 1, spec.n - first + 1)
    if len(values) < FEWEST:
        few = f"{len(values)} values were solved, n = {first} … {first + len(values) - 1}, and {FEWEST} are needed"
        raise BadInput("n", spec.n, f"{few}. {remark}".rstrip(". "))
    places, exact = tuple(range(first, first + len(values))), tuple(values)
    return Guess(places, exact, _form(places, exact), spec, remark)


def _expected(spec: RunSpec) -> Fraction:
    """E[evaluations] as a fraction."""
    mean = solve(spec, rational=True).expected
    if not isinstance(mean, Fraction):
        word = "infinite" if mean == math.inf else "not known exactly"
        raise BadInput(
            "problem", sentence(spec), f"E[evaluations] is {word} at n = {spec.n}: there is nothing to guess"
        )
    return exact_number(mean)


def _short(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= _LONG else f"{float_text(value)} (a fraction of {len(text):,} characters)"


def float_text(value: Fraction) -> str:
    """A large number by its leading digits, whatever its size."""
    try:
        return f"≈ {float(value):.6g}"
    except OverflowError:
        return f"≈ 10^{len(str(abs(value.numerator))) - len(str(value.denominator))}"
