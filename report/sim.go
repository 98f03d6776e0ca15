package report

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/unit"
)

// SimDocument is the result of a simulated scenario. Times are in picoseconds.
type SimDocument struct {
	Schema string    `json:"schema"`
	Name   string    `json:"name"`
	Rules  []SimRule `json:"rules"`
	Lists  []string  `json:"flow_lists,omitempty"`
	// FastForward is what a fast run left out; absent: every event was simulated.
	FastForward *struct {
		Skipped int64 `json:"skipped_ps"`
		Share   int64 `json:"skipped_thousandths"` // of the time with traffic: traffic_ps
		Leaps   int   `json:"leaps"`
		Bound   int64 `json:"error_found_below_thousandths"`        // of completion times, times of pauses and marks
		Pauses  int64 `json:"pauses_error_found_below_thousandths"` // of numbers of pauses
		// The maxima of what was simulated. Those of the whole run can be larger, and are not known. null: no leap.
		MaxHeadroom *int64 `json:"max_headroom_cells_simulated"`
		MaxShared   *int64 `json:"max_shared_cells_simulated"`
		Refused     string `json:"not_used_because,omitempty"`
	} `json:"fast_forward,omitempty"`
	Seed       uint64           `json:"seed"`
	Delivered  int64            `json:"frames_delivered"`
	Drops      int64            `json:"drops"`
	ByReason   map[string]int64 `json:"drops_by_reason"`
	PauseSent  int64            `json:"pause_sent"`
	ResumeSent int64            `json:"resume_sent"`
	Marked     int64            `json:"ecn_marked"`
	CNP        int64            `json:"cnp_sent"`
	// Frames that switches had no room for and trimmed, as SAI's counters TRIM_PACKETS and DROPPED_TRIM_PACKETS; and those
	// that arrived trimmed. Absent: none.
	Trimmed        int64 `json:"frames_trimmed,omitempty"`
	TrimDropped    int64 `json:"trimmed_dropped,omitempty"`
	TrimmedArrived int64 `json:"trimmed_arrived,omitempty"`

	MaxHeadroom  *int64         `json:"max_headroom_cells"` // null: not known, a fast run left something out
	MaxShared    *int64         `json:"max_shared_cells"`   // likewise
	LastDelivery int64          `json:"last_delivery_ps"`
	Events       int64          `json:"events"`
	Storms       int64          `json:"watchdog_storms"`
	Deadlocks    int            `json:"deadlocks"`
	Locked       bool           `json:"ends_locked"`
	Findings     []string       `json:"findings,omitempty"`
	DCBX         []SimDCBX      `json:"dcbx,omitempty"`            // of the ports that speak it
	Credits      []SimChannel   `json:"credits,omitempty"`         // of the links that have them
	Planned      []SimCredits   `json:"planned_credits,omitempty"` // of switches whose plans have credits
	LinkLayers   []SimLinkLayer `json:"link_layer,omitempty"`      // of ports with credits, retry or errors
	End          int64          `json:"end_ps"`
	Cut          bool           `json:"cut"`
	Met          *bool          `json:"expectations_met"` // null: expectations were not compared
	Unmet        []string       `json:"expectations_unmet"`
	// Completions are the completion times of each entry's flows. A number that is not known is null.
	Completions []SimCompletion `json:"completions"`
	Span        int64           `json:"traffic_ps"`
	LinksUsed   int             `json:"links_used"`
	// Links are those that were used most, each in one direction.
	Links []SimLink `json:"links"`
}

// SimCompletion is how long the flows of an entry took, each from its start to the arrival of its last payload. It is
// another word for a type without a name, because the schema has it in its place.
type SimCompletion = struct {
	Entry   string    `json:"entry"`
	Flows   int       `json:"flows"`
	Arrived int       `json:"flows_arrived"`
	First   *int64    `json:"first_start_ps"` // null: none has started
	Last    int64     `json:"last_arrival_ps"`
	Times   SimSpread `json:"completion_ps"`
	// Slowdowns are the times divided by those of the same flows alone on their paths, rounded down.
	Slowdowns SimSpread `json:"slowdown_thousandths"`
}

// SimLink is how much of the time a port has sent. A port sends in one direction, so a link has two of them. Bytes are
// without preamble and gap, Sent is with them.
type SimLink = struct {
	Port   string `json:"port"` // that sends
	Rate   int64  `json:"rate_bps"`
	Use    int64  `json:"use_thousandths"` // Sent as a part of the time with traffic, rounded down
	Sent   int64  `json:"sending_ps"`      // of frames, pause frames included
	Frames int64  `json:"frames"`          // data and feedback
	Bytes  int64  `json:"frame_bytes"`     // of these
}

// SimRule is a rule by which switches compare counters with limits.
type SimRule struct {
	Switches  []string `json:"switches"`
	Behaviour string   `json:"behaviour"` // a family, a chip or the reference
	Rule      string   `json:"rule"`
	Source    string   `json:"rule_source"`
}

// SimSpread is a distribution. A percentile is a value that occurs, that with rank ceil(q*n) of n. A flow that has not
// arrived counts as longer than all others, so that a percentile among such flows is not known, and so is the mean:
// null.
type SimSpread struct {
	Mean *int64 `json:"mean"`
	P50  *int64 `json:"p50"`
	P99  *int64 `json:"p99"`
	P999 *int64 `json:"p99_9"`
	Most *int64 `json:"most"`
}

// SimChannel is a virtual channel (CBFC) in one direction of a link.
type SimChannel struct {
	From      string       `json:"from"`
	To        string       `json:"to"`
	Class     string       `json:"class"`
	Channel   int          `json:"channel"`
	Consumed  int64        `json:"consumed_credits"`
	Freed     int64        `json:"freed_credits"` // at the receiver
	Returned  int64        `json:"returned_credits"`
	InUse     cbfc.Credits `json:"in_use_credits"` // at the end
	MostInUse cbfc.Credits `json:"max_in_use_credits"`
	Waited    int64        `json:"without_credits_ps"`
	Leaked    int64        `json:"leaked_credits"`
	Repaired  int64        `json:"repaired_credits"`
}

// SimLinkLayer is what the link layer of a port sent and lost: updates of credits, and retry (LLR).
type SimLinkLayer struct {
	Port       string `json:"port"`
	CFSent     int64  `json:"cf_updates_sent"`
	CFLost     int64  `json:"cf_updates_lost"` // of those that the port sent
	CCSent     int64  `json:"cc_updates_sent"`
	CCLost     int64  `json:"cc_updates_lost"` // of those that its neighbour sent
	Corrupted  int64  `json:"frames_corrupted"`
	Replays    int64  `json:"llr_replays"`
	Repeated   int64  `json:"llr_frames_resent"`
	Timeouts   int64  `json:"llr_timeouts"`
	Flushes    int64  `json:"llr_flushes"`
	GivenUp    int64  `json:"llr_frames_given_up"` // by the neighbour
	Most       int64  `json:"llr_max_frames"`
	Full       int64  `json:"llr_full_ps"`
	Acks       int64  `json:"llr_acks_sent"`
	Nacks      int64  `json:"llr_nacks_sent"`
	Duplicates int64  `json:"llr_duplicates"`
}

// SimCredits is how the links of a switch count the credits of its plan, and what is assumed of its neighbours.
type SimCredits struct {
	Switch   string     `json:"switch"`
	Credit   unit.Bytes `json:"credit_bytes"`
	Overhead unit.Bytes `json:"overhead_bytes"`
	Assumed  []string   `json:"assumed_neighbours"`
}

// SimDCBX is the DCBX of a port.
type SimDCBX struct {
	Port       string      `json:"port"`
	Configured []int       `json:"configured_pfc_priorities"`
	InForce    []int       `json:"pfc_priorities"` // at the end
	Reason     dcbx.Reason `json:"pfc_reason"`     // empty: the port had not begun to speak
	Sent       int64       `json:"lldp_sent"`
	Heard      int64       `json:"lldp_heard"`
	Refused    int64       `json:"lldp_refused"` // of those heard, not used
	Drops      int64       `json:"drops"`        // of frames that entered by the port
	LastDrop   *int64      `json:"last_drop_ps"` // null: no drop
	Changed    int64       `json:"changes_count"`
	Since      *int64      `json:"since_ps"` // the last change, also where it is not listed; null: none
	// Changes are the first moments at which other priorities came into force.
	Changes []struct {
		At     int64       `json:"at_ps"`
		PFC    []int       `json:"pfc_priorities"`
		Reason dcbx.Reason `json:"pfc_reason"`
	} `json:"changes"`
	// Shares is how the link is shared at the end (ETS); null: the port does not speak of it.
	Shares *struct {
		Taken   bool        `json:"taken"` // over from the neighbour
		Reason  dcbx.Reason `json:"reason"`
		Changed int64       `json:"changes_count"`
		Since   *int64      `json:"since_ps"` // the last change; null: none
		// Groups are the traffic classes with priorities. Bandwidth is 0 unless the algorithm is ets.
		Groups []struct {
			Priorities []int  `json:"priorities"`
			Algorithm  string `json:"algorithm"`
			Bandwidth  int    `json:"bandwidth_percent"`
		} `json:"groups"`
	} `json:"shares"`
}
