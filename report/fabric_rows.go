package report

import "encoding/json"

// FabricRowsDocument is the answer of a verb of one switch for all switches of a fabric ("cellwarden.fabric-rows/v1").
type FabricRowsDocument struct {
	Schema   string `json:"schema"`
	Verb     string `json:"verb"`
	File     string `json:"file"`
	Switches int    `json:"switches"`
	Cables   int    `json:"cables"`
	ExitCode int    `json:"exit_code"` // the worst of the rows
	// Rows are the switches: those with one topology and the same changes are one row, unless each was asked.
	Rows []struct {
		Switches []string        `json:"switches"`
		Topology string          `json:"topology"`
		ExitCode int             `json:"exit_code"`
		Error    string          `json:"error,omitempty"`  // why there is no answer; empty: there is one
		Answer   json.RawMessage `json:"answer,omitempty"` // what the verb prints for one of them with -o json
	} `json:"rows"`
}
