"""MAJORITY on the page: the deficits D_i = c(x̄_i) − c(x_i)."""

from __future__ import annotations

from gpruntime.watch.annotations import BLOCKING, EXPRESSED, HIDDEN, NOTHING, OfCounts, Row, Variable


class _Majority(OfCounts):
    """The deficits."""

    title = "Deficit of each variable: complements minus variables"
    legend = {  # noqa: RUF012
        EXPRESSED: "expressed: it counts",
        BLOCKING: "blocking: x̄1 outnumbers x1",
        HIDDEN: "outvoted",
    }

    def row(self, variable: Variable) -> Row:
        deficit = variable.bar - variable.plain
        text = NOTHING if variable.is_absent else f"{deficit:+}".replace("-", "−") if deficit else "0"
        words = f"x{variable.number}: {self.counted(variable)}"
        if not variable.is_absent:
            words += f", deficit {deficit}"
        return Row(self.standing_of(variable), max(deficit, 0), max(-deficit, 0), text, words)

    def lost(self, variable: Variable, accepted: bool) -> str:
        if variable.plain == 0:
            return super().lost(variable, accepted)
        i, verb = variable.number, "now outnumbers" if accepted else "would outnumber"
        return f"x\u0304{i} {verb} x{i} ({variable.bar:,} to {variable.plain:,})"

    def definition(self) -> str:
        return (
            "Count the leaves; their order does not matter. A variable is expressed, and counts, if x_i occurs at "
            "least as often as its complement x̄_i, and at least once. Its deficit is the number of x̄_i minus the "
            "number of x_i. The fitness is the number of expressed variables. "
            f"The best is n = {self.n:,}: all of them are."
        )

    def reached(self) -> str:
        return f"all {self.n:,} variables are expressed"


ANNOTATIONS = _Majority
