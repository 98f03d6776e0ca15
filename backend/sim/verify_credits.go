package sim

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
)

// VerifiedCredits is a group whose class has credits (CBFC). Nothing of it is simulated. It is proved by counting: the
// sender has at most Credits in use, a credit is at most a cell, and the layout reserves a cell for each. So the
// receiver has room for every frame that is sent.
type VerifiedCredits struct {
	Port     string      `json:"port"`
	Group    int         `json:"group"`
	Class    string      `json:"class"`
	Credits  cells.Count `json:"credits"`                  // of the plan
	Reserved cells.Count `json:"reserved_cells"`           // in the layout
	FullRate cells.Count `json:"full_rate_credits"`        // that keep the link full; 0: not known
	Backed   bool        `json:"each_credit_has_its_cell"` // Reserved is at least Credits
}

// credits verifies the groups of a port that have credits. A port with a credit that no cell backs is listed as not
// verified.
func (v *verifier) credits(port int) error {
	groups, err := v.in.CreditGroups(port)
	if err != nil {
		return err
	}
	name := v.in.Ports[port].Name
	for _, g := range groups {
		c := VerifiedCredits{Port: name, Group: g.Group, Class: g.Class, Credits: g.Cells, FullRate: g.FullRate,
			Reserved: cells.Count(v.values.of(buffer.GroupReserved, name, g.Group))}
		if c.Backed = c.Reserved >= c.Credits; !c.Backed && !slices.Contains(v.out.NotVerified, name) {
			v.out.NotVerified = append(v.out.NotVerified, name)
		}
		v.out.Credits = append(v.out.Credits, c)
	}
	return nil
}

// creditCondition is what the proof of credits rests on; empty without such groups.
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
