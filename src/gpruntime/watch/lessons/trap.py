"""The trap T_lopt: one leaf away from the optimum, and never there."""

from gpruntime.watch.lessons import END, Lesson, Part, Question

_TREE = {"problem": "majority", "n": "4", "init": "tlopt"}
_SEEDS = tuple(str(seed) for seed in range(3))

LESSON = Lesson(
    name="trap",
    title="The trap T_lopt",
    line="A tree with all variables but one, from which one algorithm never gets away and another does in no time.",
    runs={
        "strict": {**_TREE, "algorithm": "gpstar-single", "seed": "0"},
        "weak": {**_TREE, "algorithm": "gp-single", "seed": "0", "versus": "gpstar-single"},
        "multi": {**_TREE, "algorithm": "gpstar-multi", "seed": "0"},
        "any": {**_TREE, "algorithm": "gpstar-multi", "seed": "0"},
    },
    parts=(
        Part(
            "A tree that looks good",
            """
            MAJORITY asks that each variable x_i occurs, and at least as often as its complement x̄_i. This tree has x1,
            x2 and x3 once each, so three of four variables count. The paper calls it T_lopt.

            The fourth is far away: there are five leaves x̄4 and no x4. Its deficit, complements minus variables, is 5.
            The bars on the page show the deficits.

            GP*-single makes one operation at a time and accepts improvements only.
            """,
            "strict",
            question=Question(
                "Which single operation improves this tree?",
                ("Inserting an x4", "Replacing an x̄4 by x4", "Deleting an x̄4", "None"),
                3,
                "None. Inserting an x4 or deleting an x̄4 lowers the deficit from 5 to 4, replacing an x̄4 by x4 to "
                "3. x4 counts only at 0 or below, so the fitness stays as it is and the offspring is rejected. The "
                "run is stuck at its first evaluation, and its time is infinite. All single operations were tried: "
                "the count is below the course.",
                END,
            ),
        ),
        Part(
            "With neutral moves",
            """
            On the left, the same tree with GP-single. It accepts an offspring that is equally good. On the right,
            GP*-single, stuck as before.

            An offspring with one x̄4 less has the same fitness. It is neutral.
            """,
            "weak",
            question=Question(
                "What will the run on the left do?",
                ("It is stuck too", "It walks: the deficit goes up and down", "It improves at once"),
                1,
                "It walks. Each neutral move may take an x̄4 away, or bring one in, so the deficit wanders until it "
                "is 0. This run reached the optimum after 31 evaluations. Play it again from the start and watch the "
                "bar of x4.",
                END,
            ),
        ),
        Part(
            "Several operations at once",
            """
            GP*-multi accepts improvements only, too. But an offspring has 1 + Pois(1) operations: often one or two,
            sometimes more.
            """,
            "multi",
            question=Question(
                "Can GP*-multi leave the trap?",
                ("No, never", "Yes, in one leap", "Yes, step by step"),
                1,
                "In one leap. One offspring must remove the whole deficit and lose nothing else: here five leaves' "
                "worth, in three operations or more. So it waits: 1,004 evaluations in this run. Over 2,000 runs "
                "the mean is 2,330 ± 110, and 30.4 ± 1.0 for GP-single (95 % intervals; seed 1). With n = 3 in place "
                "of 4 it is 201 ± 9: the wait grows exponentially with n.",
                END,
            ),
        ),
        Part(
            "Try it",
            """
            Choose algorithm, seed and n. GP-single and GP-multi walk out, GP*-multi leaps, GP*-single stays.

            With a larger n the trap is deeper: T_lopt has n + 1 leaves x̄_n.
            """,
            "any",
            tries={
                "algorithm": ("gpstar-multi", "gp-single", "gp-multi", "gpstar-single"),
                "seed": _SEEDS,
                "n": ("4", "3"),
            },
        ),
    ),
)
