package server

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/oc"
)

// A device refuses registers, and a client knows paths. These functions find the paths of a
// Set that ask for the refused registers, so that its error can name them.

// refusedRegisters returns the registers that are the reason why a device does not hold a
// configuration. If the device does not say which ones it refuses, they are all that were
// to change. If the device is broken, no register is the reason, and the error of the Set names no path. The cases go
// from the most exact to the least: one register, those of a shortage, those that were read back with another value.
func refusedRegisters(report *backend.Report, err error) []buffer.Register {
	var one *backend.RegisterError
	var shortage *buffer.Refusal
	switch {
	case errors.As(err, &one):
		return []buffer.Register{one.Register}
	case errors.As(err, &shortage):
		return registersOfShortage(shortage, report.Steps)
	case len(report.Differences) > 0: // it was accepted, and read back otherwise
		return registersOf(report.Differences)
	case errors.Is(err, backend.ErrRefused) || errors.Is(err, buffer.ErrNoFit):
		return registersOf(report.Steps)
	}
	return nil
}

// registersOfShortage returns the registers that need the missing cells: those of the group or queue that the refusal
// names, or else those of the port. Only increases of registers that take cells count: a threshold takes none, and a
// decrease frees some. A port that is refused without any increase of its own gives none, and the error names no
// path.
func registersOfShortage(r *buffer.Refusal, steps []buffer.Step) []buffer.Register {
	ask := func(s buffer.Step) bool { return s.Port == r.Port && s.Kind.Allocates() && s.To > s.From }
	named := func(s buffer.Step) bool { return ask(s) && s.Index == r.Group }
	if !slices.ContainsFunc(steps, named) {
		named = ask
	}
	return registersOf(slices.DeleteFunc(slices.Clone(steps), func(s buffer.Step) bool { return !named(s) }))
}

// registersOf are the registers of some steps.
func registersOf(steps []buffer.Step) []buffer.Register {
	return grouped.Each(steps, func(s buffer.Step) buffer.Register { return s.Register })
}

// requestedBy lists the paths that ask for registers, with the client's names: the leaf of
// a profile, and the binding of the port. A port that the new configuration does not bind
// any more is searched in the present one. If neither configuration asks for a register, the port's interface is
// named: the Set took it away.
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
// not. Every other kind of register has no leaf here, and no path.
func pathsOfRegister(tree *oc.Root, r buffer.Register) []string {
	i := tree.GetQos().GetInterfaces().GetInterface(r.Port)
	queue := strconv.Itoa(r.Index)
	if leaf, ok := inputLeaves[r.Kind]; ok {
		if p := inputProfile(tree, i); p != nil {
			return []string{allocationPath(*p.Name, queue, leaf),
				interfacePath("/input/config/buffer-allocation-profile", r.Port)}
		}
	}
	if leaf, ok := outputLeaves[r.Kind]; ok {
		if p := outputProfile(tree, i, queue); p != nil {
			const curve = "/qos/queue-management-profiles/queue-management-profile[name=%s]/wred/uniform/config/%s"
			return []string{fmt.Sprintf(curve, *p.Name, leaf),
				interfacePath("/output/queues/queue[name="+queue+"]/config/queue-management-profile", r.Port)}
		}
	}
	return pathsOfQueuing(tree, i, r)
}

// pathsOfQueuing is pathsOfRegister for the minimum and the weight of a queue, and for the
// DSCPs of a priority.
func pathsOfQueuing(tree *oc.Root, i *ocInterface, r buffer.Register) (paths []string) {
	switch r.Kind {
	case buffer.QueueReserved:
		if p := outputMinima(tree, i); p != nil {
			return []string{allocationPath(*p.Name, strconv.Itoa(r.Index), "dedicated-buffer"),
				interfacePath("/output/config/buffer-allocation-profile", r.Port)}
		}
	case buffer.QueueWeight:
		if p := policy(tree, i); p != nil {
			return []string{fmt.Sprintf("/qos/scheduler-policies/scheduler-policy[name=%s]", *p.Name),
				interfacePath("/output/scheduler-policy/config/name", r.Port)}
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

// The leaves of registers in buffer allocation profiles and in queue management profiles.
var (
	inputLeaves = map[buffer.Kind]string{
		buffer.GroupReserved: "dedicated-buffer",
		buffer.GroupAlpha:    "dynamic-limit-scaling-factor",
		buffer.GroupStatic:   "static-shared-buffer-limit",
	}
	outputLeaves = map[buffer.Kind]string{
		buffer.QueueECNMin:  "min-threshold",
		buffer.QueueECNMax:  "max-threshold",
		buffer.QueueECNPMax: "max-drop-probability-percent",
	}
)

// allocationPath is the path of a leaf of a queue in a buffer allocation profile.
func allocationPath(profile, queue, leaf string) string {
	const path = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=%s]/queues/queue[name=%s]/config/%s"
	return fmt.Sprintf(path, profile, queue, leaf)
}

// interfacePath is a path below an interface of /qos.
func interfacePath(below, port string) string {
	return fmt.Sprintf("/qos/interfaces/interface[interface-id=%s]%s", port, below)
}
