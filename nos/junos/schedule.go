package junos

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/ets"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/pg"
)

// # Groups (ETS)
//
// Switches with hierarchical scheduling have both levels ("Only switches that support enhanced transmission selection
// (ETS) hierarchical scheduling support the traffic-control-profiles hierarchy", Juniper CLI reference, shaping-rate):
// a forwarding-class-set is a group. Its traffic-control-profile has the guaranteed-rate of the group, and a
// scheduler-map with a scheduler for each forwarding class. That transmit-rate is a percentage of the group's rate is
// inferred from the guide's words for it, the minimum of a queue within its set.

// mostSets is the largest number of forwarding-class-sets of an interface (junos-qfx-conf-class-of-service,
// max-elements).
const mostSets = 4

// schedules collects the lists of the document that groups need.
type schedules struct {
	schedulers, maps, controls list
	written                    map[string]bool
	sets                       [pg.PerPort][pg.PerPort]bool // the queues of each traffic class, of all ports
	crowded                    []string                     // ports with more sets than an interface can have
}

// schedule gives the interface of a port its groups; a port without traffic classes has none.
func (w *writer) schedule(port *nos.Port, entry object) {
	var sets list
	for c := range port.Classes {
		if queues := port.QueuesOf(c); len(queues) > 0 {
			sets = append(sets, object{"name": setName(c),
				"output-traffic-control-profile": object{"profile-name": w.profile(port, c, queues)}})
		}
	}
	if len(sets) == 0 {
		return
	}
	if len(sets) > mostSets {
		w.crowded = append(w.crowded, port.Name)
	}
	entry["forwarding-class-set"] = sets
}

// setName is the name of the set of a traffic class.
func setName(class int) string { return fmt.Sprintf("cellwarden-class-%d", class) }

// profile returns the name of the traffic-control-profile of a group, which is named by its content.
func (w *writer) profile(port *nos.Port, class int, queues []int) string {
	var shares []ets.Share
	for _, n := range queues {
		if s := port.Queues[n].Share; s > 0 {
			shares = append(shares, ets.Share{Part: int64(s)})
		}
	}
	percents := ets.Percents.Round(shares)
	bandwidth := port.Classes[class].Bandwidth
	var entries list
	var content []string
	for _, n := range queues {
		w.class(n)
		w.sets[class][n] = true
		percent := 0 // strict
		if port.Queues[n].Share > 0 {
			percent, percents = percents[0].Number, percents[1:]
		}
		if bandwidth <= 0 {
			percent = 0
		}
		entries = append(entries, object{"name": className(n), "scheduler": w.scheduler(percent)})
		content = append(content, fmt.Sprintf("%d-%d", n, percent))
	}
	scheduler := short("cellwarden-", strings.Join(content, "-"))
	if w.add("map " + scheduler) {
		w.maps = append(w.maps, object{"name": scheduler, "forwarding-class": entries})
	}
	name := short("cellwarden-", fmt.Sprintf("%d-of-%s", max(bandwidth, 0), strings.Join(content, "-")))
	if w.add("profile " + name) {
		p := object{"name": name, "scheduler-map": scheduler}
		if bandwidth > 0 {
			p["guaranteed-rate"] = object{"percent": bandwidth}
		}
		w.controls = append(w.controls, p)
	}
	return name
}

// scheduler returns the name of the scheduler of a queue; 0 percent is strict.
func (w *writer) scheduler(percent int) string {
	name, s := "cellwarden-strict", object{"name": "cellwarden-strict", "priority": "strict-high"}
	if percent > 0 {
		name = fmt.Sprintf("cellwarden-%d-percent", percent)
		s = object{"name": name, "priority": "low", "transmit-rate": object{"percent": percent}}
	}
	if w.add("scheduler " + name) {
		w.schedulers = append(w.schedulers, s)
	}
	return name
}

// add tells whether a name of the document is new.
func (s *schedules) add(name string) bool {
	if s.written == nil {
		s.written = map[string]bool{}
	}
	is := !s.written[name]
	s.written[name] = true
	return is
}

// write adds the lists to the document.
func (s *schedules) write(service object) {
	if len(s.controls) == 0 {
		return
	}
	var sets list
	for c, queues := range s.sets {
		var classes list
		for n, is := range queues {
			if is {
				classes = append(classes, object{"name": className(n)})
			}
		}
		if len(classes) > 0 {
			sets = append(sets, object{"name": setName(c), "class": classes})
		}
	}
	service["forwarding-class-sets"], service["schedulers"] = sets, s.schedulers
	service["scheduler-maps"], service["traffic-control-profiles"] = s.maps, s.controls
}

// notes are what the operator has to know of the groups.
func (s *schedules) notes() (out []string) {
	if len(s.controls) == 0 {
		return nil
	}
	out = append(out, "groups are forwarding-class-sets with traffic-control-profiles, which only switches with ETS "+
		"hierarchical scheduling have; that transmit-rate is a percentage of the group's rate is inferred")
	if len(s.crowded) > 0 {
		out = append(out, fmt.Sprintf("an interface has at most %d forwarding-class-sets, and these ports have more "+
			"groups: %s", mostSets, buffer.FoldPorts(s.crowded)))
	}
	return out
}
