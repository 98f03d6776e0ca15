package report

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
