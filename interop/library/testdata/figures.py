"""figures.py TOPOLOGY BATCH PACKETS: as figures.c, with calls of the package, or with numpy batches."""

import sys
import time

import cellwarden as cw

mmu, batch, packets = cw.MMU(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
if batch:
    operations = cw.operations(batch)
    operations["leave"] = [i & 1 for i in range(batch)]
    operations["in_"] = [i // 2 % mmu.ports for i in range(batch)]
    operations["out"] = [(i // 2 + 1) % mmu.ports for i in range(batch)]
    operations["priority"] = [i // 2 & 7 for i in range(batch)]
    operations["bytes"] = 1000
start = time.process_time_ns()
if batch:
    for _ in range(0, packets, batch // 2):
        mmu.batch(operations)
else:
    for n in range(packets):
        in_, priority = n % mmu.ports, n & 7
        out = (in_ + 1) % mmu.ports
        mmu.arrive(in_, out, priority, 1000)
        mmu.leave(in_, out, priority, 1000)
print((time.process_time_ns() - start) / packets)
