"""The packet-level MMU of a planned chip, by the C library."""

import ctypes
import functools
import json
import os
import pathlib
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from .command import Topology
from .errors import BY_CODE, Closed, DoesNotFit, Error, Fault, LibraryMissing, OutOfRange, QuestionRefused

__all__ = ["ADMITTED", "CAUSES", "MMU", "ROOM", "XOFF", "XON", "Counters", "Group", "Operation", "Signal", "cause",
           "operations"]

ABI = 1

# Bits of a result.
ADMITTED = 1
XOFF = 2  # send XOFF on the packet's ingress port, for its priority
XON = 4  # send XON there
ROOM = 8  # other groups may resume: see MMU.resume

# Why a packet is dropped.
CAUSES = ("", "group limit", "port limit", "pool full", "headroom full", "headroom pool full", "global headroom full",
          "queue limit", "egress port limit", "egress pool full")


def cause(result: int) -> str:
    """Returns why a packet was dropped; empty: it was not."""
    return CAUSES[result >> 8]


class Operation(ctypes.Structure):
    """One of a batch: a packet that arrives or leaves, and what became of it."""

    _fields_ = [(n, ctypes.c_int32) for n in ("leave", "in_", "out", "priority", "bytes", "result")]


class Signal(ctypes.Structure):
    """A pause signal (xoff 1) or its end (xoff 0), and the index of the operation that caused it."""

    _fields_ = [(n, ctypes.c_int32) for n in ("operation", "port", "priority", "xoff")]


class Group(NamedTuple):
    """What a group holds, in cells over all slices. limit is that of its shared cells now; -1: none."""

    reserved: int
    shared: int
    headroom: int
    peak_shared: int
    peak_headroom: int
    limit: int
    paused: bool


class Counters(NamedTuple):
    """Packets and signals since the MMU was made. drops has those dropped by cause."""

    admitted: int
    left: int
    dropped: int
    drops: Dict[str, int]
    xoff: int
    xon: int
    shared: int


class _Group(ctypes.Structure):
    _fields_ = [(n, ctypes.c_int64) for n in Group._fields]


class _Counters(ctypes.Structure):
    _fields_ = [("admitted", ctypes.c_int64), ("left", ctypes.c_int64), ("dropped", ctypes.c_int64 * 10),
                ("xoff", ctypes.c_int64), ("xon", ctypes.c_int64), ("shared", ctypes.c_int64)]


def operations(count: int):
    """Returns a numpy array of operations, all 0. Its fields are those of Operation."""
    import numpy

    return numpy.zeros(count, dtype=_dtype(Operation))


@functools.lru_cache(maxsize=None)
def _dtype(structure):
    """The form of a structure in numpy: of the same layout, so that nothing is copied."""
    import numpy

    return numpy.dtype(structure)


@functools.lru_cache(maxsize=None)
def _load() -> ctypes.CDLL:
    path = os.environ.get("CELLWARDEN_LIBRARY") or str(pathlib.Path(__file__).with_name("libcellwarden.so"))
    try:
        lib = ctypes.CDLL(path)
        lib.cellwarden_error.restype = ctypes.c_char_p
        found = lib.cellwarden_abi()
    except (OSError, AttributeError) as problem:
        raise LibraryMissing(str(problem)) from problem
    if found != ABI:
        raise LibraryMissing(f"{path} has version {found} of the interface (want {ABI})")
    integer, pointer, handle = ctypes.c_int32, ctypes.c_void_p, ctypes.c_uint64
    for name, arguments in {
        "new": (ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(handle), ctypes.POINTER(pointer)),
        "free": (handle,), "ports": (handle,), "cell": (handle,), "port": (handle, ctypes.c_char_p),
        "arrive": (handle, integer, integer, integer, integer), "leave": (handle, integer, integer, integer, integer),
        "resume": (handle, ctypes.POINTER(integer), ctypes.POINTER(integer)),
        "batch": (handle, pointer, integer, pointer, integer, ctypes.POINTER(integer)),
        "group": (handle, integer, integer, ctypes.POINTER(_Group)), "counters": (handle, ctypes.POINTER(_Counters)),
    }.items():
        getattr(lib, "cellwarden_mmu_" + name).argtypes = arguments
    lib.cellwarden_free.argtypes = (pointer,)
    lib.cellwarden_free.restype = None
    return lib


class MMU:
    """The MMU of a planned switch. It is used by one thread at a time; close it, or use it in a with statement.

    Ports are numbers from 0 in the order of the topology, and port() finds them by name.
    """

    def __init__(self, topology: Optional[Topology] = None, *, changes: Sequence[str] = (),
                 files: Optional[Dict[str, str]] = None, behaviour: Optional[str] = None,
                 hpcc: Optional[Dict[str, Any]] = None):
        """topology is a dictionary or the path of a file. files has the texts of files that a dictionary names.

        behaviour is the family whose rule of admission is used; by default it is the chip's own. hpcc gives the sizes of
        HPCC's rule in place of a topology: see cellwarden.h. DoesNotFit is raised for a plan that is refused.
        """
        self._handle = 0
        self._signals = (Signal * 0)()
        in_file = topology is not None and not isinstance(topology, dict)
        given = {"path" if in_file else "topology": os.fspath(topology) if in_file else topology,
                 "set": list(changes) or None, "files": files, "behaviour": behaviour, "hpcc": hpcc}
        question = {key: value for key, value in given.items() if value is not None}
        self._lib = lib = _load()
        text, handle, answer = json.dumps(question).encode(), ctypes.c_uint64(), ctypes.c_void_p()
        code = lib.cellwarden_mmu_new(text, len(text), ctypes.byref(handle), ctypes.byref(answer))
        try:
            said = ctypes.string_at(answer.value).decode() if answer.value else ""
        finally:
            lib.cellwarden_free(answer)
        if code == 1:
            raise DoesNotFit(json.loads(said))
        if code in (-1, -2):
            raise QuestionRefused(said or self._text(code))
        self._checked(code, said)
        self._handle = handle.value
        self._arrive, self._leave = lib.cellwarden_mmu_arrive, lib.cellwarden_mmu_leave
        self.plan: Optional[Dict[str, Any]] = json.loads(said) if said != "null" else None
        self.ports: int = self._checked(lib.cellwarden_mmu_ports(self._handle))
        self.cell_bytes: int = self._checked(lib.cellwarden_mmu_cell(self._handle))

    def port(self, name: str) -> int:
        """Returns the number of a port."""
        try:
            return self._checked(self._lib.cellwarden_mmu_port(self._handle, name.encode()))
        except OutOfRange:
            raise OutOfRange(f"no port has the name {name!r}") from None

    def arrive(self, in_: int, out: int, priority: int, bytes: int) -> int:
        """Admits a packet or drops it: a result with ADMITTED, or of which cause() says why not, and XOFF."""
        result = self._arrive(self._handle, in_, out, priority, bytes)
        return result if result >= 0 else self._checked(result)

    def leave(self, in_: int, out: int, priority: int, bytes: int) -> int:
        """Gives back the cells of an admitted packet: a result with XON and ROOM."""
        result = self._leave(self._handle, in_, out, priority, bytes)
        return result if result >= 0 else self._checked(result)

    def resume(self) -> List[Tuple[int, int]]:
        """Resumes the other groups that may resume now, and returns their ports and priorities."""
        port, priority, out = ctypes.c_int32(), ctypes.c_int32(), []
        while self._checked(self._lib.cellwarden_mmu_resume(self._handle, ctypes.byref(port), ctypes.byref(priority))):
            out.append((port.value, priority.value))
        return out

    def batch(self, operations) -> Any:
        """Makes operations one after the other, sets their results, and returns the signals in their order.

        operations is a numpy array such as operations(n) gives, or a ctypes array of Operation; it is not copied.
        The signals are a numpy array if operations is one, or a ctypes array. An operation that is wrong raises its
        error, with the attribute index; those before it are made, and their signals are in the attribute signals.
        """
        is_numpy = hasattr(operations, "dtype")
        if is_numpy:
            if operations.dtype != _dtype(Operation) or operations.ndim != 1:
                raise QuestionRefused(f"operations of {operations.dtype}: want an array such as operations(n) gives")
            if not operations.flags.c_contiguous:
                raise QuestionRefused("operations: want an array without gaps; take a copy of a slice with steps")
        count, left = divmod(memoryview(operations).nbytes, ctypes.sizeof(Operation))
        if left:
            raise QuestionRefused(f"operations: {count} of them and {left} bytes more")
        # Each XON follows an XOFF, of these operations or of a group that was paused before.
        if len(self._signals) < 2 * count + 8 * self.ports:
            self._signals = (Signal * (2 * count + 8 * self.ports))()
        signals, signalled = self._signals, ctypes.c_int32()
        try:
            start = (Operation * count).from_buffer(operations) if count else None
        except TypeError as problem:
            raise QuestionRefused(f"operations: {problem}: want a buffer that can be written") from problem
        done = self._checked(self._lib.cellwarden_mmu_batch(self._handle, start, count, signals, len(signals),
                                                            ctypes.byref(signalled)))
        said: Any = (Signal * signalled.value).from_buffer_copy(signals)
        if is_numpy:
            import numpy

            said = numpy.frombuffer(said, dtype=_dtype(Signal)) if len(said) else numpy.zeros(0, _dtype(Signal))
        if done < count:
            problem = self._error(start[done].result)
            problem.index, problem.signals = done, said
            raise problem
        return said

    def group(self, port: int, priority: int) -> Group:
        """Returns what the group of a port and priority holds."""
        g = _Group()
        self._checked(self._lib.cellwarden_mmu_group(self._handle, port, priority, ctypes.byref(g)))
        values = [getattr(g, n) for n in Group._fields]
        return Group(*values[:-1], paused=bool(values[-1]))

    def counters(self) -> Counters:
        """Returns the counters."""
        c = _Counters()
        self._checked(self._lib.cellwarden_mmu_counters(self._handle, ctypes.byref(c)))
        drops = {CAUSES[i]: c.dropped[i] for i in range(1, len(CAUSES)) if c.dropped[i]}
        return Counters(c.admitted, c.left, c.dropped[0], drops, c.xoff, c.xon, c.shared)

    def close(self) -> None:
        """Frees the MMU. A second call does nothing."""
        handle, self._handle = self._handle, 0
        if handle:
            self._checked(self._lib.cellwarden_mmu_free(handle))

    def __enter__(self) -> "MMU":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Error:  # of a forked process, which frees nothing
            pass

    def _text(self, code: int) -> str:
        return self._lib.cellwarden_error(code).decode()

    def _error(self, code: int, said: str = "") -> Exception:
        if code == -3 and not self._handle:
            return Closed("the MMU was closed")
        return BY_CODE.get(code, Fault)(said or self._text(code))

    def _checked(self, code: int, said: str = "") -> int:
        if code < 0:
            raise self._error(code, said)
        return code
