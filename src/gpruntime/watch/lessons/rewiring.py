"""Why accepting neutral moves helps Cartesian GP: the three states of Dang, Kalkreuth, Opris (PPSN 2026)."""

from gpruntime.watch.lessons import END, Lesson, Part, Question

_AND = {"problem": "and", "n": "4"}
_PAIR = {**_AND, "algorithm": "cgp:gates=3", "init": "and(x1,x2) and(#1,x3) and(x1,x1) > #2", "seed": "10"}

LESSON = Lesson(
    name="rewiring",
    title="Why neutral moves help circuits",
    line="A gate that nobody reads is rewired for nothing, until one more move makes it count.",
    runs={
        "pair": {**_PAIR, "versus": "cgpstar:gates=3"},
        "spare": {**_AND, "algorithm": "cgp:gates=2n", "seed": "5", "versus": "cgpstar:gates=2n"},
    },
    parts=(
        Part(
            "A circuit that lacks an input",
            """
            Cartesian GP works on gates in a line. Each reads two of what stands before it: inputs, or gates. The output
            reads one of them all. A gate is active if a path leads from it to the output; the others are pale.

            The circuit is to be x1 ∧ x2 ∧ x3 ∧ x4. Gates 1 and 2 use three of the inputs, so the fitness is 1: one
            input is missing. That takes three gates, and gate 3 is not connected to anything that helps.

            Both runs begin here. Left, CGP accepts an offspring that is as good. Right, CGP* only a better one.
            """,
            "pair",
            question=Question(
                "How many genes must change to use all four inputs?",
                ("One", "Two", "Three"),
                2,
                "Three: gate 3 has to read gate 2, and the missing x4, and the output has to read gate 3.",
            ),
        ),
        Part(
            "All at once",
            """
            An offspring is made by changing random genes, until one that is active has changed. So it may change genes
            of gate 3 on the way; but it ends with the first active one.

            CGP* accepts nothing but an improvement. Each of its offspring is made from the first circuit.
            """,
            "pair",
            question=Question(
                "About how long does CGP* wait, on average?",
                ("90 evaluations", "900 evaluations", "9,000 evaluations"),
                2,
                "8,603.5 evaluations, from the exact Markov chain. All three genes have to change in the same "
                "offspring, with the right values. This run had luck: at 830 that happened.",
                830,
            ),
        ),
        Part(
            "One after the other",
            """
            The left run accepts neutral moves. Inactive genes that changed on the way stay changed, if the offspring is
            as good.

            At evaluation 9, gate 3 comes to read gate 2. It is still inactive, so nothing changes; but a part of the
            way is done.
            """,
            "pair",
            at=9,
            question=Question(
                "At evaluation 47 the output comes to read gate 3. What is the fitness then?",
                ("0: all inputs are used", "1, as before", "2: an input is lost"),
                1,
                "As before: three inputs are used, now by three gates. That too is a neutral move. Three evaluations "
                "later one more connection is changed, x2 is used, and the circuit is done.",
                50,
            ),
        ),
        Part(
            "Three states",
            """
            Dang, Kalkreuth and Opris (2026) put this into a chain of three states: nothing is prepared; the circuit is
            one move away from the improvement; it has improved. CGP goes to and fro between the first two. CGP* never
            leaves the first, until it leaps.
            """,
            "pair",
            at=END,
            question=Question(
                "From this circuit CGP* takes 8,603.5 evaluations on average. And CGP?",
                ("About 150", "About 1,500", "About 4,000"),
                0,
                "146.4, from the exact Markov chain: 59 times less. The paper bounds the time by O(nD⁵) for both and, "
                "by this chain, by O(nD⁴) for CGP; D is the number of gates.",
                END,
            ),
        ),
        Part(
            "Spare gates",
            """
            Here both begin with a random circuit of eight gates: five more than are needed. With as few as three, CGP
            takes 94 ± 4 evaluations on average and CGP* 2,151 ± 225 (2,000 runs each; 95 % intervals; seed 1).

            With eight it is 16.8 ± 0.7 and 51 ± 7: then there are many ways to improve. Choose a seed.
            """,
            "spare",
            tries={"seed": ("5", "0", "1", "2", "3")},
        ),
    ),
)
