"""Questions that the papers leave open, and how far measurements reach."""

from gpruntime.paper.paper import Paper
from gpruntime.paper.papers.questions import heavy, laws, population

PAPER = Paper(
    name="questions",
    authors="Questions left open",
    title="What the papers above do not answer, each with what the measurements say",
    venue="asked here",
    year=9999,
    seen="claimed by nobody",
    claims=(laws.ORDER_FREE, laws.LOG_CUBED, population.CLAIM, heavy.CLAIM, laws.ORDER_STRICT),
)
