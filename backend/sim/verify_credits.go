package sim

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/report"
)

// credits verifies the channels of a port. A port with a credit that no cell backs, or with another map from traffic
// class to channel than planned, is listed as not verified.
func (v *verifier) credits(port int) error {
	planned, err := v.in.Credits(port)
	if err != nil {
		return err
	}
	name := v.in.Ports[port].Name
	for i, vc := range planned.Channels {
		c := report.VerifiedCredits{Port: name, Channel: vc.Number, Class: planned.Classes[i], Traffic: vc.Traffic.List(),
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
