package report

import (
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// Verification is the result of the worst case of every lossless group.
//
// The worst case of a group is the exact maximum that a conforming link can bring. The shared pool is full, by other
// groups. A sender at the far end of the port's cable sends at line rate, without a break, the mixture of frames that
// takes most cells in its time, each with preamble and gap, and no frame leaves the switch. Its first frame, the
// longest of the class, causes the pause frame. The pause frame waits for a frame of the port's MTU that the port has
// begun to send. Both ends take as long as 31B.3.7 allows: see [thresholds.IEEE] and [thresholds.DelaySum]. After its
// response time the sender finishes its longest lossless frame.
//
// All delays together come close to their bound without reaching it: they end a picosecond early. So a frame that would
// end exactly at the bound is not counted.
//
// Where the plan has a shared headroom pool, all groups that can pause at once then do so: see [VerifiedPool].
type Verification struct {
	Schema  string  `json:"schema"`
	Verdict Verdict `json:"verdict"`
	// Lossless is true for the verdict [Lossless] alone.
	Lossless bool `json:"lossless"`
	// Conditions are those under which [LosslessIf] and [LosslessFrames] hold; of [NotLossless] without drops, the first
	// is what loses frames.
	Conditions []string    `json:"conditions"`
	Sufficient Sufficiency `json:"sufficient"` // what the plan is enough for

	Chip    string   `json:"chip"`
	RestsOn []string `json:"rests_on,omitempty"` // numbers of the chip without a public source: see PlanDocument
	Method  string   `json:"headroom_method"`    // sizing method of the plan
	// HeadroomOf is "port" on a chip whose ports own the headroom that is counted by group here.
	HeadroomOf string `json:"headroom_of,omitempty"`
	Delays     string `json:"delays"` // where the delays are from, and how they add up
	// PlanDelays is how the plan's method adds up the delays of both ends; empty for a method that does not have these.
	PlanDelays string `json:"headroom_delays,omitempty"`
	// Behaviour names whose rule of comparing counters with limits was used: a family, a chip or the reference. Rule
	// describes it, and RuleSource how that is known: "measured", "inferred", "assumed" and from what.
	Behaviour  string          `json:"behaviour"`
	Rule       string          `json:"rule"`
	RuleSource string          `json:"rule_source"`
	Groups     []VerifiedGroup `json:"groups"` // sorted by port and group
	// Credits are the groups with credits (CBFC): counted, not simulated; absent without such groups.
	Credits []VerifiedCredits `json:"credits,omitempty"`
	Pools   []VerifiedPool    `json:"headroom_pools"` // of each slice that has one; [] if not looked at
	// Egress is the result of each slice in which lossless packets count in a stated egress pool; [] if no such pool is
	// stated: then the egress takes everything.
	Egress []struct {
		Slice  int   `json:"slice"`
		Groups int   `json:"groups"`
		Drops  int64 `json:"drops"` // frames that the egress refused, by a queue's limit or because a pool was full
	} `json:"egress"`
	// NotVerified lists the ports that are up and whose groups are lossless in the intent but not in the layout.
	NotVerified []string `json:"ports_not_verified"`
	Drops       int64    `json:"drops"` // lost frames of all groups and pools
}

// Verdict is what a verification has proved, and nothing more.
type Verdict string

// The verdicts.
const (
	// Lossless says that no frame is lost: each group alone holds what its worst
	// case brings, and so do the headroom pools with all groups at once.
	Lossless Verdict = "lossless"
	// LosslessIf says the same under the conditions that the verification lists.
	LosslessIf Verdict = "lossless-if"
	// LosslessFrames says that frames are lost in the worst case of a group alone, and none of any mixture of frames from
	// Sufficient.Frames bytes on; the headroom pools and the egress refuse none. It holds under Conditions, too.
	LosslessFrames Verdict = "lossless-for-frames"
	// NotLossless says that a group loses frames of every size, that a headroom pool or the egress refuses frames of all
	// groups at once, or that a group which the intent wants lossless is not lossless in the layout.
	NotLossless Verdict = "not-lossless"
	// NothingToProve says that the intent has no lossless group.
	NothingToProve Verdict = "nothing-to-prove"
)

// VerifiedGroup is the result of one group's worst case.
type VerifiedGroup struct {
	Port  string       `json:"port"`
	Group int          `json:"group"`
	Class string       `json:"class"`
	Speed unit.BitRate `json:"speed"`
	Cable unit.Length  `json:"cable"`
	// Path is what the link runs over where its delay was measured, "1.5us measured"; empty: over Cable.
	Path    string      `json:"path,omitempty"`
	Granted cells.Count `json:"granted_cells"`
	Peak    cells.Count `json:"peak_cells"`  // most headroom in use at one time
	Frame   unit.Bytes  `json:"frame_bytes"` // the size that most of the frames have
	Frames  string      `json:"frames"`      // of the worst mixture: "one frame of 4096B, then 614 of 145B"
	// Delays is the sum of the delays that was taken.
	Delays thresholds.DelaySum `json:"delays"`
	// FirstDropBelow is the headroom that the worst case needs: with one cell fewer the first frame is lost. It is exact.
	// It is the peak of a run without a limit, and the sender sends the same frames whether or not frames are lost.
	FirstDropBelow cells.Count `json:"first_drop_below_cells"`
	// Granted - FirstDropBelow; negative: cells are missing
	Margin cells.Count `json:"margin_cells"`
	// MarginMetres is how much longer the cable may be, in whole metres,
	// rounded down. A negative margin is how much shorter it must be.
	MarginMetres int64 `json:"margin_m"`
	Drops        int64 `json:"drops"` // lost frames
	// Assumed is what both ends take together in the worst case.
	Assumed    unit.Time   `json:"ends_allowed"`
	Sufficient Sufficiency `json:"sufficient"` // what the granted headroom is enough for
	// Vendor is what it is enough for with the delays of the vendor's own formula; absent if these are not known.
	Vendor *VendorSufficiency `json:"sufficient_by_vendor,omitempty"`
}

// VendorSufficiency is what a headroom is enough for with the delays for which the chip's vendor makes its tables.
type VendorSufficiency struct {
	Delays  thresholds.DelaySum `json:"delays"`
	Allowed unit.Time           `json:"ends_allowed"`      // by the vendor's formula, together
	Frames  unit.Bytes          `json:"frames_from_bytes"` // as in Sufficiency
}

// Sufficiency is what a headroom is enough for: which frames, with the delays of the worst case, and which delays, with
// any frames. It says what a verdict of [LosslessFrames] or [NotLossless] leaves open.
//
// It is computed, and where frames are lost in the worst case, Frames is then simulated.
type Sufficiency struct {
	// Frames is the smallest size from which on the headroom is enough for every mixture of frames, up to the longest of
	// the class. 0: it is not enough for the longest frames alone either.
	Frames unit.Bytes `json:"frames_from_bytes"`
	// Delays is what both ends may take together on every link, with any frames. Negative: the frames and the cable alone
	// take so much more than there is.
	Delays unit.Time `json:"ends_within"`
}

// And is what is enough for both.
func (s Sufficiency) And(o Sufficiency) Sufficiency {
	out := Sufficiency{Frames: max(s.Frames, o.Frames), Delays: min(s.Delays, o.Delays)}
	if s.Frames == 0 || o.Frames == 0 {
		out.Frames = 0
	}
	return out
}

// VerifiedPool is the result of filling all groups of a slice's headroom pool at once.
type VerifiedPool struct {
	Slice   int         `json:"slice"`
	Groups  int         `json:"groups"`
	Granted cells.Count `json:"granted_cells"`
	Peak    cells.Count `json:"peak_cells"`
	// what all groups together bring, each at most its own headroom; exact, as for a group
	FirstDropBelow cells.Count `json:"first_drop_below_cells"`
	Margin         cells.Count `json:"margin_cells"`
	Drops          int64       `json:"drops"` // frames that the pool refused, not a group's own limit
	// AtOnce is how many of the groups can pause at the same time, whichever they are, without a loss in the pool.
	AtOnce     int         `json:"groups_at_once"`
	Sufficient Sufficiency `json:"sufficient"` // what the pool is enough for, with all groups at once
}

// VerifiedCredits is a virtual channel with credits (CBFC). Nothing of it is simulated. It is proved by counting: the
// sender has at most the reserved credits of each channel in use, and all channels together at most the shared ones
// besides. A credit is at most a cell, and the layout reserves a cell for each. So the receiver has room for each frame
// that is sent.
type VerifiedCredits struct {
	Port     string      `json:"port"`
	Channel  int         `json:"channel"`
	Class    string      `json:"class"`
	Traffic  []int       `json:"traffic_classes"`          // that are in the channel
	Credits  cells.Count `json:"credits"`                  // of its own, as planned
	Reserved cells.Count `json:"reserved_cells"`           // in the layout
	Shared   cells.Count `json:"port_shared_credits"`      // of all channels of the port, as planned
	Backing  cells.Count `json:"port_shared_cells"`        // in the layout
	Alone    cells.Count `json:"credits_alone"`            // while no other channel uses shared ones
	FullRate cells.Count `json:"full_rate_credits"`        // that keep the link full; 0: not known
	Backed   bool        `json:"each_credit_has_its_cell"` // each has one in the layout
	// Mapped says that the layout has the same traffic classes in the channel as the plan.
	Mapped bool `json:"traffic_classes_as_planned"`
}
