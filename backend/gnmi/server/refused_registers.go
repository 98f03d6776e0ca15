package server

import (
	"errors"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
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

// requestedBy lists the paths that ask for registers: the leaf of
// a profile, and the binding of the port. A port that the new configuration does not bind
// any more is searched in the present one. If neither configuration asks for a register, the port's interface is
// named: the Set took it away.
func (s *Server) requestedBy(now *translation, registers []buffer.Register) (bad []violation) {
	for _, r := range registers {
		paths := now.registers.PathsOf(r)
		if paths == nil {
			paths = s.translation.registers.PathsOf(r)
		}
		if paths == nil && r.Port != "" {
			keys := map[string]string{"interface-id": s.translation.names.Interface(r.Port)}
			paths = []string{pathText([]*gpb.PathElem{{Name: "qos"}, {Name: "interfaces"}, {Name: "interface", Key: keys}})}
		}
		for _, p := range paths {
			bad = append(bad, violation{path: p})
		}
	}
	return unique(bad)
}
