"""What can go wrong. Every error of this package is an Error."""

__all__ = [
    "Busy", "Closed", "CommandFailed", "CommandMissing", "DoesNotFit", "Error", "Fault", "Forked", "LibraryMissing",
    "NotHeld", "OutOfRange", "QuestionRefused", "TooMany",
]


class Error(Exception):
    """Any error of cellwarden."""


class QuestionRefused(Error, ValueError):
    """A topology or another input is wrong; the text has a line for each complaint."""


class DoesNotFit(Error):
    """The chip refuses the plan, so there is no MMU. plan is the document with the refusals and their remedies."""

    def __init__(self, plan):
        refusals = plan.get("refusals") or []
        super().__init__(f"{len(refusals)} ports are refused; plan[\"refusals\"] says why")
        self.plan = plan


class CommandMissing(Error):
    """There is no command cellwarden: install it, or name it in the environment variable CELLWARDEN."""


class CommandFailed(Error):
    """The command failed for another reason than its input. code is its exit code."""

    def __init__(self, code, text):
        super().__init__(f"exit {code}: {text}")
        self.code = code


class LibraryMissing(Error):
    """The library of this package cannot be loaded here, or has another version."""


class Closed(Error):
    """The MMU was closed."""


class Busy(Error):
    """Another thread is using this MMU."""


class OutOfRange(Error, IndexError):
    """No such port or priority, or a packet that is empty or too long."""


class NotHeld(Error, ValueError):
    """The group or the queue holds fewer cells than the packet would give back."""


class Forked(Error):
    """The process was forked after the library was loaded: use the start method "spawn" of multiprocessing."""


class Fault(Error):
    """A fault in cellwarden: please report it. The MMU cannot be used any more."""


class TooMany(Error):
    """Too many MMUs at one time: close some."""


# By the codes of cellwarden.h; the others are refused before a call.
BY_CODE = {-3: Closed, -4: Busy, -5: OutOfRange, -6: NotHeld, -7: Forked, -8: Fault, -9: MemoryError, -10: TooMany}
