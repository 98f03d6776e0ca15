// Package auditcode has the codes of an audit's findings that readers of configurations raise too. Package audit has the
// others, and says what each means.
package auditcode

import "github.com/cellwarden/cellwarden/finding"

// The codes.
const (
	BandwidthSum     finding.Code = "bandwidth-sum"       // bandwidths of more than all
	ClassNotNoDrop   finding.Code = "pfc-class-drops"     // PFC for a class that drops
	DuplicateKey     finding.Code = "duplicate-key"       // a key that is twice in an object
	FieldMissing     finding.Code = "field-missing"       // a field without which the entry says nothing
	MapMissing       finding.Code = "map-missing"         // a map that is named and not defined
	NoDropNoHeadroom finding.Code = "no-drop-no-headroom" // a class without drops and without headroom
	NotConfigDB      finding.Code = "not-config-db"       // JSON that is no CONFIG_DB
	NumberFormat     finding.Code = "number-format"       // a text where a number is wanted
	PFCWithPause     finding.Code = "pfc-with-pause"      // PFC and PAUSE on one port
	PauseThresholds  finding.Code = "pause-thresholds"    // a pause threshold that is not above its resume threshold, or over the buffer
	PoolMissing      finding.Code = "pool-missing"        // a pool that is named and not defined
	PortMissing      finding.Code = "port-missing"        // a port that is named and not defined
	ProfileMissing   finding.Code = "profile-missing"     // a buffer profile that is named and not defined
	RenderError      finding.Code = "render-error"        // a template that cannot be rendered
	RenderNotJSON    finding.Code = "render-not-json"     // a template whose text is no JSON
	SchedulerMissing finding.Code = "scheduler-missing"   // a scheduler that is named and not defined
	CommentRefused   finding.Code = "comment-refused"     // a comment of a template to the audit that does not hold
	ValueRefused     finding.Code = "value-refused"       // a value that the system refuses
	WREDMissing      finding.Code = "wred-missing"        // a WRED profile that is named and not defined
)
