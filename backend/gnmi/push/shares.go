package push

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/unit"
)

// gapsError says that a plan is refused, because the lossless groups need a value that cannot be sent.
type gapsError struct{ what string }

// Error names the values.
func (e *gapsError) Error() string {
	return fmt.Sprintf("nothing was sent: %v: %s", backend.ErrGaps, e.what)
}

// Unwrap returns backend.ErrGaps.
func (e *gapsError) Unwrap() error { return backend.ErrGaps }

// sharesOver returns what a kind of switch makes of the groups over OpenConfig; nil if it has no weights of queues.
func sharesOver(p *nos.Profile, in *buffer.Intent) []nos.Shares {
	if !p.Rule(buffer.QueueWeight).Expressible() {
		return nil
	}
	return nos.OneLevelShares(in)
}

// CheckShares refuses a switch without the shaper that a group needs: the group would be strict without a limit. With
// strict it also refuses shares that are off by more than the tolerance, and parts of the schedule that the switch does
// not have, except for unused bandwidth, without which the guaranteed shares stay. The error is a backend.ErrGaps.
func CheckShares(list []nos.Shares, strict bool, tolerance unit.Percent) error {
	var why []string
	for i := range list {
		s := &list[i]
		ports := buffer.FoldPorts(s.Ports)
		for _, l := range s.Losses {
			if l.Code == ets.LostShaper || strict && l.Code != ets.LostGroups {
				why = append(why, ports+": "+l.Text)
			}
		}
		for _, t := range s.Turns {
			if r := t.Rounded; strict && !t.Strict && t.Exact && r.Off() > tolerance {
				why = append(why, fmt.Sprintf("%s: queue %d has %v of the bandwidth for %v: off by %v, allowed: %v",
					ports, t.Priority, r.Got.Percent(), r.Asked.Percent(), r.Off(), tolerance))
			}
		}
	}
	if len(why) == 0 {
		return nil
	}
	return fmt.Errorf("%w: shares of the bandwidth: %s", backend.ErrGaps, strings.Join(why, "; "))
}
