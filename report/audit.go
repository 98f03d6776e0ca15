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
