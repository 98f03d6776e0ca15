package journal

import (
	"fmt"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// setting is a register and its value, in cells or the register's unit.
type setting struct {
	Register string `json:"register"` // the full name of its kind
	Port     string `json:"port,omitempty"`
	Index    int    `json:"index"`
	Value    int64  `json:"value"`
}

func settings(l buffer.Layout) []setting {
	return grouped.Each(l, func(s buffer.Setting) setting { return setting{s.Kind.String(), s.Port, s.Index, s.Value} })
}

// layoutOf reads settings. It refuses registers that no switch has and those that are named twice.
//
// Earlier versions wrote "group reserved" for a port's minimum too. It stands for
// the group here: OpenConfig cannot express a port's minimum, so no journal has one.
func layoutOf(all []setting) (buffer.Layout, error) {
	seen := map[buffer.Register]bool{}
	var out []buffer.Setting
	for _, s := range all {
		k, err := buffer.ParseKind(s.Register)
		r := buffer.Register{Kind: k, Port: s.Port, Index: s.Index}
		if err != nil || seen[r] || !r.Valid() {
			return nil, fmt.Errorf("register %q of %q, %d: want registers of a layout, each once",
				s.Register, s.Port, s.Index)
		}
		seen[r] = true
		out = append(out, buffer.Setting{Register: r, Value: s.Value})
	}
	return buffer.NewLayout(out), nil
}

// move is a register and its change, in cells or the register's unit.
type move struct {
	Register string `json:"register"` // the full name of its kind
	Port     string `json:"port,omitempty"`
	Index    int    `json:"index"`
	From     int64  `json:"from"`
	To       int64  `json:"to"`
}

func moves(steps []buffer.Step) []move {
	return grouped.Each(steps, func(s buffer.Step) move { return move{s.Kind.String(), s.Port, s.Index, s.From, s.To} })
}

// stepsOf reads moves. It refuses what layoutOf refuses, and a move that changes nothing.
func stepsOf(all []move) ([]buffer.Step, error) {
	var named []setting
	for _, m := range all {
		if m.From == m.To {
			return nil, fmt.Errorf("register %q of %q, %d: from and to are %d: want a change", m.Register, m.Port, m.Index,
				m.To)
		}
		named = append(named, setting{m.Register, m.Port, m.Index, m.From})
	}
	if _, err := layoutOf(named); err != nil {
		return nil, err
	}
	return grouped.Each(all, func(m move) buffer.Step {
		k, _ := buffer.ParseKind(m.Register)
		return buffer.Step{Register: buffer.Register{Kind: k, Port: m.Port, Index: m.Index}, From: m.From, To: m.To}
	}), nil
}
