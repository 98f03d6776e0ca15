"""Runs the four probes of sonic-mgmt's framework against cellwarden, and compares what they find with
`cellwarden probe`.

    run.py SAITESTS CELLWARDEN PROBE_FILE

SAITESTS is the folder tests/saitests of a checkout of sonic-mgmt. The exit code is 1
if a probe finds another threshold than cellwarden states.
"""

import json
import os
import subprocess
import sys
import time
from unittest.mock import MagicMock

SAITESTS, CELLWARDEN, FILE = sys.argv[1:4]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SAITESTS, "mock", "it"))

# The framework's own helper replaces PTF and SAI by mocks, and adds the framework to the path.
import probe_test_helper as helper  # noqa: E402

helper.setup_test_environment()
time.sleep = lambda seconds: None

import cellwarden_executor  # noqa: E402
import probing_base  # noqa: E402
from headroom_pool_probing import HeadroomPoolProbing  # noqa: E402
from ingress_drop_probing import IngressDropProbing  # noqa: E402
from pfc_xoff_probing import PfcXoffProbing  # noqa: E402
from pfc_xon_probing import PfcXonProbing  # noqa: E402

SOURCES = 24  # ingress ports
DST, HOLDER = 100, 101
POOL_CELLS = 200000  # where the framework begins to look


def parameters(**more):
    """Return test parameters as sonic-mgmt gives them."""
    ports = list(range(SOURCES)) + [DST, HOLDER]
    ips = {p: {"peer_addr": "10.0.0.%d" % p, "vlan_id": None} for p in ports}
    return dict({"pg": 3, "dscp": 3, "ecn": 1, "cell_size": 208, "hwsku": "cellwarden", "asic_type": "cellwarden",
                 "sonic_asic_type": "cellwarden", "executor_env": "sim", "test_port_ips": {0: {0: ips}},
                 "router_mac": "00:00:00:00:00:01"}, **more)


def instance(probe_class, params):
    """Return a probe that reaches cellwarden where it would reach a switch."""
    p = helper.create_probe_instance(probe_class, params)
    p.sai_thrift_port_tx_disable = cellwarden_executor.hold_ports
    p.sai_thrift_port_tx_enable = cellwarden_executor.drain_ports
    p.get_pool_size = lambda: POOL_CELLS
    p.create_executor = probe_class.create_executor.__get__(p)
    probing_base.send_packet = cellwarden_executor.send_packet
    return p


def run(probe_class, params, **attributes):
    """Run a probe from the beginning to its result."""
    probe = instance(probe_class, params)
    for name, value in attributes.items():
        setattr(probe, name, value)
    # A packet is its egress port and its group, in place of one of scapy.
    manager = sys.modules[probe_class.__module__].StreamManager
    get_packet = manager.get_packet
    manager.get_packet = lambda self, src, dst, **keys: (dst, keys["pg"])
    try:
        probe.runTest()
    finally:
        manager.get_packet = get_packet
    return probe.probe_result


def stated(file):
    """Return what cellwarden states."""
    out = subprocess.run([CELLWARDEN, "probe", file, "-o", "json"], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def main():
    answer = stated(FILE)
    first, groups = answer["groups"][0], answer["groups"]
    switch = cellwarden_executor.install([CELLWARDEN, "probe", FILE, "--requests"])
    point = {"ENABLE_PRECISE_DETECTION": True}
    rows = []

    def compare(name, result, want):
        rows.append((name, result.lower_bound, result.upper_bound, want))

    compare("PFC XOFF", run(PfcXoffProbing, parameters(probing_port_ids=[0, DST]), **point), first["xoff_at_packet"])
    switch.ask(op="reset")
    compare("PFC XON", run(PfcXonProbing, parameters(probing_port_ids=[0, DST, HOLDER], pfcxoff_point=1)),
            first["xon_below_packets"])
    switch.ask(op="reset")
    compare("ingress drop", run(IngressDropProbing, parameters(probing_port_ids=[0, DST]), **point),
            first["drop_at_packet"])
    switch.ask(op="reset")
    # The framework counts the packets from the one that pauses to the first that is dropped.
    counted = [g["drop_at_packet"] - g["xoff_at_packet"] for g in groups]
    while counted and counted[-1] <= 1:
        counted.pop()
    result = run(HeadroomPoolProbing,
                 parameters(probing_port_ids=list(range(SOURCES)) + [DST], pgs=[3], dscps=[3],
                            ingress_drop_counter_mode="pg_drop"), POINT_PROBING_STEP_SIZE=1)
    compare("headroom pool", result, sum(counted))
    switch.close()

    wrong = 0
    print("%-14s %10s %10s" % ("probe", "framework", "cellwarden"))
    for name, low, high, want in rows:
        found = str(low) if low == high else "%s..%s" % (low, high)
        agrees = low == high == want
        wrong += not agrees
        print("%-14s %10s %10d%s" % (name, found, want, "" if agrees else "  DIFFERS"))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
