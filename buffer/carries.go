package buffer

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// mostManagement is how many of an intent's ports may be management ports, and fastestManagement how fast these are.
// The
// bandwidth of a chip does not include them. Both are inferred: chips have one to four, of 1G to 100G.
const (
	mostManagement    = 4
	fastestManagement = 100 * unit.Gbps
)

// validateCarried refuses more ports than the chip has, ports that are faster than any of the chip's, and ports that
// together are faster than the chip. What is not sourced is not checked: see notChecked.
func (in *Intent) validateCarried(bad *fielderr.List) {
	c := &in.Chip
	if c.Ports > 0 && len(in.Ports) > c.Ports {
		bad.Add("ports", fmt.Sprintf("%d ports", len(in.Ports)),
			fmt.Sprintf("at most %d: %s has no more (%s)", c.Ports, c.Name, orUnknown(c.Sources.Ports)))
	}
	in.validateSum(in.Ports, -1, nil, bad)
}

// validateSum refuses ports that together are faster than the chip: all of them but one, and another.
func (in *Intent) validateSum(ports []Port, but int, other *Port, bad *fielderr.List) {
	c := &in.Chip
	most := unit.BitRate(c.Bandwidth) * unit.Gbps
	if most == 0 {
		return
	}
	if sum := carried(ports, but, other); sum > most {
		bad.Add("ports", fmt.Sprintf("%v in all", sum),
			fmt.Sprintf("at most %v, which is what %s carries (%s)", most, c.Name, orUnknown(c.Sources.Bandwidth)))
	}
}

// validateSpeed refuses a port that is faster than any of the chip's.
func (c *Chip) validateSpeed(p *Port, path string, bad *fielderr.List) {
	if fastest := unit.BitRate(c.PortSpeed) * unit.Gbps; fastest > 0 && p.Rate > fastest {
		bad.Add(path+".speed", p.Rate.String(),
			fmt.Sprintf("at most %v, the fastest port of %s (%s)", fastest, c.Name, orUnknown(c.Sources.Bandwidth)))
	}
}

func orUnknown(source string) string {
	if source == "" {
		return "no source"
	}
	return source
}

// carried returns the speed of all ports together, but one and with another, without the slowest that may be management
// ports. It allocates nothing.
func carried(ports []Port, but int, other *Port) (sum unit.BitRate) {
	var slowest [mostManagement]unit.BitRate // ascending
	found, fastest := 0, unit.BitRate(0)
	count := func(r unit.BitRate) {
		if r <= 0 || r > 1<<50 { // refused already
			return
		}
		sum, fastest = min(sum+r, 1<<62), max(fastest, r)
		at := found
		for at > 0 && slowest[at-1] > r {
			at--
		}
		if at < mostManagement {
			copy(slowest[at+1:], slowest[at:])
			slowest[at], found = r, min(found+1, mostManagement)
		}
	}
	for i := range ports {
		if i != but {
			count(ports[i].Rate)
		}
	}
	if other != nil {
		count(other.Rate)
	}
	for _, r := range slowest[:found] {
		if r <= fastestManagement && r < fastest {
			sum -= r
		}
	}
	return sum
}

// notChecked says what of the ports could not be compared with the chip, because nobody has a source for it; empty if
// everything was.
func (c *Chip) notChecked() []string {
	var what []string
	if c.Ports == 0 {
		what = append(what, "how many ports it has")
	}
	if c.PortSpeed == 0 {
		what = append(what, "how fast a port can be")
	}
	if c.Bandwidth == 0 {
		what = append(what, "how much it carries in all")
	}
	if what == nil {
		return []string{}
	}
	return []string{"not sourced, and the ports not checked against it: " + strings.Join(what, ", ")}
}
