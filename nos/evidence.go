package nos

// Evidence is the source of an entry of a profile.
type Evidence struct {
	Source   string `json:"source"`
	Inferred bool   `json:"inferred"` // the source does not state it: it follows from it
}

// The sources of more than one profile. Those of one vendor stand in the profile of the vendor's system.
const (
	SourceTests        = "openconfig/featureprofiles 598f5a7, deviations and metadata"
	SourceQoSTests     = "openconfig/featureprofiles 598f5a7, mixed_sp_wrr_traffic_test and qos_policy_config_test"
	SourceJuniperGuide = "Juniper traffic management guide for QFX"

	sourceModel = "openconfig-qos 2.2.0 (openconfig/public)"
	sourceSim   = "cellwarden, backend/sim"
	sourceNone  = "no source was found"
)

// From marks an entry that a source states.
func From(source string) Evidence { return Evidence{Source: source} }

// Inferred marks an entry that follows from a source and is stated by none.
func Inferred(source string) Evidence { return Evidence{Source: source, Inferred: true} }
