package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
)

// Document is one kind of published document.
type Document struct {
	Name string // as in its schema: "plan" of cellwarden.plan/v1
	What string // what writes or reads it
	Of   any    // a zero value of its Go type, which encoding/json reads and writes
}

// Documents returns every kind of document, in the order in which `cellwarden schema` lists them. The JSON Schema of a
// document is made of its type.
func Documents() []Document {
	return []Document{
		{"chip", "a chip file, as asic show NAME -o json prints it", buffer.Chip{}},
		{"plan", "plan -o json", PlanDocument{}},
		{"pools", "plan --sonic-pools FOLDER -o json", PoolsDocument{}},
		{"plan-compare", "plan --compare -o json", PlanCompareDocument{}},
		{"diff", "diff -o json", DiffDocument{}},
		{"capacity", "capacity -o json", CapacityDocument{}},
		{"explain", "explain -o json", ExplainDocument{}},
		{"burst", "capacity --burst -o json", BurstDocument{}},
		{"risk", "risk -o json", RiskDocument{}},
		{"answer", "a line of plan --lines, capacity --lines and sweep -o jsonl", Answer{}},
		{"headroom", "headroom -o json", HeadroomDocument{}},
		{"headroom-compare", "headroom --compare -o json", HeadroomCompareDocument{}},
		{"headroom-credits", "headroom --compare --with cbfc -o json", HeadroomCreditsDocument{}},
		{"fit", "headroom --fit FILE -o json", FitDocument{}},
		{"llr", "headroom --llr -o json", LLRDocument{}},
		{"llr-table", "headroom --llr --fit FILE -o json", LLRTableDocument{}},
		{"ecn", "ecn -o json", ECNDocument{}},
		{"verify", "verify -o json", Verification{}},
		{"apply", "apply -o json, resume -o json", ApplyDocument{}},
		{"apply-many", "apply --targets -o json", ApplyManyDocument{}},
		{"drift", "drift -o json", DriftDocument{}},
		{"drift-many", "drift --targets -o json", DriftManyDocument{}},
		{"watch", "watch -o json", WatchDocument{}},
		{"audit-baseline", "a file of accepted findings, as audit --write-baseline writes it", finding.Baseline{}},
		{"probe", "probe -o json", ProbeDocument{}},
		{"sim", "sim -o json", SimDocument{}},
		{"calibrate", "calibrate -o json", CalibrateDocument{}},
		{"identify", "identify -o json", IdentifyDocument{}},
		{"version", "version -o json", VersionDocument{}},
		{"link", "link -o json", LinkDocument{}},
		{"fabric", "fabric deadlock -o json", FabricDocument{}},
		{"fabric-pauses", "fabric pauses -o json", FabricPausesDocument{}},
		{"fabric-waves", "fabric waves -o json, apply FABRIC -o json", FabricWavesDocument{}},
		{"fabric-rows", "plan FABRIC -o json, and other verbs of one switch", FabricRowsDocument{}},
		{"audit", "audit -o json", AuditDocument{}},
		{"import", "import -o json", ImportDocument{}},
	}
}

// Schema returns what a document of a kind says in its key "schema": "cellwarden.plan/v1" of "plan". A key is never
// taken away or given another meaning within a version.
func Schema(name string) string { return "cellwarden." + name + "/v1" }
