"""A probe of sonic-mgmt's framework whose search is cellwarden's: `cellwarden identify` chooses each next probe.

It is a ProbingBase as the framework's own probes are, and drives the framework's executors: IngressDropProbingExecutor
sends, its counters say how many packets were dropped, and the pause counter says whether a group is paused. The
test parameters are those of the framework, and

    identify_command   the command: ["cellwarden", "identify", "FILE", ...], without --ask
    probing_port_ids   the ingress ports, and two egress ports at the end
    pgs, dscps         two lossless groups, and the DSCP of each

The result is the document of identify (cellwarden.identify/v1).
"""

import json
import os
import shlex
import subprocess
import tempfile
import threading
import time

from executor_registry import ExecutorRegistry
from observer_config import ObserverConfig
from probing_base import ProbeConfig, ProbingBase
from probing_observer import ProbingObserver
from sai_qos_tests import construct_ip_pkt
from stream_manager import FlowConfig, PortInfo, StreamManager, determine_traffic_dmac

# How long a pause counter is watched, in seconds, and how much it may grow although a group is not paused: those of the
# framework's executor for XON.
WATCHED, GROWTH = 0.1, 5


class IdentifyProbing(ProbingBase):
    """Lets cellwarden identify ask the switch."""

    PROBE_TARGET = "identify"

    def get_probe_config(self):
        return ProbeConfig(self.probing_port_ids, self.dst_client, self.asic_type)

    def get_expected_threshold(self):
        return None

    def setup_traffic(self):
        """Flows are made when they are asked for: identify chooses ports, groups and lengths."""
        self.stream_mgr = StreamManager(packet_constructor=construct_ip_pkt, rx_port_resolver=self.get_rx_port)

    def port(self, number):
        """Return what the framework knows of a port."""
        ports = next(iter(next(iter(self.test_port_ips.values())).values()))
        return PortInfo(number, mac=self.dataplane.get_mac(0, number), ip=ports[number]["peer_addr"],
                        vlan=ports[number].get("vlan_id"))

    def flow(self, src, dst, pg, length):
        """Return the keys of a flow, which is made if it is new."""
        keys = {"pg": pg, "length": length}
        if self.stream_mgr.get_packet(src, dst, **keys) is None:
            one = StreamManager(packet_constructor=construct_ip_pkt, rx_port_resolver=self.get_rx_port)
            to = self.port(dst)
            mac = determine_traffic_dmac(to.mac, self.router_mac, getattr(self, "is_dualtor", False),
                                         getattr(self, "def_vlan_mac", None))
            one.add_flow(FlowConfig(self.port(src), to, dmac=mac, dscp=self.dscps[self.pgs.index(pg)],
                                    ecn=getattr(self, "ecn", 1), length=length), **keys)
            one.generate_packets()
            self.stream_mgr.flows.update(one.flows)
        return keys

    def read(self, src, dst, pg):
        """Return the counters of a group and of an egress port."""
        x = self.executors
        client, drops = self.src_client, x["ingress_drop"]
        module = __import__(type(drops).__module__)
        ports = module.port_list["src"]
        counters = {"dropped_packets": module.sai_thrift_read_pg_drop_counters(client, ports[src])[pg]}
        before = module.sai_thrift_read_port_counters(client, self.asic_type, ports[src])[0][pg + 2]
        time.sleep(WATCHED)
        after = module.sai_thrift_read_port_counters(client, self.asic_type, ports[src])[0][pg + 2]
        counters["paused"] = after - before >= GROWTH
        if dst is not None:
            module = __import__(type(x["egress_drop"]).__module__)
            at = module.sai_thrift_read_port_counters(self.dst_client, self.asic_type, module.port_list["dst"][dst])[0]
            counters["egress_dropped_packets"] = max(at[module.EGRESS_DROP], at[module.EGRESS_PORT_BUFFER_DROP])
        return counters

    def answer(self, request):
        """Answer a request of identify."""
        op, dst = request["op"], request.get("dst")
        if op == "hold":
            self.buffer_ctrl.hold_buffer([dst])
        elif op == "drain":
            self.buffer_ctrl.drain_buffer([dst])
        elif op == "send":
            src, pg = request["src"], request["pg"]
            keys = self.flow(src, dst, pg, request.get("packet_bytes", 64))
            ok, _ = self.executors["ingress_drop"].check(src, dst, request["packets"], drain_buffer=False, **keys)
            if not ok:  # whether packets were sent is not known, so it cannot be asked again
                return {"ok": False, "error": "the executor failed; see the log of the test"}
            return {"ok": True, "counters": self.read(src, dst, pg)}
        elif op == "counters":
            return {"ok": True, "counters": self.read(request["src"], dst, request["pg"])}
        else:
            return {"ok": False, "error": "op %s: want hold, drain, send, counters" % op}
        return {"ok": True}

    def opened(self, answers, run):
        """Open the pipe of answers once identify has begun the command that reads it."""
        while True:
            try:
                return os.fdopen(os.open(answers, os.O_WRONLY | os.O_NONBLOCK), "w")
            except OSError:  # nobody reads yet
                if run.poll() is not None:
                    raise RuntimeError("identify ended with exit code %d" % run.returncode)
                self.pause()

    def pause(self):
        """Wait for another process, not for the switch."""
        threading.Event().wait(0.01)

    def probe(self):
        """Run identify, and answer it. Its requests and the answers go through two pipes."""
        observer = ProbingObserver(name="identify", iteration_prefix=1, verbose=False, observer_config=ObserverConfig(
            probe_target=self.PROBE_TARGET, algorithm_name="cellwarden identify", strategy="distinguishing probes",
            check_column_title="Identify"))
        self.executors = {
            kind: ExecutorRegistry.create(kind, "physical", ptftest=self, observer=observer, name=kind, **more)
            for kind, more in (("ingress_drop", {"counter_mode": "pg_drop"}), ("egress_drop", {}))}
        with tempfile.TemporaryDirectory() as folder:
            requests, answers = os.path.join(folder, "requests"), os.path.join(folder, "answers")
            os.mkfifo(requests)
            os.mkfifo(answers)
            ask = "cat %s & cat > %s; wait" % (shlex.quote(answers), shlex.quote(requests))
            run = subprocess.Popen(self.identify_command + ["--ask", ask, "-o", "json"], stdout=subprocess.PIPE,
                                   text=True)
            with self.opened(answers, run) as out, open(requests) as asked:
                for line in asked:
                    try:
                        out.write(json.dumps(self.answer(json.loads(line))) + "\n")
                        out.flush()
                    except BrokenPipeError:  # identify has ended
                        break
            return json.loads(run.communicate()[0])
