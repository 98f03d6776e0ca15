package native

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/registry"
	"github.com/cellwarden/cellwarden/nos/sonic"
)

// ErrNoLanguage says that a kind of switch has no native configuration that cellwarden writes.
var ErrNoLanguage = errors.New("no native configuration")

// New is a plan in a dialect, such as a target's profile names it: the name of a system that renders plans. SONiC's
// rendering depends on what is known of the switch, and on what it has.
func New(name string, plan nos.Plan, known sonic.Options) (Language, error) {
	switch s := registry.System(name); {
	case s == nil || s.Render == nil:
		return nil, fmt.Errorf("%w: dialect %q", ErrNoLanguage, name)
	case s.Name == sonic.System.Name:
		return &SONiC{Plan: plan, Options: known}, nil
	default:
		r := s.Render(plan)
		if r.Refused != "" {
			return nil, fmt.Errorf("dialect %s: %w: %s", name, backend.ErrGaps, r.Refused)
		}
		return &Fixed{Rendering: r}, nil
	}
}
