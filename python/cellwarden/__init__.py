"""cellwarden for Python: plans of switch buffers, and the packet-level MMU of a planned chip.

plan(), explain(), headroom() and chips() run the command cellwarden and return its documents as dictionaries. MMU calls
the library that is in this package. docs/python.md has examples.
"""

from .command import chips, explain, headroom, plan
from .errors import (
    Busy,
    Closed,
    CommandFailed,
    CommandMissing,
    DoesNotFit,
    Error,
    Fault,
    Forked,
    LibraryMissing,
    NotHeld,
    OutOfRange,
    QuestionRefused,
    TooMany,
)
from .mmu import ADMITTED, CAUSES, MMU, ROOM, XOFF, XON, Counters, Group, Operation, Signal, cause, operations

__all__ = [
    "ADMITTED", "CAUSES", "MMU", "ROOM", "XOFF", "XON", "Counters", "Group", "Operation", "Signal", "cause", "operations",
    "chips", "explain", "headroom", "plan",
    "Busy", "Closed", "CommandFailed", "CommandMissing", "DoesNotFit", "Error", "Fault", "Forked", "LibraryMissing",
    "NotHeld", "OutOfRange", "QuestionRefused", "TooMany",
]
