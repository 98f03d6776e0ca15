package report

import (
	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
)

// AuditDocument is what configurations of switches and headroom tables mean, and what is wrong with them
// ("cellwarden.audit/v1").
type AuditDocument struct {
	Schema   string            `json:"schema"`
	Checked  AuditChecked      `json:"checked"`
	What     []audit.What      `json:"what"`
	Findings []finding.Finding `json:"findings"`
}

// AuditChecked counts what was audited.
type AuditChecked struct {
	Configurations int `json:"configurations"`
	Folders        int `json:"folders"` // of hwskus
	Tables         int `json:"tables"`  // headroom tables that were named, or found in a folder of tables
	Links          int `json:"links"`   // with both ends compared
	// Unlinked says why no link was compared, where both ends were given; left out: some were, or only one was.
	Unlinked  string `json:"no_link_compared,omitempty"`
	NotListed int    `json:"findings_not_listed"`
	Accepted  int    `json:"findings_accepted"`        // by the baseline
	Gone      int    `json:"accepted_findings_gone"`   // of the baseline, which are not found any more
	Before    int    `json:"findings_before"`          // of --since: that were there before
	Mended    int    `json:"findings_before_and_gone"` // of --since: that are not there any more
}

// ImportDocument is what became of configurations that were imported as topologies ("cellwarden.import/v1").
type ImportDocument struct {
	Schema  string           `json:"schema"`
	Verdict string           `json:"verdict"` // EXPRESSED, NOT EXPRESSED
	Imports []ImportedConfig `json:"imports"`
}

// ImportedConfig is one configuration that was imported.
type ImportedConfig struct {
	From     string `json:"from"`
	Variant  string `json:"variant,omitempty"` // of a hwsku folder: t0, t0-dynamic
	Topology string `json:"topology"`          // the file; empty: none was written
	Error    string `json:"error,omitempty"`   // why none was written
	Ports    int    `json:"ports"`
	Classes  int    `json:"classes"`
	// Fits says whether the plan of the topology admits all ports; null: there is no topology.
	Fits *bool `json:"fits"`
	// Differences are what the topology says otherwise, or not at all.
	Differences []struct {
		Object  string `json:"object"` // such as BUFFER_POOL|ingress_lossy_pool
		File    string `json:"file"`
		Line    int    `json:"line"` // 0: the whole file
		Message string `json:"message"`
	} `json:"differences"`
	NotListed int      `json:"differences_not_listed"`
	Notes     []string `json:"notes"` // written otherwise with the same effect, and what is not said
}
