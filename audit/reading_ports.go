package audit

import (
	"fmt"

	"github.com/cellwarden/cellwarden/finding"
)

// ofPorts is a finding about several ports, which the reader finds one after another.
type ofPorts struct {
	index   int // in Reading.Findings
	message string
	names   []string
}

// FindAtPort adds a finding about a port. Those that differ in the port alone are one finding, whose message ends with
// the ports. Rests is what it rests on; "": it is as certain as its code.
func (r *Reading) FindAtPort(code finding.Code, line int, port, object, rests, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	key := fmt.Sprintf("%s %d %s", code, line, message)
	if r.atPorts == nil {
		r.atPorts = map[string]*ofPorts{}
	}
	at := r.atPorts[key]
	if at == nil {
		if len(r.Findings) >= MaxFindings {
			r.rest++
			return
		}
		f := r.Find(code, line, object, "%s", message)
		at = &ofPorts{index: len(r.Findings) - 1, message: message}
		if rests != "" {
			f.Certain = false
			at.message += " (" + rests + ")"
		}
		r.atPorts[key] = at
	}
	if n := len(at.names); n == 0 || at.names[n-1] != port {
		at.names = append(at.names, port)
	}
}

// namePorts completes the messages of the findings about ports.
func (r *Reading) namePorts() {
	for _, at := range r.atPorts {
		r.Findings[at.index].Message = at.message + ": " + ports(at.names)
	}
}
