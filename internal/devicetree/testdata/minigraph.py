"""Reads minigraphs with sonic-config-engine of a checkout of sonic-buildimage, for the test of its expected results.

Arguments: the checkout. For each line [minigraph, port config, hwsku.json or null, chip or null] of standard input it
writes the variables that sonic-cfggen -m -p -S -n has for templates, as JSON. Only what this path needs of SONiC's
other packages is replaced, and Python's own XML library takes the place of lxml.
"""
import importlib
import json
import os
import re
import sys
import types
import xml.etree.ElementTree as ET

root = sys.argv[1]
sys.path.insert(0, os.path.join(root, "src/sonic-config-engine"))


def module(name, **members):
    sys.modules[name] = types.ModuleType(name)
    for key, value in members.items():
        setattr(sys.modules[name], key, value)
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, sys.modules[name])


class QName:
    def __init__(self, text, tag=None):
        if hasattr(text, "tag"):
            text = text.tag
        self.text = "{%s}%s" % (text, tag) if tag else text
        self.localname = self.text.rpartition("}")[2]

    def __str__(self):
        return self.text


class Etree(types.ModuleType):
    QName, parse, Element = QName, staticmethod(ET.parse), ET.Element


def natural(value):
    return [int(part) if part.isdigit() else part for part in re.split("([0-9]+)", str(value))]


def nothing(*args, **kwargs):
    return None


sys.modules["lxml"] = types.ModuleType("lxml")
sys.modules["lxml.etree"] = sys.modules["lxml"].etree = Etree("lxml.etree")
module("natsort", ns=types.SimpleNamespace(IGNORECASE=0),
       natsorted=lambda values, alg=0, key=lambda x: x: sorted(values, key=lambda v: natural(key(v))))


module("swsscommon")
module("swsscommon.swsscommon", ConfigDBConnector=lambda *args, **kwargs: None)
module("sonic_py_common")
module("sonic_py_common.device_info", get_localhost_info=nothing, get_path_to_port_config_file=nothing,
       get_path_to_fabric_port_config_file=nothing, get_path_to_fabric_monitor_config_file=nothing,
       is_smartswitch=lambda: False)
module("sonic_py_common.multi_asic", is_multi_asic=lambda: False, get_asic_id_from_name=lambda name: int(name[4:]))
module("sonic_py_common.interface", backplane_prefix=lambda: "Ethernet-BP")

import minigraph  # noqa: E402


def serialized(value):
    if isinstance(value, dict):
        return {"|".join(k) if isinstance(k, tuple) else k: serialized(v) for k, v in value.items()}
    return value


for line in sys.stdin:
    graph, ports, hwsku, asic = json.loads(line)
    importlib.reload(minigraph)  # it keeps the aliases of the ports of all minigraphs
    minigraph.select_mmu_profiles = nothing  # it copies files over others of the checkout
    tables = minigraph.parse_xml(graph, port_config_file=ports, hwsku_config_file=hwsku, asic_name=asic)
    json.dump(serialized(tables), sys.stdout, default=str)
    sys.stdout.write("\n")
    sys.stdout.flush()
