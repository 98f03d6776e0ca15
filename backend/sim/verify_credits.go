package sim

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
)

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

// credits verifies the channels of a port. A port with a credit that no cell backs, or with another map from traffic
// class to channel than planned, is listed as not verified.
func (v *verifier) credits(port int) error {
	planned, err := v.in.Credits(port)
	if err != nil {
		return err
	}
	name := v.in.Ports[port].Name
	for i, vc := range planned.Channels {
		c := VerifiedCredits{Port: name, Channel: vc.Number, Class: planned.Classes[i], Traffic: vc.Traffic.List(),
			Credits: cells.Count(planned.Pool.Profiles[i].Reserved), FullRate: planned.FullRate[i],
			Shared: cells.Count(planned.Pool.Shared()), Alone: cells.Count(planned.Pool.Alone(i)),
			Reserved: cells.Count(v.values.of(buffer.ChannelReserved, name, vc.Number)),
			Backing:  cells.Count(v.values.of(buffer.PortCredits, name, 0))}
		c.Mapped = cbfc.TrafficClasses(v.values.of(buffer.ChannelTraffic, name, vc.Number)) == vc.Traffic
		c.Backed = c.Reserved >= c.Credits && c.Backing >= c.Shared
		if (!c.Backed || !c.Mapped) && !slices.Contains(v.out.NotVerified, name) {
			v.out.NotVerified = append(v.out.NotVerified, name)
		}
		v.out.Credits = append(v.out.Credits, c)
	}
	return nil
}

// creditCondition is what the proof of credits rests on; empty without channels.
func (v *verifier) creditCondition() string {
	var classes []string
	for _, c := range v.out.Credits {
		if !slices.Contains(classes, c.Class) {
			classes = append(classes, c.Class)
		}
	}
	if len(classes) == 0 {
		return ""
	}
	return fmt.Sprintf("the neighbours send class %s by credits (CBFC), as many as are planned: this is counted, not "+
		"simulated", buffer.FoldPorts(classes))
}
