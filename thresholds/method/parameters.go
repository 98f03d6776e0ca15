package method

import (
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/unit"
)

// parameter is a parameter of one sizer: how it is read into it, and the text of what the sizer has; false: it has
// what it has without the parameter.
type parameter struct {
	key  string
	read func(*optionReader)
	text func() (string, bool)
}

// parameters are those of one sizer, in the order in which users read them.
type parameters []parameter

func (p parameters) keys() (out []string) {
	for _, one := range p {
		out = append(out, one.key)
	}
	return out
}

func (p parameters) read(o *optionReader) {
	for _, one := range p {
		one.read(o)
	}
}

// options are the parameters that the sizer does not have anyway.
func (p parameters) options() Options {
	o := Options{}
	for _, one := range p {
		if text, has := one.text(); has {
			o[one.key] = text
		}
	}
	return o
}

// plain is a parameter whose zero is its absence.
func plain[T comparable](key string, parse func(string) (T, error), at *T) parameter {
	return parameter{key, func(o *optionReader) { *at = option(o, key, parse) }, func() (string, bool) {
		var zero T
		return fmt.Sprint(*at), *at != zero
	}}
}

// optional is a parameter whose zero is a value.
func optional[T any](key string, parse func(string) (T, error), at *unit.Optional[T]) parameter {
	return parameter{key, func(o *optionReader) {
		replace(o, key, parse, func(v T) { *at = unit.Given(v) })
	}, func() (string, bool) { return at.String(), at.IsGiven() }}
}

// made is a method that has nothing but its parameters, whatever the chip is. The check sees what was read.
func made[M thresholds.Sizer](of func(*M) parameters, checks ...func(M, *optionReader)) method {
	return method{
		once.Value(func() []string { return of(new(M)).keys() }),
		func(_ string, o *optionReader) thresholds.Sizer {
			var m M
			if len(o.given) > 0 { // most topologies of a fleet give none
				of(&m).read(o)
			}
			for _, check := range checks {
				check(m, o)
			}
			return m
		},
		func(s thresholds.Sizer, _ string) Options {
			m, _ := s.(M)
			return of(&m).options()
		},
	}
}

// parameters are those that every chip has alike.
func (m *SONiC) parameters() parameters {
	return parameters{plain("gearbox_delay", unit.ParseTime, &m.Gearbox), plain("lanes", parseLanes, &m.Lanes),
		optional("small_packets", unit.ParsePercent, &m.SmallPackets),
		plain("shared_headroom", parseBool, &m.SharedHeadroom), plain("variant", ParseSONiCVariant, &m.Variant)}
}

func sonicKeys() []string {
	return slices.Concat([]string{"cell", "pipeline_latency", "mac_phy_delay", "peer_response"},
		new(SONiC).parameters().keys(), []string{"corrected"})
}

// newSONiC starts with the values that SONiC has for the chip, and replaces those that are given. For a chip that SONiC
// does not know, all values must be given.
func newSONiC(name string, o *optionReader) thresholds.Sizer {
	chip, known := LookupSONiCChip(name)
	if !known {
		chip.Name = name
		for _, key := range []string{"cell", "pipeline_latency", "mac_phy_delay", "peer_response"} {
			if _, given := o.given[key]; !given {
				o.bad.Add("", fmt.Sprintf("chip %q: SONiC has no numbers for it", name),
					sonicChipNames()+", or cell, pipeline_latency, mac_phy_delay and peer_response of its own")
				return SONiC{}
			}
		}
		chip.Source = "given by the operator"
	}
	replace(o, "cell", unit.ParseBytes, func(b unit.Bytes) { chip.Cell = cells.Size(b) })
	replace(o, "pipeline_latency", parseSONiCKiB, func(k SONiCKiB) { chip.PipelineLatency = k })
	replace(o, "mac_phy_delay", parseSONiCKiB, func(k SONiCKiB) { chip.MACPHY = k })
	replace(o, "peer_response", parseSONiCKiB, func(k SONiCKiB) { chip.PeerResponse = k })
	m := SONiC{Chip: chip, Corrected: option(o, "corrected", parseBool)}
	m.parameters().read(o)
	_, said := o.given["corrected"]
	_, constant := o.given["peer_response"]
	// With "corrected: false", or with the constant given, the constant is used.
	m.Exact = !m.Corrected && (said || constant)
	return m
}

// replace sets a value if the parameter is given.
func replace[T any](o *optionReader, key string, parse func(string) (T, error), set func(T)) {
	if _, given := o.given[key]; given {
		set(option(o, key, parse))
	}
}
