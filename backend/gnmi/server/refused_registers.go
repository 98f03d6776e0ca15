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

// refusedRegisters are the registers because of which a device does not hold what it
// was asked to. A device that does not say which it refuses may mean any of those
// that were to be changed; of one that is broken none is to blame.
func refusedRegisters(report *backend.Report, err error) []buffer.Register {
	var one *backend.RegisterError
	var shortage *buffer.Refusal
	switch {
	case errors.As(err, &one):
		return []buffer.Register{one.Register}
	case errors.As(err, &shortage):
		return registersOfShortage(shortage, report.Steps)
	case len(report.Differences) > 0:
		return registersOf(report.Differences)
	case errors.Is(err, backend.ErrRefused) || errors.Is(err, buffer.ErrNoFit):
		return registersOf(report.Steps)
	}
	return nil
}

// registersOfShortage picks the steps that ask for the cells that are missing: those of the
// group or queue that is named, or else of the port.
func registersOfShortage(r *buffer.Refusal, steps []buffer.Step) []buffer.Register {
	ask := func(s buffer.Step) bool { return s.Port == r.Port && s.Kind.Allocates() && s.To > s.From }
	named := func(s buffer.Step) bool { return ask(s) && s.Index == r.Group }
	if !slices.ContainsFunc(steps, named) {
		named = ask
	}
	return registersOf(slices.DeleteFunc(slices.Clone(steps), func(s buffer.Step) bool { return !named(s) }))
}

func registersOf(steps []buffer.Step) []buffer.Register {
	out := make([]buffer.Register, len(steps))
	for i, s := range steps {
		out[i] = s.Register
	}
	return out
}

// requestedBy lists the paths that ask for registers: the leaf of a profile, and the
// binding of the port, as the client calls them. A port that a configuration no
// longer binds is looked up in the one that holds until now.
func (s *Server) requestedBy(now *translation, registers []buffer.Register) (bad []violation) {
	for _, r := range registers {
		from, paths := now, pathsOfRegister(now.device, r)
		if paths == nil && s.translation != nil {
			from, paths = s.translation, pathsOfRegister(s.translation.device, r)
		}
		if paths == nil && r.Port != "" {
			paths = []string{interfacePath("", r.Port)}
		}
		back := from.names.inverse()
		for _, p := range paths {
			bad = append(bad, violation{path: back.renamePath(p)})
		}
	}
	return unique(bad)
}

// pathsOfRegister returns the paths with which a tree asks for a register; nil if it does
// not.
func pathsOfRegister(tree *oc.Root, r buffer.Register) []string {
	i := tree.GetQos().GetInterfaces().GetInterface(r.Port)
	queue := strconv.Itoa(r.Index)
	if leaf, ok := inputLeaves[r.Kind]; ok {
		if p := inputProfile(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%s]/config/%s", *p.Name, queue, leaf),
				interfacePath("/input/config/buffer-allocation-profile", r.Port)}
		}
	}
	if leaf, ok := outputLeaves[r.Kind]; ok {
		if p := outputProfile(tree, i, queue); p != nil {
			return []string{fmt.Sprintf("/qos/queue-management-profiles/queue-management-profile[name=%s]/wred/uniform/config/%s", *p.Name, leaf),
				interfacePath("/output/queues/queue[name="+queue+"]/config/queue-management-profile", r.Port)}
		}
	}
	return pathsOfQueuing(tree, i, r)
}

// pathsOfQueuing is asks for what a queue has of its own, for its weight, and for
// the DSCPs of a priority.
func pathsOfQueuing(tree *oc.Root, i *ocInterface, r buffer.Register) (paths []string) {
	switch r.Kind {
	case buffer.QueueReserved:
		if p := outputMinima(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%d]/config/dedicated-buffer", *p.Name, r.Index),
				interfacePath("/output/config/buffer-allocation-profile", r.Port)}
		}
	case buffer.QueueWeight:
		if p := policy(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/scheduler-policies/scheduler-policy[name=%s]", *p.Name), interfacePath("/output/scheduler-policy/config/name", r.Port)}
		}
	case buffer.PriorityDSCP:
		for _, of := range []boundType{boundIPv4, boundIPv6} {
			if c := classifier(tree, i, of); c != nil {
				paths = append(paths, fmt.Sprintf("/qos/classifiers/classifier[name=%s]", *c.Name),
					interfacePath(fmt.Sprintf("/input/classifiers/classifier[type=%s]/config/name", of), r.Port))
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

// interfacePath is a path below an interface.
func interfacePath(below, port string) string {
	return fmt.Sprintf("/qos/interfaces/interface[interface-id=%s]%s", port, below)
}
