package diagnosis

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/once"
)

// meanings says what the codes mean, the gravest first.
//
//go:embed codes.txt
var meanings string

var codes = finding.NewRegistry("watch", meanings)

// Codes returns the registry of the codes, the gravest first.
func Codes() *finding.Registry { return codes }

// fault returns the finding of a port's class with its evidence. An empty port is the shared headroom pool.
func fault(code finding.Code, port string, class int, evidence ...finding.Number) finding.Finding {
	object := "the headroom pool"
	if port != "" {
		object = fmt.Sprintf("%s class %d", port, class)
	}
	f := codes.New(code, finding.Place{}, object, finding.Texts(evidence))
	f.Port, f.Class, f.Evidence = port, class, evidence
	return f
}

// counted is a number of the evidence for a finding.
func counted(name string, value int64, unit string) finding.Number {
	return finding.Number{Name: name, Value: value, Unit: unit}
}

// order lists the codes, the gravest first.
var order = once.Value(func() []finding.Code {
	return grouped.Each(codes.All(), func(m finding.Meaning) finding.Code { return m.Code })
})

// graver orders findings by their codes, the gravest first.
func graver(a, b finding.Finding) int {
	return cmp.Compare(slices.Index(order(), a.Code), slices.Index(order(), b.Code))
}
