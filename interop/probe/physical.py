"""A simulated switch for sonic-mgmt's executors of real switches, which stay as they are.

Those executors read counters by the functions of sonic-mgmt's module "switch", and wait. install() puts a module with
this name in its place, whose functions ask cellwarden, and lets the time that they wait pass in the simulation.
"""

import sys
import time
import types

import cellwarden_executor as lines

# The places of counters in what sai_thrift_read_port_counters returns, as sai_qos_tests.py has them.
EGRESS_DROP, INGRESS_DROP, INGRESS_PORT_BUFFER_DROP, EGRESS_PORT_BUFFER_DROP = 0, 1, 12, 13
FIRST_PAUSE = 2  # that of priority 0
GROUPS = (3, 4)


class Same(dict):
    """Ports by number: the handle of a port is its number."""

    def __missing__(self, port):
        return port


def read_port_counters(client, asic_type, port):
    """Return the counters of a port, as sonic-mgmt's sai_thrift_read_port_counters."""
    out = [0] * 32
    for pg in GROUPS:
        c = lines.switch.counters(port, pg, port)
        out[FIRST_PAUSE + pg] = c["pause_frames"]
        out[INGRESS_DROP] += c["dropped_packets"]
        out[EGRESS_DROP] = c.get("egress_dropped_packets", 0)
    out[INGRESS_PORT_BUFFER_DROP], out[EGRESS_PORT_BUFFER_DROP] = out[INGRESS_DROP], out[EGRESS_DROP]
    return out, [0] * 10


def read_pg_drop_counters(client, port):
    """Return the drops of a port's groups, as sonic-mgmt's sai_thrift_read_pg_drop_counters."""
    return [lines.switch.counters(port, pg)["dropped_packets"] if pg in GROUPS else 0 for pg in range(8)]


def sleep(seconds):
    """Let time pass in the simulation."""
    if lines.switch is not None:
        lines.switch.ask(op="wait", us=int(seconds * 1e6))


def install():
    """Put the module in its place. Call it before a probe is imported."""
    fake = types.ModuleType("switch")
    fake.__getattr__ = lambda name: lambda *args, **kwargs: None  # what the probes import and never call
    fake.sai_thrift_read_port_counters = read_port_counters
    fake.sai_thrift_read_pg_drop_counters = read_pg_drop_counters
    fake.port_list = {"src": Same(), "dst": Same()}
    sys.modules["switch"] = fake
    time.sleep = sleep
