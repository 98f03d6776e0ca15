"""Questions that the command cellwarden answers with JSON."""

import json
import os
import shutil
import subprocess
from typing import Any, Dict, Iterable, List, Sequence, Union

from .errors import CommandFailed, CommandMissing, QuestionRefused

__all__ = ["chips", "explain", "headroom", "plan"]

Topology = Union[Dict[str, Any], str, "os.PathLike[str]"]


def plan(topology: Topology, changes: Sequence[str] = ()) -> Dict[str, Any]:
    """Plans a switch and returns the document cellwarden.plan/v1, also of a plan that does not fit: see its "fits".

    The topology is a dictionary with the keys of docs/topology.md, or the path of a file. Changes are texts such as
    "ports[0].cable=2km".
    """
    return _asked("plan", topology, changes)


def explain(topology: Topology, port: str, *items: str, changes: Sequence[str] = ()) -> Dict[str, Any]:
    """Returns the document cellwarden.explain/v1: where the numbers of a port come from. Items are such as "headroom"."""
    return _asked("explain", topology, changes, port, *items)


def headroom(links: Iterable[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Sizes the headroom of one group on each link, in one run of the command.

    A link has the flags of `cellwarden headroom` as keys: {"chip": "tomahawk5", "speed": "400G", "cable": "300m"}. The
    answer for it is a document cellwarden.headroom/v1, or a dictionary with "error", such as for a chip whose cell is
    not known.
    """
    text = "".join(json.dumps(link) + "\n" for link in links)
    if not text:
        return []
    code, out, errors = _run(["headroom", "--batch", "-"], text, 0, 2)
    answers = [json.loads(line) for line in out.splitlines()]
    if len(answers) != text.count("\n"):
        raise CommandFailed(code, errors)
    return answers


def chips() -> List[Dict[str, Any]]:
    """Returns the chips of the catalogue, with their numbers."""
    _, out, _ = _run(["asic", "list", "-o", "json"], "", 0)
    return json.loads(out)


def _asked(verb: str, topology: Topology, changes: Sequence[str], *arguments: str) -> Dict[str, Any]:
    if isinstance(topology, dict):
        name, text = "-", json.dumps(topology)
    else:
        # A name is never taken for a flag, or for the standard input.
        name, text = os.path.join(os.path.dirname(os.fspath(topology)) or ".", os.path.basename(topology)), ""
    flags = [part for change in changes for part in ("--set", change)]
    code, out, errors = _run([verb, "-o", "json", *flags, "--", name, *arguments], text, 0, 2, 3)
    if code == 2:
        raise QuestionRefused(errors)
    return json.loads(out)


def _run(arguments: List[str], text: str, *codes: int):
    """Runs the command, which fails with other exit codes than these."""
    command = os.environ.get("CELLWARDEN") or shutil.which("cellwarden")
    if not command:
        raise CommandMissing("install the command cellwarden, or name it in the environment variable CELLWARDEN")
    try:
        done = subprocess.run([command, *arguments], input=text, capture_output=True, encoding="utf-8", check=False)
    except OSError as problem:
        raise CommandMissing(f"{command}: {problem.strerror}") from problem
    errors = done.stderr.strip()
    if done.returncode not in codes:
        raise CommandFailed(done.returncode, errors)
    return done.returncode, done.stdout, errors
