"""Runs the probes of sonic-mgmt's framework against cellwarden, and compares what they find with `cellwarden probe`.

    run.py SAITESTS CELLWARDEN PROBE_FILE    four probes, with cellwarden's executors
    run.py SAITESTS CELLWARDEN --ten         ten switches: the framework's own executors of real switches beside these
    run.py SAITESTS CELLWARDEN --identify    cellwarden identify through the framework's executors

SAITESTS is the folder tests/saitests of a checkout of sonic-mgmt. The exit code is 1
if a probe finds another threshold than cellwarden states.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from unittest.mock import MagicMock

SAITESTS, CELLWARDEN, FILE = sys.argv[1:4]
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(SAITESTS, "mock", "it"))

# The framework's own helper replaces PTF and SAI by mocks, and adds the framework to the path.
import probe_test_helper as helper  # noqa: E402

helper.setup_test_environment()
import physical  # noqa: E402

physical.install()

import cellwarden_executor  # noqa: E402
import probing_base  # noqa: E402
from egress_drop_probing import EgressDropProbing  # noqa: E402
from headroom_pool_probing import HeadroomPoolProbing  # noqa: E402
from identify_probing import IdentifyProbing  # noqa: E402
from ingress_drop_probing import IngressDropProbing  # noqa: E402
from pfc_xoff_probing import PfcXoffProbing  # noqa: E402
from pfc_xon_probing import PfcXonProbing  # noqa: E402

SOURCES = 24  # ingress ports
DST, HOLDER = 100, 101
POOL_CELLS = 200000  # where the framework begins to look


def parameters(**more):
    """Return test parameters as sonic-mgmt gives them."""
    ports = list(range(96)) + [DST, HOLDER]
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
    scenario = params.get("scenario") or {}
    p.create_executor = lambda *args, **more: probe_class.create_executor(p, *args, **scenario, **more)
    probing_base.send_packet = cellwarden_executor.send_packet
    return p


def run(probe_class, params, **attributes):
    """Run a probe from the beginning to its result."""
    probe = instance(probe_class, params)
    for name, value in attributes.items():
        setattr(probe, name, value)
    # A packet is its egress port, its group and its length, in place of one of scapy.
    manager = sys.modules[probe_class.__module__].StreamManager
    get_packet = manager.get_packet
    manager.get_packet = lambda self, src, dst, **keys: (dst, keys["pg"], keys.get("length", 64))
    try:
        probe.runTest()
    finally:
        manager.get_packet = get_packet
    return probe.probe_result


def stated(file):
    """Return what cellwarden states."""
    out = subprocess.run([CELLWARDEN, "probe", file, "-o", "json"], check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def four():
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

    return show(rows)


def show(rows):
    """Print what was found, and return how much of it is not as it is stated."""
    wrong = 0
    print("%-44s %10s %10s" % ("probe", "framework", "cellwarden"))
    for name, low, high, want, *beside in rows:
        found = str(low) if low == high else "%s..%s" % (low, high)
        agrees = low is not None and low == high and abs(low - want) <= sum(beside)
        wrong += not agrees
        print("%-44s %10s %10d%s" % (name, found, want, "" if agrees else "  DIFFERS"))
    return wrong


# Ten switches: chip, pool, group, and the limits of the egress.
LOSSY = "{lossless: false, static_th: 8000000B}"
TEN = [
    ("tomahawk", "{size: 10875072B, shared_headroom: 4194112B}",
     "{reserved: 1248B, alpha: 1, headroom: 108160B, xon_offset: 2288B}", ""),
    ("tomahawk", "{size: 10875072B}", "{reserved: 0B, alpha: 4, headroom: 268736B, xon_offset: 4160B}", ""),
    ("tomahawk2", "{size: 33329088B, shared_headroom: 7827456B}",
     "{reserved: 1248B, alpha: 1/8, headroom: 101088B, xon_offset: 2496B}", ""),
    ("tomahawk5", "{size: 12000000B}", "{reserved: 18796B, alpha: 1, headroom: 200000B, xon_offset: 18796B}", ""),
    ("tomahawk6", "{size: 9000000B}", "{reserved: 4620B, alpha: 2, headroom: 300000B, xon_offset: 4620B}", ""),
    ("trident2", "{size: 9158656B}", "{reserved: 1248B, alpha: 1/8, headroom: 55120B, xon_offset: 2496B}", ""),
    ("trident3", "{size: 8000000B}", "{reserved: 4608B, alpha: 1, headroom: 160000B, xon_offset: 4608B}", ""),
    ("spectrum-1", "{size: 4000000B}", "{reserved: 19456B, alpha: 1, headroom: 23552B, xon_offset: 1920B}", ""),
    ("tomahawk", "{size: 10875072B}", LOSSY, "egress: {size: 9243812B, alpha: 1, reserved: 1518B}\n"),
    ("tomahawk2", "{size: 33169344B}", LOSSY, "egress: {size: 26535808B, dynamic_th: -3, reserved: 1664B}\n"),
]

# The framework's scenarios: what disturbs an executor, where the point is then, and by how much it may be beside it.
# The bad values are some of the bisection: the phases before it end the framework's probe at one.
SCENARIOS = [
    ({"scenario": "wrong_config", "offset": 100}, 100, 0),
    ({"scenario": "bad_spot", "bad_values": [9375, 6640]}, 0, 0),
    ({"scenario": "intermittent", "failure_rate": 0.1, "seed": 3}, 0, 0),
    ({"scenario": "noisy", "noise_level": 10, "seed": 3}, 0, 20),
]


def ten():
    """Probe ten switches with the framework's executors of real switches, and with those of this folder."""
    point = {"ENABLE_PRECISE_DETECTION": True}
    rows = []
    for number, (chip, pool, group, more) in enumerate(TEN, 1):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as f:
            f.write("chip: %s\npool: %s\ngroup: %s\n%sfill: {packet: 64B}\n" % (chip, pool, group, more))
            f.flush()
            want = stated(f.name)["groups"][0]
            cellwarden_executor.install([CELLWARDEN, "probe", f.name, "--requests"])
            for env in ("physical", "sim"):
                def find(name, probe_class, key, **params):
                    cellwarden_executor.switch.ask(op="reset")
                    params.update(executor_env=env, ingress_drop_counter_mode="pg_drop")
                    probe = run(probe_class, parameters(**params), **point)
                    rows.append(("%d %s %s, %s" % (number, chip, name, env), probe.lower_bound, probe.upper_bound,
                                 want[key]))
                if more:
                    find("egress drop", EgressDropProbing, "drop_at_packet", probing_port_ids=[0, DST], queue=3)
                    continue
                find("XOFF", PfcXoffProbing, "xoff_at_packet", probing_port_ids=[0, DST])
                find("ingress drop", IngressDropProbing, "drop_at_packet", probing_port_ids=[0, DST])
                find("XON", PfcXonProbing, "xon_below_packets", probing_port_ids=[0, DST, HOLDER], pfcxoff_point=1)
            for disturbed, moved, beside in SCENARIOS if number == 1 else []:
                cellwarden_executor.switch.ask(op="reset")
                probe = run(PfcXoffProbing, parameters(scenario=disturbed, probing_port_ids=[0, DST]), **point)
                rows.append(("%d %s XOFF, %s" % (number, chip, disturbed["scenario"]), probe.lower_bound,
                             probe.upper_bound, want["xoff_at_packet"] + moved, beside))
            cellwarden_executor.switch.close()
            cellwarden_executor.switch = None
    return show(rows)


def identify():
    """Let identify find a Tomahawk 2 through the framework's executors."""
    file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tomahawk2.yaml")
    cellwarden_executor.install([CELLWARDEN, "probe", file, "--requests"])
    found = run(IdentifyProbing, parameters(executor_env="physical", probing_port_ids=list(range(96)) + [DST, HOLDER],
                                            pgs=[3, 4], dscps=[3, 4], identify_command=[CELLWARDEN, "identify", file]))
    cellwarden_executor.switch.close()
    ask = "%s probe %s --requests" % (CELLWARDEN, file)
    alone = subprocess.run([CELLWARDEN, "identify", file, "--ask", ask, "-o", "json"], check=True, capture_output=True,
                           text=True).stdout
    print(found["says"])
    for rule in found["rules"]:
        print(", ".join("%s %s" % c for c in sorted(rule["choices"].items())))
    print("%(drains)d drains, %(readings)d readings, %(packets)d packets" % found["cost"])
    rule = found["rules"][0]["choices"] if found["rules"] else {}
    return found != json.loads(alone) or rule["limit"] != "before" or rule["headroom"] != "pool"


if __name__ == "__main__":
    sys.exit(1 if {"--ten": ten, "--identify": identify}.get(FILE, four)() else 0)
