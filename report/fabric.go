package report

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
