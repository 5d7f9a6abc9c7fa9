"""Bloat: what neutral insertions do to the size of a tree, and what parsimony does about it."""

from gpruntime.watch.lessons import END, Lesson, Part, Question

_PAIR = {
    "problem": "majority",
    "algorithm": "gp-single",
    "n": "8",
    "init": "bad",
    "seed": "0",
    "accept": "parsimony",
    "versus": "gp-single",
}

LESSON = Lesson(
    name="bloat",
    title="Bloat",
    line="Why trees grow although nobody asks them to, and what it costs to forbid it.",
    runs={"pair": _PAIR},
    parts=(
        Part(
            "A bad tree",
            """
            Both runs begin with 16 leaves x̄1, the paper's bad initial tree. MAJORITY with n = 8: eight leaves would
            do.

            Right, GP-single accepts every offspring that is at least as good, whatever its size. Left, the same with
            parsimony: of equally good offspring it accepts those that are not larger.
            """,
            "pair",
            question=Question(
                "How many leaves will the last tree on the right have?",
                ("8, the fewest that will do", "About 16, as many as it began with", "More than 20"),
                2,
                "41 on the right, 8 on the left. Look at the lower line of the course. (41 is more than usual: the "
                "mean is below 20, and still far above 8.)",
                END,
            ),
        ),
        Part(
            "Where leaves come from",
            """
            At evaluation 23 the right run inserts an x5, which it has already. The fitness stays at 4, so the offspring
            is accepted, and the tree has one more leaf that does nothing.

            Left, at the same evaluation, a useless leaf comes too. The offspring is equally good, but larger: parsimony
            rejects it.
            """,
            "pair",
            at=23,
            question=Question(
                "Why does the right tree not shrink as fast as it grows?",
                (
                    "Deletions are drawn less often",
                    "Deletions are rejected more often: some leaves are needed",
                    "Deletions are not allowed",
                ),
                1,
                "All three kinds of operation have equal chances. But a deletion may hit a leaf that is needed, as "
                "that of x3 at evaluation 26, and is then rejected. An insertion seldom does harm. So the size "
                "drifts upwards.",
                26,
            ),
        ),
        Part(
            "What it costs",
            """
            Parsimony keeps the tree small: over 2,000 runs from this tree the last one has 8.6 leaves on average,
            against 19.6 ± 0.2 with GP-single (95 % interval; seed 1).
            """,
            "pair",
            at=END,
            question=Question(
                "Is it faster, too, counted in evaluations?",
                ("Yes, about twice as fast", "About equally fast, a little slower", "No, ten times slower"),
                1,
                "A little slower: 114.2 ± 2.5 evaluations with parsimony, 105.0 ± 2.0 without. At n = 100 it is "
                "2,701 ± 34 and 2,408 ± 26, with 100 and 275 leaves at the end. Spare leaves give neutral moves "
                "room; but a larger tree takes longer to evaluate, which this count does not see.",
            ),
        ),
        Part(
            "Try it",
            """
            Choose a rule for the left run, and a seed. `strict` accepts improvements only.
            """,
            "pair",
            tries={"accept": ("parsimony", "parsimony-smaller", "strict"), "seed": ("0", "1", "2", "3")},
        ),
    ),
)
