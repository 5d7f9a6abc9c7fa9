"""How it is proved that a run is stuck."""

from gpruntime.watch.lessons import END, Lesson, Part, Question

_RUN = {"problem": "majority", "algorithm": "gpstar-single", "n": "6", "seed": "0"}

LESSON = Lesson(
    name="stuck",
    title="How stuck is proved",
    line="A run that will never end is told apart from one that is slow: by proof, not by waiting.",
    runs={"run": _RUN},
    parts=(
        Part(
            "Two variables are missing",
            """
            GP*-single on MAJORITY, from a random tree of 12 leaves. Four of six variables count, and only improvements
            are accepted.

            x5 has two complements and one variable: deficit 1. x1 has three complements and no variable: deficit 3. So
            far, 13 offspring were rejected.
            """,
            "run",
            at=14,
            question=Question(
                "Which of the two can still be expressed by one operation?",
                ("x1", "x5", "Both", "Neither"),
                1,
                "x5: with a deficit of 1 it is enough to delete an x̄5, to replace one, or to insert an x5. The next "
                "offspring replaces an x̄5, and x5 counts.",
                15,
            ),
        ),
        Part(
            "One variable is missing",
            """
            Now only x1 is missing, with three complements and no variable. The page says that the run is stuck.
            """,
            "run",
            at=END,
            question=Question(
                "How does the program know?",
                ("It waited very long", "It tried, or proved, that no operation helps", "It guessed from the course"),
                1,
                "One operation adds at most one leaf and takes out at most one. So it lowers a deficit by at most 2, "
                "and 3 − 2 is still above 0. No offspring can express x1, and nothing else can improve. On a tree as "
                "small as this all operations can be tried as well: the count is below the course.",
            ),
        ),
        Part(
            "What it means for a mean",
            """
            A stuck run never reaches the optimum: its time is infinite. It is not a missing value, and it is not the
            number of evaluations at which we stopped looking.

            For this setting the probability of being stuck is 0.1831, from the exact Markov chain (`gpruntime exact`).
            """,
            "run",
            at=END,
            question=Question(
                "So what is the expected time of GP*-single here?",
                ("About 124 evaluations", "About 124 / 0.82 evaluations", "Infinite"),
                2,
                "Infinite. 123.9 is the mean of the runs that reach the optimum, a different question. That is why "
                "every table here says what happened to the other runs.",
            ),
        ),
        Part(
            "Try it",
            """
            Choose a seed and an algorithm. With neutral moves (GP-single) or with several operations an offspring
            (GP*-multi) no run is stuck.
            """,
            "run",
            tries={
                "seed": ("0", "1", "2", "3", "5", "6"),
                "algorithm": ("gpstar-single", "gp-single", "gpstar-multi"),
            },
        ),
    ),
)
