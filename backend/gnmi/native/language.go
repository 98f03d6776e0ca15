package native

import (
	"errors"
	"fmt"

	"github.com/cellwarden/cellwarden/dialect"
	"github.com/cellwarden/cellwarden/dialect/eos"
	"github.com/cellwarden/cellwarden/dialect/junos"
	"github.com/cellwarden/cellwarden/dialect/sonic"
	"github.com/cellwarden/cellwarden/dialect/srlinux"
)

// ErrNoLanguage says that a kind of switch has no native configuration that
// cellwarden writes.
var ErrNoLanguage = errors.New("no native configuration")

// languages are what New knows, by dialect.
var languages = map[string]func(dialect.Plan, sonic.Options) Language{
	"sonic":   func(p dialect.Plan, o sonic.Options) Language { return &SONiC{Plan: p, Options: o} },
	"srlinux": func(p dialect.Plan, _ sonic.Options) Language { return &Fixed{Rendering: srlinux.Render(p)} },
	"junos":   func(p dialect.Plan, _ sonic.Options) Language { return &Fixed{Rendering: junos.Render(p)} },
	"eos":     func(p dialect.Plan, _ sonic.Options) Language { return &Fixed{Rendering: eos.Render(p)} },
}

// New is a plan in a dialect, such as a target's profile names it. The Options are
// for SONiC alone.
func New(name string, plan dialect.Plan, known sonic.Options) (Language, error) {
	make, there := languages[name]
	if !there {
		return nil, fmt.Errorf("%w: dialect %q", ErrNoLanguage, name)
	}
	return make(plan, known), nil
}
