package audit

import (
	"fmt"

	"github.com/cellwarden/cellwarden/finding"
)

// Neighbour is a link of a switch, as its configuration names it.
type Neighbour struct {
	Port                     string
	Neighbour, NeighbourPort string // host name of the other end, and the port there
	At                       finding.Place
}

// Peers compares the two ends of the links between two switches: those that the first names with the host name of
// the second, in DEVICE_NEIGHBOR on SONiC. It returns how many links there are; where there is none, why.
func Peers(here, there *Result) (links int, unlinked string, found []finding.Finding) {
	c := &collector{topology: here.Source.Topology}
	var ports [2]map[string]*Port // of each switch, by name
	for i, r := range []*Result{here, there} {
		ports[i] = map[string]*Port{}
		for _, p := range r.Switch.Ports {
			ports[i][p.Name] = p
		}
	}
	for _, l := range here.Switch.Links {
		a, b := ports[0][l.Port], ports[1][l.NeighbourPort]
		if a == nil || b == nil || l.Neighbour == "" || l.Neighbour != there.Switch.Hostname {
			continue
		}
		links++
		c.link(a, b, l.At, there.Source.File)
	}
	finding.Sort(c.Findings)
	switch reading := here.Source.Reading; {
	case links > 0:
	case len(here.Switch.Links) == 0 && !reading.Manager:
		unlinked = fmt.Sprintf("no link of %s was compared: a configuration of %s names no neighbours: want topologies of "+
			"both ends, and cellwarden link", here.Source.File, reading.System)
	default:
		unlinked = fmt.Sprintf("no link of %s to %s was compared: want links that it names with the host name of the other "+
			"end", here.Source.File, there.Source.File)
	}
	return links, unlinked, c.Findings
}

// link compares the two ends of a link.
func (c *collector) link(a, b *Port, at finding.Place, file string) {
	object := a.Name + " to " + b.Name + " of " + file
	if a.PFC != b.PFC {
		place := at
		if a.MapAt.Line > 0 {
			place = a.MapAt
		}
		c.add("peer-priorities", place, object, nil, "PFC is on for %v here, and for %v there", bits(a.PFC), bits(b.PFC))
	}
	if a.Speed > 0 && b.Speed > 0 && a.Speed != b.Speed {
		c.add("peer-speed", a.At, object, nil, "the speed is %v here, and %v there", a.Speed, b.Speed)
	}
	if a.CableGiven && b.CableGiven && a.Cable != b.Cable {
		c.add("peer-cable", a.CableAt, object, nil, "the cable is %v here, and %v there", a.Cable, b.Cable)
	}
}
