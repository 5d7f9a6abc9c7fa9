"""ORDER for the kernels: the tree, the order of its leaves, and the first leaf of each variable."""

from gpruntime.engine.ordered import OrderedState
from gpruntime.engine.problems.order.skipping import SKIPPING, OrderSkip
from gpruntime.engine.problems.order.stepping import STEPPING

FORMS = {"stepping": (OrderedState, STEPPING), "skipping": (OrderSkip, SKIPPING)}
