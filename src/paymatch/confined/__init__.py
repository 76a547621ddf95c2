"""Work on foreign files in processes of their own, with budgets of memory, CPU time and wall time.

Knows no subject: it is handed a function, and says how its process ended.
"""

from paymatch.confined.budgets import Crashed, Killed, Overrun, ProcessBudget, Resource, WorkFailed
from paymatch.confined.messages import Tell
from paymatch.confined.starting import as_file, run

__all__ = ["Crashed", "Killed", "Overrun", "ProcessBudget", "Resource", "Tell", "WorkFailed", "as_file", "run"]
