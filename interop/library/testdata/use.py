"""A Python program that uses the package: use.py TOPOLOGY

Packets come as for the harness. It prints a line for each as that does, once with single calls, then once with numpy
batches, and then the lines "=== NAME JSON" with what else it has seen.
"""

import json
import multiprocessing
import os
import sys

import numpy

import cellwarden as cw

path = sys.argv[1]
packets = [line.split() for line in sys.stdin]
packets = [(int(kind == "l"), *map(int, numbers)) for kind, *numbers in packets]


def kind(leave, result):
    return "l" if leave else "a" if result & cw.ADMITTED else "d"


with cw.MMU(path) as mmu:
    for leave, *packet in packets:
        result = (mmu.leave if leave else mmu.arrive)(*packet)
        line = kind(leave, result)
        if result & (cw.XOFF | cw.XON):
            line += f" {'x' if result & cw.XOFF else 'r'} {packet[0]} {packet[2]}"
        if leave and result & cw.ROOM:
            line += "".join(f" r {port} {priority}" for port, priority in mmu.resume())
        print(line)
    single = mmu.counters()

with cw.MMU(path) as mmu:
    operations = cw.operations(len(packets))
    for field, column in zip(("leave", "in_", "out", "priority", "bytes"), zip(*packets)):
        operations[field] = column
    for start in range(0, len(operations), 512):
        part = operations[start : start + 512]
        signals = mmu.batch(part)
        lines = [kind(o["leave"], o["result"]) for o in part]
        for s in signals:
            lines[s["operation"]] += f" {'x' if s['xoff'] else 'r'} {s['port']} {s['priority']}"
        print("\n".join(lines))
    assert mmu.counters() == single, (mmu.counters(), single)


def tell(name, value):
    print("===", name, json.dumps(value))


def refused(ask):
    try:
        ask()
    except cw.Error as problem:
        return type(problem).__name__
    return "nothing"


def in_child(mmu, queue):
    queue.put(refused(lambda: mmu.arrive(0, 1, 3, 1000)))
    queue.put(refused(lambda: cw.MMU(path)))


mmu = cw.MMU(path)
closed = cw.MMU(path)
closed.close()
closed.close()
wrong = cw.operations(3)
wrong["bytes"], wrong["out"][1] = 1000, -1
try:
    mmu.batch(wrong)
except cw.OutOfRange as problem:
    tell("wrong operation", [problem.index, wrong["result"].tolist()])
readonly = cw.operations(1)
readonly.flags.writeable = False
tell("errors", {
    "range": refused(lambda: mmu.arrive(0, 10**6, 3, 1000)),
    "not held": refused(lambda: mmu.leave(0, 2, 3, 1000)),
    "closed": refused(lambda: closed.counters()),
    "name": refused(lambda: mmu.port("no such port")),
    "changes": refused(lambda: cw.MMU(path, changes=["ports[0].speed=1"])),
    "none": refused(lambda: cw.MMU()),
    "both": refused(lambda: cw.MMU(path, hpcc={})),
    "dtype": refused(lambda: mmu.batch(numpy.zeros(3))),
    "steps": refused(lambda: mmu.batch(cw.operations(4)[::2])),
    "readonly": refused(lambda: mmu.batch(readonly)),
    "plan": refused(lambda: cw.plan({})),
    "flag": refused(lambda: cw.plan("--help")),
})
tell("empty", [len(mmu.batch(cw.operations(0))), len(mmu.batch((cw.Operation * 1)(cw.Operation(0, 0, 1, 3, 64))))])
tell("group", mmu.group(0, 3)._asdict())
if sys.platform == "linux":
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    child = context.Process(target=in_child, args=(mmu, queue))
    child.start()
    tell("forked", [queue.get(), queue.get()])
    child.join()
with open(path, encoding="utf-8") as file:
    tell("plan", cw.plan(path))
tell("explain", cw.explain(path, sys.argv[2], "headroom"))
tell("mmu plan", mmu.plan)
small = {"chip": "tomahawk", "headroom": {"method": "ieee802.1qbb"},
         "pool": {"size": "1MiB", "size_includes_headroom": False},
         "classes": [{"name": "rdma", "priorities": [3], "lossless": True, "alpha": 1, "mtu": "4096B", "reserved": "0B"}],
         "ports": [{"range": "Ethernet0-31", "speed": "100G", "cable": "100km", "mtu": "9216B"}]}
tell("refused", [cw.plan(small)["fits"], refused(lambda: cw.MMU(small))])
os.environ["CELLWARDEN"] = "/nowhere/cellwarden"
tell("no command", refused(lambda: cw.plan(path)))
