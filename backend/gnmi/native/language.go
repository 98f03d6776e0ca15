package native

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/nos"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/nxos"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/nos/srlinux"
)

// ErrNoLanguage says that a kind of switch has no native configuration that
// cellwarden writes.
var ErrNoLanguage = errors.New("no native configuration")

// Dialect is a native configuration that New knows.
type Dialect struct {
	Name string
	// Depends says that the rendering depends on what is known of the switch: its
	// release, its chip, what it has.
	Depends bool

	make func(nos.Plan, sonic.Options) Language
}

// Dialects lists the dialects that New knows.
func Dialects() []Dialect {
	return []Dialect{
		{"sonic", true, func(p nos.Plan, o sonic.Options) Language { return &SONiC{Plan: p, Options: o} }},
		{"srlinux", false, func(p nos.Plan, _ sonic.Options) Language { return &Fixed{Rendering: srlinux.Render(p)} }},
		{"junos", false, func(p nos.Plan, _ sonic.Options) Language { return &Fixed{Rendering: junos.Render(p)} }},
		{"eos", false, func(p nos.Plan, _ sonic.Options) Language { return &Fixed{Rendering: eos.Render(p)} }},
		{"nxos", false, func(p nos.Plan, _ sonic.Options) Language { return &Fixed{Rendering: nxos.Render(p)} }},
	}
}

// New is a plan in a dialect, such as a target's profile names it. The Options are
// for a dialect that depends on the switch.
func New(name string, plan nos.Plan, known sonic.Options) (Language, error) {
	for _, d := range Dialects() {
		if d.Name == name {
			return d.make(plan, known), nil
		}
	}
	return nil, fmt.Errorf("%w: dialect %q", ErrNoLanguage, name)
}
