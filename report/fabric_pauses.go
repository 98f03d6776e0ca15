package report

// FabricPausesDocument says who can stop if a node of a fabric takes no more frames.
type FabricPausesDocument struct {
	Schema string         `json:"schema"`
	Slow   []FabricPauses `json:"slow"`
	// FanIn is, for each role of switches, how many groups of a priority can be full behind one congested cable.
	FanIn []struct {
		Role     string `json:"role"`
		Switches int    `json:"switches"`
		Ports    int    `json:"ports"`  // of the switch of the role that has most
		Behind   int    `json:"behind"` // cables whose frames leave by one cable: the most of any switch of the role
		Switch   string `json:"switch"` // one that has as many
	} `json:"fan_in"`
	Assumed []string `json:"assumed"`
	Notes   []string `json:"notes,omitempty"`
}

// FabricPauses is the answer for one node that takes no more frames, and one priority.
type FabricPauses struct {
	From     string `json:"from"`
	Alike    int    `json:"alike"` // hosts with the same numbers, this one among them
	Priority int    `json:"priority"`
	Channels int    `json:"channels"` // cables, in one direction, that can stop
	Hosts    int    `json:"hosts"`    // whose own cable can stop: they send nothing more
	// Flows are pairs of nodes whose frames are not for this node, and Victims those that can stop.
	Flows   int `json:"flows"`
	Victims int `json:"victims"`
	// Spread is what can stop, by the number of pauses after the first and by the roles of the ends of the cables.
	Spread []struct {
		Depth    int    `json:"depth"`
		From     string `json:"from"`
		To       string `json:"to"`
		Channels int    `json:"channels"`
		Hosts    int    `json:"hosts"`
		Victims  int    `json:"victims"` // of this depth, in its first entry: the lowest depth on their ways
		// Earliest is a lower bound of the time at which one of them stops, from the first pause on; absent: unknown, because
		// the file gives no speeds.
		Earliest *int64 `json:"earliest_ps,omitempty"`
	} `json:"spread"`
}
