package report

import "encoding/json"

// FabricDocument says whether pauses can lock on the routes of a fabric.
type FabricDocument struct {
	Schema string `json:"schema"`
	// Verdict is "no-cycle": no channel can wait for itself; "can-lock": some can. It is of these routes, with the cables
	// that the file says are down.
	Verdict    string           `json:"verdict"`
	Hosts      int              `json:"hosts"`
	Switches   int              `json:"switches"`
	Cables     int              `json:"cables"`
	Down       []string         `json:"down,omitempty"` // cables out of service
	Priorities []FabricPriority `json:"priorities"`
	// Failures is the verdict with other cables out of service; absent: the file asks for none.
	Failures *struct {
		Links   int    `json:"links"`   // that are down at once, at most
		Verdict string `json:"verdict"` // as that of the document: "no-cycle" is of the cases that were looked at
		// How says which cases were looked at: "all", "all kinds" of one cable of a generated fabric, or "drawn".
		How   string `json:"how"`
		Cases int    `json:"cases"`
		Locks int    `json:"cases_that_can_lock"`
		First string `json:"first,omitempty"`       // the cables of the first such case
		Cycle string `json:"first_cycle,omitempty"` // its circle
		// Because are routes whose frames make the circle, one for each of its channels.
		Because []string `json:"first_because,omitempty"`
		Seed    uint64   `json:"seed,omitempty"`        // of what was drawn
		Lost    int      `json:"cases_with_lost_pairs"` // cases in which nodes reach each other no more
		// UntilRoutes says that the cases are of the time until switches have new routes: tables do not have these.
		UntilRoutes bool `json:"until_new_routes,omitempty"`
		// Singles counts the cases of one cable. Only in these is it looked at what happens while switches change their
		// routes, and Moving counts those with a circle then.
		Singles int    `json:"single_cases"`
		Moving  int    `json:"cases_while_converging"`
		Moves   string `json:"first_while_converging,omitempty"`
	} `json:"failures,omitempty"`
	// Converging is the verdict while switches change from the tables before to those of the routes, each with its old or
	// its new next hops; absent: the file names no tables before. The verdict of the document does not depend on it.
	Converging *struct {
		Verdict string   `json:"verdict"`
		Cycle   string   `json:"cycle,omitempty"`
		Because []string `json:"because,omitempty"` // a route for each channel of the circle
	} `json:"converging,omitempty"`
	// Watchdog says what the PFC watchdog of the file does to a lock; empty: the file has none, or there is no cycle.
	Watchdog string   `json:"watchdog,omitempty"`
	Assumed  []string `json:"assumed"`         // what the verdict rests on
	Notes    []string `json:"notes,omitempty"` // routes that carry nothing, and other things to know
}

// FabricPriority is the answer for one lossless priority.
type FabricPriority struct {
	Priority int `json:"priority"`
	// Channels are directions of cables that carry frames of the priority, and Dependencies pairs of channels of which
	// the first can wait for the second.
	Channels     int `json:"channels"`
	Dependencies int `json:"dependencies"`
	// Cycle is a shortest circle of channels that can wait for each other; []: none. One that takes several priorities is
	// listed at the lowest.
	Cycle []FabricHop `json:"cycle"`
	// Shortest is false if the search for a shorter circle was ended by its budget.
	Shortest bool `json:"shortest,omitempty"`
	// Entangled are the channels that can wait for themselves, over any circle; 0: none.
	Entangled int `json:"channels_in_cycles"`
	// Proof says how NO CYCLE was checked: "ranks": each dependency leads to a lower rank; "ranks, checked independently":
	// by a second program, too. Empty with a cycle. It is of the routes as they are: what Converging and Failures say has
	// ranks alone.
	Proof    string   `json:"proof,omitempty"`
	Remedies []string `json:"remedies,omitempty"` // changes after which there is no cycle, each tried
	// Simulated is a run of the ways that make the cycle, a flow at line rate each; absent: there was none, and
	// NotSimulated says why.
	Simulated *struct {
		Flows        int   `json:"flows"`
		Until        int64 `json:"until_ps"`
		Locked       bool  `json:"locked"` // false: not seen to lock until then, which proves nothing
		LastDelivery int64 `json:"last_delivery_ps"`
	} `json:"simulated,omitempty"`
	NotSimulated string `json:"not_simulated_because,omitempty"`
}

// FabricHop is one channel of a circle: a cable in one direction.
type FabricHop struct {
	From     string `json:"from"`
	To       string `json:"to"`
	FromPort string `json:"from_port,omitempty"`
	ToPort   string `json:"to_port,omitempty"`
	Priority int    `json:"priority"`
	// Because is a route whose frames take this channel and then the next of the circle.
	Because string   `json:"because"`
	Way     []string `json:"way,omitempty"` // of these frames: the nodes, in their order
}

// CanLock tells whether pauses can lock, on the routes or after the failures that were asked for.
func (d *FabricDocument) CanLock() bool {
	return d.Verdict == "can-lock" || d.Failures != nil && d.Failures.Verdict == "can-lock"
}

// Circle is the first priority with a circle; nil: none has one.
func (d *FabricDocument) Circle() *FabricPriority {
	for i := range d.Priorities {
		if p := &d.Priorities[i]; len(p.Cycle) > 0 {
			return p
		}
	}
	return nil
}

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
