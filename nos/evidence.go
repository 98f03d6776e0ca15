package nos

// Evidence is the source of an entry.
type Evidence struct {
	Source   string `json:"source"`
	Inferred bool   `json:"inferred"` // the source does not state it: it follows from it
}

// The sources.
const (
	sourceModel    = "openconfig-qos 2.2.0 (openconfig/public)"
	sourceArista   = "Arista EOS-4.36.1F, deviations of openconfig-qos (aristanetworks/yang, 2026-06-21)"
	sourceNokia    = "Nokia SR Linux 25.3.1, oc-srl-qos.json"
	sourceNokiaOwn = "Nokia SR Linux 25.3.1, srl_nokia-qos"
	sourceJuniper  = "Juniper 24.4R1, jnx-openconfig-dev.yang (openconfig-qos 0.9.1)"
	sourceJunosOwn = "Juniper traffic management guide for QFX"
	sourceTests    = "openconfig/featureprofiles 598f5a7, deviations and metadata"
	sourceECNTest  = "openconfig/featureprofiles 598f5a7, qos_ecn_config_test.go, and its issue 2210"
	sourceQoSTests = "openconfig/featureprofiles 598f5a7, mixed_sp_wrr_traffic_test and qos_policy_config_test"
	sourceUpdater  = "sonic-utilities 691b1bbc and its branches, gcu_field_operation_validators.conf.json"
	sourceSorter   = "sonic-utilities 691b1bbc, generic_config_updater/patch_sorter.py"
	sourceSONiC    = "sonic-mgmt-common: it has no openconfig-qos"
	sourceSONiCgnm = "sonic-gnmi: origin sonic-db, JSON_IETF only"
	sourceSim      = "cellwarden, backend/sim"
	sourceNexus    = "Cisco Nexus 9000 10.5 QoS guide: changes of queuing are disruptive"
	sourceNone     = "no source was found"
)

// from marks an entry that a source states.
func from(source string) Evidence { return Evidence{Source: source} }

// inferred marks an entry that follows from a source and is stated by none.
func inferred(source string) Evidence { return Evidence{Source: source, Inferred: true} }
