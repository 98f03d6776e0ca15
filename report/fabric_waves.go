package report

// FabricWavesDocument says how a change is brought to the switches of a fabric, and how far it is
// ("cellwarden.fabric-waves/v1").
type FabricWavesDocument struct {
	Schema string `json:"schema"`
	From   string `json:"from"`
	To     string `json:"to"`
	// Verdict is "ready", "refused", or that of a run: "under-way", "successful", "failed" (the wave was undone) or
	// "inconclusive" (it stopped).
	Verdict  string `json:"verdict"`
	Why      string `json:"why,omitempty"`     // of a run that failed or stopped
	Refused  string `json:"refused,omitempty"` // why the change must not be made
	Switches int    `json:"switches"`
	Cables   int    `json:"cables"` // that were compared: those between two switches
	// Before and After say what has to be done before the first wave, and after the last alone: what hosts send, and which
	// cables are exchanged.
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	Waves  []struct {
		To       string   `json:"to"` // the stage
		State    string   `json:"state"`
		Switches []string `json:"switches"`
	} `json:"waves"`
	// Commands are the values that --dry-run says will be sent, where the operating system of a switch is known: those
	// that differ from the stage before, for all switches that get the same.
	Commands []struct {
		To       string   `json:"to"` // the stage
		Switches []string `json:"switches"`
		Profile  string   `json:"profile"`
		What     string   `json:"what"` // a path; of the first port, if several ports get the same
		Where    []string `json:"where,omitempty"`
		From     string   `json:"from"`
		After    string   `json:"after"`
		MayStop  string   `json:"may_stop"`
	} `json:"commands,omitempty"`
	// Meanwhile are cables that link calls an error while one end is a stage further than the other.
	Meanwhile []FabricMixedCable `json:"meanwhile"`
	// Left are those that are so now, because a run stopped.
	Left []FabricMixedCable `json:"left"`
}

// FabricMixedCable is a cable whose ends have different plans, and what link says of it.
type FabricMixedCable struct {
	A    string `json:"a"`
	B    string `json:"b"`
	To   string `json:"to"` // the stage of the end that is further
	Code string `json:"code"`
	What string `json:"what"`
}
