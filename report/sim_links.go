package report

import (
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/unit"
)

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
