"""Executors of sonic-mgmt's probing framework with cellwarden behind them.

An executor asks `cellwarden probe --requests` in place of a switch. The framework is
unchanged: its probes, algorithms, buffer controller and results are its own. This
file registers an executor for each kind of probe in the environment "sim", and
gives the framework the three functions by which it reaches a switch: stop a port,
start a port, send packets.

The framework finds executors by the names of modules (sim_pfc_xoff_probing_executor
and so on). install() gives these names to this module.
"""

import json
import random
import subprocess
import sys

from executor_registry import ExecutorRegistry

# The time between two readings of the pause counter, in microseconds: 100 ms, as the
# framework's executor for switches.
OBSERVED_US = 100000


class Lines:
    """A simulated switch that answers in lines of JSON."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, **request):
        """Send a request and return the answer. An answer with an error raises it."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("cellwarden ended: exit code %s" % self.process.wait())
        answer = json.loads(line)
        if not answer["ok"]:
            raise RuntimeError(answer["error"])
        return answer

    def counters(self, src, pg, dst=None):
        """Return the counters of a priority group, and of an egress port if one is named."""
        more = {} if dst is None else {"dst": dst}
        return self.ask(op="counters", src=src, pg=pg, **more)["counters"]

    def close(self):
        """End the switch. The exit code is that of cellwarden."""
        self.process.stdin.close()
        return self.process.wait()


# The switch of all executors.
switch = None


class Executor:
    """What the five kinds of executors have in common."""

    def __init__(self, ptftest=None, observer=None, verbose=False, name="", **kwargs):
        self.ptftest, self.observer, self.verbose, self.name = ptftest, observer, verbose, name
        self.checks = 0

    def held_ports(self, dst_port):
        """Return the egress ports that a check stops."""
        return [dst_port]

    def prepare(self, src_port, dst_port):
        """Empty the egress ports and stop them."""
        ports = self.held_ports(dst_port)
        self.ptftest.buffer_ctrl.drain_buffer(ports)
        self.ptftest.buffer_ctrl.hold_buffer(ports)

    def check(self, src_port, dst_port, value, attempts=1, drain_buffer=True, iteration=0, **traffic_keys):
        """Return (success, detected). With several attempts, all have to agree."""
        found = set()
        for _ in range(attempts):
            self.checks += 1
            found.add(self.once(src_port, dst_port, value, drain_buffer, traffic_keys))
        if len(found) > 1:
            return False, False
        return True, found.pop()


class FillExecutor(Executor):
    """Sends packets, and compares a counter before with the counter after."""

    def once(self, src_port, dst_port, value, drain_buffer, keys):
        if drain_buffer:
            self.prepare(src_port, dst_port)
        before = switch.counters(src_port, keys["pg"], dst_port)
        if value > 0:
            self.ptftest.buffer_ctrl.send_traffic(src_port, dst_port, value, **keys)
        return self.detected(before, switch.counters(src_port, keys["pg"], dst_port))


@ExecutorRegistry.register("pfc_xoff", "sim")
class XoffExecutor(FillExecutor):
    """Looks for a pause."""

    def detected(self, before, after):
        return after["xoff"] > before["xoff"] or after["paused"]


@ExecutorRegistry.register("ingress_drop", "sim")
class DropExecutor(FillExecutor):
    """Looks for a drop at the ingress."""

    def detected(self, before, after):
        return after["dropped_packets"] > before["dropped_packets"]


@ExecutorRegistry.register("egress_drop", "sim")
class EgressDropExecutor(FillExecutor):
    """Looks for a drop of the destination port."""

    def detected(self, before, after):
        return after.get("egress_dropped_packets", 0) > before.get("egress_dropped_packets", 0)


@ExecutorRegistry.register("pfc_xon", "sim")
class XonExecutor(Executor):
    """Fills a group to XOFF, drains a part, and looks whether the pauses have stopped."""

    def __init__(self, pfcxoff_point=None, holder_port=None, **kwargs):
        super().__init__(**kwargs)
        self.xoff_point, self.holder = int(pfcxoff_point), int(holder_port)

    def held_ports(self, dst_port):
        return [dst_port, self.holder]

    def once(self, src_port, dst_port, value, drain_buffer, keys):
        if value < 1 or value > self.xoff_point:
            return False
        self.prepare(src_port, dst_port)
        self.ptftest.buffer_ctrl.send_traffic(src_port, dst_port, value, **keys)
        if value < self.xoff_point:
            self.ptftest.buffer_ctrl.send_traffic(src_port, self.holder, self.xoff_point - value, **keys)
        if not switch.counters(src_port, keys["pg"])["paused"]:
            raise RuntimeError("%d packets do not pause the group" % self.xoff_point)
        self.ptftest.buffer_ctrl.drain_buffer([dst_port])
        first = switch.counters(src_port, keys["pg"])["pause_frames"]
        switch.ask(op="wait", us=OBSERVED_US)
        stopped = switch.counters(src_port, keys["pg"])["pause_frames"] == first
        self.ptftest.buffer_ctrl.drain_buffer([self.holder])
        return stopped


def noisy(kind):
    """Return executors of a kind as the framework's scenarios want them: another number of packets, or no answer.

    Only a check that begins with an empty port is disturbed: a single packet more has no noise to add.
    """

    class Noisy(kind):
        """Other traffic adds or takes some packets."""

        def __init__(self, noise_level=10, seed=0, **kwargs):
            super().__init__(**kwargs)
            self.noise, self.random = noise_level, random.Random(seed)

        def once(self, src_port, dst_port, value, drain_buffer, keys):
            if drain_buffer:
                value = max(value + self.random.randint(-self.noise, self.noise), 0)
            return super().once(src_port, dst_port, value, drain_buffer, keys)

    class WrongConfig(kind):
        """The threshold is offset packets higher than it is configured."""

        def __init__(self, offset=100, **kwargs):
            super().__init__(**kwargs)
            self.offset = offset

        def once(self, src_port, dst_port, value, drain_buffer, keys):
            if drain_buffer:
                value = max(value - self.offset, 0)
            return super().once(src_port, dst_port, value, drain_buffer, keys)

    class Intermittent(kind):
        """Some checks fail."""

        def __init__(self, failure_rate=0.1, seed=0, **kwargs):
            super().__init__(**kwargs)
            self.rate, self.random = failure_rate, random.Random(seed)

        def check(self, src_port, dst_port, value, **kwargs):
            if self.random.random() < self.rate:
                return False, False
            return super().check(src_port, dst_port, value, **kwargs)

    class BadSpot(kind):
        """Checks of some numbers of packets always fail."""

        def __init__(self, bad_values=(), **kwargs):
            super().__init__(**kwargs)
            self.bad = set(bad_values or ())

        def check(self, src_port, dst_port, value, **kwargs):
            if value in self.bad:
                return False, False
            return super().check(src_port, dst_port, value, **kwargs)

    return {"noisy": Noisy, "wrong_config": WrongConfig, "intermittent": Intermittent, "bad_spot": BadSpot}


KINDS = {"pfc_xoff": XoffExecutor, "ingress_drop": DropExecutor, "pfc_xon": XonExecutor,
         "egress_drop": EgressDropExecutor}
for name, executor in KINDS.items():
    for scenario, disturbed in noisy(executor).items():
        ExecutorRegistry.register(name, "sim", scenario=scenario)(disturbed)


def hold_ports(client, asic_type, ports, *args, **kwargs):
    """Stop egress ports: the framework's sai_thrift_port_tx_disable."""
    for port in ports:
        switch.ask(op="hold", dst=port)


def drain_ports(client, asic_type, ports, *args, **kwargs):
    """Start egress ports: the framework's sai_thrift_port_tx_enable."""
    for port in ports:
        switch.ask(op="drain", dst=port)


def send_packet(test, src_port, packet, count=1):
    """Send packets: ptf's send_packet. packet is (egress port, priority group, length)."""
    dst, pg, length = packet
    switch.ask(op="send", src=src_port, dst=dst, pg=pg, packets=count, packet_bytes=length)


def install(command):
    """Begin a switch, and give this module the names under which the framework looks for executors."""
    global switch
    switch = Lines(command)
    for kind in KINDS:
        sys.modules["sim_%s_probing_executor" % kind] = sys.modules[__name__]
    return switch
