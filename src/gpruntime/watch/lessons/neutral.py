"""Why accepting neutral moves helps on ORDER."""

from gpruntime.watch.lessons import END, Lesson, Part, Question

_PAIR = {"problem": "order", "algorithm": "gp-single", "n": "6", "seed": "5", "versus": "gpstar-single"}

LESSON = Lesson(
    name="neutral",
    title="Why neutral moves help on ORDER",
    line="Two runs from one tree: one accepts offspring that are equally good, the other does not.",
    runs={"pair": _PAIR},
    parts=(
        Part(
            "Two runs from one tree",
            """
            ORDER reads the leaves from left to right. A variable counts if its first occurrence is x_i and not x̄_i.
            Here x3 and x4 count, so the fitness is 2 of 6.

            Left, GP-single accepts an offspring that is at least as good. Right, GP*-single accepts only a better one.
            A move that leaves the fitness as it is is called neutral.
            """,
            "pair",
            question=Question(
                "After ten offspring, how many will each have accepted?",
                ("About the same number", "Left nearly all, right none", "Left none, right nearly all"),
                1,
                "Left nine, right none. Most moves are neutral: they touch leaves that stand behind the first "
                "occurrence of their variable. The left tree changes all the time, the right one waits.",
                11,
            ),
        ),
        Part(
            "The right run waits",
            """
            After 15 evaluations the right run has five of six variables. x6 is missing: the third leaf is x̄6, and it
            comes first.

            To express x6, one operation must put x6 in front of that leaf, or on it. There are 708 single operations on
            this tree.
            """,
            "pair",
            at=15,
            question=Question(
                "About how long does it wait, on average?",
                ("8 evaluations", "80 evaluations", "800 evaluations"),
                1,
                "About 80. Only 12 of the 708 operations help: 9 insertions and 3 substitutions, together with a "
                "chance of 1 in 81. This run had bad luck and waited 424 evaluations, until 439.",
                439,
            ),
        ),
        Part(
            "The left run prepares",
            """
            The left run had the same x̄6 in the same place. At evaluation 21 it deletes it. The fitness stays as it is,
            so this is a neutral move; GP*-single would reject it.

            Now x6 is absent, not blocked.
            """,
            "pair",
            at=21,
            question=Question(
                "Where may x6 now be put, to be expressed?",
                ("At the front only", "Anywhere", "Behind x3 only"),
                1,
                "Anywhere. Nothing comes before it. That is how neutral moves help: they take blocks away, or put an "
                "x_i behind one, until an easy step is left. Here x6 comes in at evaluation 28.",
                28,
            ),
        ),
        Part(
            "Many runs",
            """
            One pair of runs proves nothing: with seed 11 the right one is faster. So look at many.

            At n = 6 the mean of 2,000 runs is 65.2 ± 2.1 evaluations for GP-single and 122.1 ± 6.3 for GP*-single (95 %
            intervals; seed 1).
            """,
            "pair",
            at=END,
            question=Question(
                "And at n = 100?",
                ("They are equal", "GP*-single takes about twice as long", "GP*-single takes about nine times as long"),
                2,
                "2,762 ± 40 for GP-single and 25,830 ± 1,170 for GP*-single: 9.4 times as long. The factor grows "
                "with n. `gpruntime paper` says how fast.",
            ),
        ),
        Part(
            "Try it",
            """
            Choose a seed and n. How often is the left run faster? How long does each wait for its last variable?
            """,
            "pair",
            tries={"seed": ("5", "0", "1", "2", "3", "11"), "n": ("6", "10")},
        ),
    ),
)
