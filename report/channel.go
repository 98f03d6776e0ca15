package report

import (
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/unit"
)

// Channel is what one virtual channel (CBFC) has in one slice. Each credit has a reserved cell there.
type Channel struct {
	Port     string      `json:"port"`
	Channel  int         `json:"channel"`
	Slice    int         `json:"slice"`
	Class    string      `json:"class"`
	Traffic  []int       `json:"traffic_classes"` // that are in the channel
	Reserved cells.Count `json:"reserved_credits"`
	// Limit says how the channel uses the shared credits of its port: "none", "static" or "dynamic".
	Limit    string      `json:"shared_limit"`
	Static   cells.Count `json:"static_limit_credits,omitempty"`
	Dynamic  *int        `json:"dynamic_th,omitempty"`      // n of 2^n
	Shared   cells.Count `json:"port_shared_credits"`       // of all channels of the port
	Alone    cells.Count `json:"credits_alone"`             // while no other channel uses shared ones
	FullRate cells.Count `json:"full_rate_credits"`         // that keep the link full; 0: not known
	Full     *bool       `json:"full_rate_alone,omitempty"` // Alone is at least FullRate; absent: not known

	ReservedAsked   unit.Bytes `json:"reserved_asked_bytes"`
	ReservedGranted unit.Bytes `json:"reserved_granted_bytes"`
	LimitAsked      unit.Bytes `json:"static_limit_asked_bytes,omitempty"`
	LimitGranted    unit.Bytes `json:"static_limit_granted_bytes,omitempty"`
	SharedAsked     unit.Bytes `json:"port_shared_asked_bytes"`
	SharedGranted   unit.Bytes `json:"port_shared_granted_bytes"`
}

// channel translates a channel of a plan.
func channel(c buffer.Channel) Channel {
	out := Channel{Port: c.Port, Channel: c.Channel, Slice: c.Slice, Class: c.Class, Traffic: c.Traffic.List(),
		Reserved: c.Reserved, Limit: "none", Static: c.Limit, Shared: c.Shared, Alone: c.Alone, FullRate: c.FullRate,
		ReservedAsked: c.ReservedAsked, ReservedGranted: c.ReservedGranted, LimitAsked: c.LimitAsked,
		LimitGranted: c.LimitGranted, SharedAsked: c.SharedAsked, SharedGranted: c.SharedGranted}
	switch c.Mode {
	case cbfc.UpTo:
		out.Limit = "static"
	case cbfc.Dynamic:
		out.Limit, out.Dynamic = "dynamic", new(c.Alpha.DynamicTh())
	}
	if c.FullRate > 0 {
		out.Full = new(c.Alone >= c.FullRate)
	}
	return out
}
