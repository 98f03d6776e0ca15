"""cellwarden for Python: plans of switch buffers, and the packet-level MMU of a planned chip.

plan(), explain(), headroom() and chips() run the command cellwarden and return its documents as dictionaries. MMU calls
the library that is in this package. docs/python.md has examples.
"""

from . import command, errors, mmu
from .command import *
from .errors import *
from .mmu import *

__all__ = []
__all__ += mmu.__all__
__all__ += command.__all__
__all__ += errors.__all__
