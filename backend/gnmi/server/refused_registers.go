package server

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/oc"
	"github.com/cellwarden/cellwarden/buffer"
)

// culprits are the registers because of which a device does not hold what it
// was asked to. A device that does not say which it refuses may mean any of those
// that were to be changed; of one that is broken none is to blame.
func culprits(report *backend.Report, err error) []buffer.Register {
	var one *backend.RegisterError
	var shortage *buffer.Refusal
	switch {
	case errors.As(err, &one):
		return []buffer.Register{one.Register}
	case errors.As(err, &shortage):
		return shortOf(shortage, report.Steps)
	case len(report.Differences) > 0:
		return changed(report.Differences)
	case errors.Is(err, backend.ErrRefused) || errors.Is(err, buffer.ErrNoFit):
		return changed(report.Steps)
	}
	return nil
}

// shortOf picks the steps that ask for the cells that are missing: those of the
// group or queue that is named, or else of the port.
func shortOf(r *buffer.Refusal, steps []buffer.Step) []buffer.Register {
	ask := func(s buffer.Step) bool { return s.Port == r.Port && s.Kind.Allocates() && s.To > s.From }
	named := func(s buffer.Step) bool { return ask(s) && s.Index == r.Group }
	if !slices.ContainsFunc(steps, named) {
		named = ask
	}
	return changed(slices.DeleteFunc(slices.Clone(steps), func(s buffer.Step) bool { return !named(s) }))
}

func changed(steps []buffer.Step) []buffer.Register {
	out := make([]buffer.Register, len(steps))
	for i, s := range steps {
		out[i] = s.Register
	}
	return out
}

// asking lists the paths that ask for registers: the leaf of a profile, and the
// binding of the port, as the client calls them. A port that a configuration no
// longer binds is looked up in the one that holds until now.
func (s *Server) asking(now *reading, registers []buffer.Register) (bad []violation) {
	for _, r := range registers {
		from, paths := now, asks(now.acted, r)
		if paths == nil && s.reading != nil {
			from, paths = s.reading, asks(s.reading.acted, r)
		}
		if paths == nil && r.Port != "" {
			paths = []string{placed("", r.Port)}
		}
		back := from.naming.back()
		for _, p := range paths {
			bad = append(bad, violation{path: back.text(p)})
		}
	}
	return unique(bad)
}

// asks returns the paths with which a tree asks for a register; nil if it does
// not.
func asks(tree *oc.Root, r buffer.Register) []string {
	i := tree.GetQos().GetInterfaces().GetInterface(r.Port)
	queue := strconv.Itoa(r.Index)
	if leaf, ok := inputLeaves[r.Kind]; ok {
		if p := inputProfile(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%s]/config/%s", *p.Name, queue, leaf),
				placed("/input/config/buffer-allocation-profile", r.Port)}
		}
	}
	if leaf, ok := outputLeaves[r.Kind]; ok {
		if p := outputProfile(tree, i, queue); p != nil {
			return []string{fmt.Sprintf("/qos/queue-management-profiles/queue-management-profile[name=%s]/wred/uniform/config/%s", *p.Name, leaf),
				placed("/output/queues/queue[name="+queue+"]/config/queue-management-profile", r.Port)}
		}
	}
	return asksQueuing(tree, i, r)
}

// asksQueuing is asks for what a queue has of its own, for its weight, and for
// the DSCPs of a priority.
func asksQueuing(tree *oc.Root, i *ocInterface, r buffer.Register) (paths []string) {
	switch r.Kind {
	case buffer.QueueReserved:
		if p := outputMinima(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%d]/config/dedicated-buffer", *p.Name, r.Index),
				placed("/output/config/buffer-allocation-profile", r.Port)}
		}
	case buffer.QueueWeight:
		if p := policy(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/scheduler-policies/scheduler-policy[name=%s]", *p.Name), placed("/output/scheduler-policy/config/name", r.Port)}
		}
	case buffer.PriorityDSCP:
		for _, of := range []boundType{boundIPv4, boundIPv6} {
			if c := classifier(tree, i, of); c != nil {
				paths = append(paths, fmt.Sprintf("/qos/classifiers/classifier[name=%s]", *c.Name),
					placed(fmt.Sprintf("/input/classifiers/classifier[type=%s]/config/name", of), r.Port))
			}
		}
	}
	return paths
}

// The leaves that say registers, of buffer allocation profiles and of queue
// management profiles. A register that no profile says is named by its interface.
var (
	inputLeaves = map[buffer.Kind]string{buffer.GroupReserved: "dedicated-buffer", buffer.GroupAlpha: "dynamic-limit-scaling-factor",
		buffer.GroupStatic: "static-shared-buffer-limit"}
	outputLeaves = map[buffer.Kind]string{buffer.QueueECNMin: "min-threshold", buffer.QueueECNMax: "max-threshold",
		buffer.QueueECNPMax: "max-drop-probability-percent"}
)

// placed is a path below an interface.
func placed(below, port string) string {
	return fmt.Sprintf("/qos/interfaces/interface[interface-id=%s]%s", port, below)
}
