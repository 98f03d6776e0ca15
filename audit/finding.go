package audit

import (
	_ "embed"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/thresholds/table"
)

// numbers are the bytes of a finding.
type numbers = map[string]int64

// collector collects findings of one configuration.
type collector struct {
	topology string
	Findings []finding.Finding
	rest     int // findings beyond MaxFindings
}

// MaxFindings is the largest number of findings of one configuration that is listed. The others are counted. The worst
// that SONiC ships has 60.
const MaxFindings = 2000

// add adds a finding with the severity of its code. The repair is the code's own.
func (c *collector) add(code finding.Code, at finding.Place, object string, n numbers, format string,
	args ...any) *finding.Finding {
	f := codes.New(code, at, object, fmt.Sprintf(format, args...))
	f.Topology, f.Bytes = c.topology, n
	return c.keep(f)
}

// keep adds a finding, if there are not too many.
func (c *collector) keep(f finding.Finding) *finding.Finding {
	if len(c.Findings) >= MaxFindings {
		c.rest++
		return &finding.Finding{}
	}
	c.Findings = append(c.Findings, f)
	return &c.Findings[len(c.Findings)-1]
}

// ports folds the names of ports for a message: "Ethernet0-124 (32 ports)".
func ports(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	names = slices.Clone(names)
	slices.SortFunc(names, buffer.ComparePorts)
	text := buffer.FoldPorts(names)
	if len(text) > 60 {
		text = names[0] + " … " + names[len(names)-1]
	}
	return fmt.Sprintf("%s (%d ports)", text, len(names))
}

// meanings says what the codes mean. Mistakes are the public changes of SONiC's device files that mended one, with what
// the audit says of the commit before.
//
//go:embed codes.txt
var meanings string

var codes = finding.NewRegistry("audit", meanings, table.Codes())

// Codes returns the registry of the codes, those of headroom tables included.
func Codes() *finding.Registry { return codes }
