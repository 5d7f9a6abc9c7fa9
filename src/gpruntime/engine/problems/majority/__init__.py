"""MAJORITY for the kernels: counts are enough."""

from gpruntime.engine.problems.majority.skipping import SKIPPING, MajoritySkip
from gpruntime.engine.problems.majority.stepping import STEPPING, MajorityState

FORMS = {"stepping": (MajorityState, STEPPING), "skipping": (MajoritySkip, SKIPPING)}
