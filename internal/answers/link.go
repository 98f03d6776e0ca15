//go:build !js

package answers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/dcbx/linkcheck"
	"github.com/cellwarden/cellwarden/internal/observed"
	"github.com/cellwarden/cellwarden/report"
	"github.com/cellwarden/cellwarden/topology"
)

// The page does not ask about links, and its module does not have the readers of captures.

func init() { Questions["/v1/link"] = typed(Link, soon) }

// LinkEnd is a port of a topology.
type LinkEnd struct {
	Topology Topology `json:"topology"`
	Port     string   `json:"port,omitempty" maxLength:"200" example:"Ethernet49"`
}

// LinkQuestion is the two ends of a link, or where the ends of links are found.
type LinkQuestion struct {
	A          *LinkEnd            `json:"a,omitempty" doc:"an end"`
	B          *LinkEnd            `json:"b,omitempty" doc:"the other end, a port of a topology"`
	Fabric     string              `json:"fabric,omitempty" example:"a,b\nleaf1:Ethernet49,spine1:Ethernet1\n"`
	Topologies map[string]Topology `json:"topologies,omitempty"`
	LLDP       []string            `json:"lldp,omitempty" maxItems:"2"`
	LLDPPcap   []byte              `json:"lldp_pcap,omitempty"`
}

// Bounds of a list of cables: what is compared within the time of a request, and the ports of its topologies in memory.
const (
	mostLinks       = 4096
	mostFabricPorts = 1 << 16
)

// Link compares the ends of links.
func Link(ctx context.Context, q *LinkQuestion) (report.LinkDocument, error) {
	if err := q.check(); err != nil {
		return report.LinkDocument{}, err
	}
	r := linkRun{of: q, files: map[string]*topology.File{}}
	r.File = r.file
	r.Port = func(p linkcheck.FilePort) (end linkcheck.End, err error) {
		file, err := r.file(p.File)
		if err == nil {
			end, _, err = p.End(&file.Intent)
		}
		return end, err
	}
	if err := r.collect(ctx); err != nil {
		return report.LinkDocument{}, err
	}
	return report.Links(r.Results, r.Notes...), nil
}

// check refuses a question whose parts do not go together.
func (q *LinkQuestion) check() error {
	sources := 0
	for _, given := range []bool{q.B != nil, q.Fabric != "", len(q.LLDP) > 0, len(q.LLDPPcap) > 0} {
		if given {
			sources++
		}
	}
	switch {
	case sources == 0:
		return errors.New("want a and b; or fabric and topologies; or lldp; or lldp_pcap")
	case sources > 1:
		return errors.New("b, fabric, lldp and lldp_pcap (want one of them)")
	case q.B != nil && q.A == nil:
		return errors.New("b (want a too)")
	case q.A != nil && q.Fabric != "":
		return errors.New("fabric with a (want fabric alone, which names the ports of all cables)")
	case q.A != nil && len(q.LLDP) == 2:
		return errors.New("lldp twice with a (want the two machines alone, which say both ends)")
	case q.A == nil && len(q.LLDP) == 1:
		return errors.New("lldp (want it with a, or twice without it)")
	case q.A != nil && q.A.Port == "" && len(q.LLDP) == 0:
		return errors.New("a.port (want a port of the topology)")
	case q.B != nil && q.B.Port == "":
		return errors.New("b.port (want a port of the topology)")
	case q.Fabric == "" && len(q.Topologies) > 0:
		return errors.New("topologies (want them with fabric)")
	}
	return nil
}

// linkRun is the work on a question.
type linkRun struct {
	observed.Links
	of    *LinkQuestion
	files map[string]*topology.File
	ports int // of all files
}

// collect compares the links of the question.
func (r *linkRun) collect(ctx context.Context) error {
	q, near := r.of, ""
	if q.A != nil {
		near = "a"
		if q.A.Port != "" {
			near = linkcheck.FilePort{File: "a", Port: q.A.Port}.String()
		}
	}
	switch {
	case q.Fabric != "":
		return r.fabric(ctx)
	case len(q.LLDP) == 2:
		return r.Machines("lldp[0]", []byte(q.LLDP[0]), "lldp[1]", []byte(q.LLDP[1]))
	case len(q.LLDP) == 1:
		return r.Neighbours("lldp[0]", []byte(q.LLDP[0]), near)
	case len(q.LLDPPcap) > 0:
		return r.Capture("lldp_pcap", q.LLDPPcap, near)
	}
	return r.cable(linkcheck.FilePort{File: "a", Port: q.A.Port}, linkcheck.FilePort{File: "b", Port: q.B.Port}, "a", 0)
}

// cable compares two ports of topologies.
func (r *linkRun) cable(a, b linkcheck.FilePort, file string, line int) error {
	x, err := r.Port(a)
	if err != nil {
		return err
	}
	y, err := r.Port(b)
	if err != nil {
		return err
	}
	r.Compare(&x, &y, file, line)
	return nil
}

// fabric compares the ends of all cables of a list.
func (r *linkRun) fabric(ctx context.Context) error {
	cables, err := linkcheck.Cables("fabric", []byte(r.of.Fabric))
	if err != nil {
		return err
	}
	if len(cables) > mostLinks {
		return fmt.Errorf("fabric: %d cables (want at most %d)", len(cables), mostLinks)
	}
	for _, k := range cables {
		if ctx.Err() != nil {
			return ErrBusy
		}
		if err := r.cable(k.A, k.B, "fabric", k.Line); errors.Is(err, buffer.ErrInvalid) {
			return err // of a topology, with its lines
		} else if err != nil {
			return fmt.Errorf("fabric:%d: %w", k.Line, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.of.Topologies)) {
		if r.files[name] == nil {
			return fmt.Errorf("topologies: %.200q has no cable in fabric (want the topologies of the list)", name)
		}
	}
	return nil
}

// file reads a topology of the question once.
func (r *linkRun) file(name string) (*topology.File, error) {
	if file := r.files[name]; file != nil {
		return file, nil
	}
	text, known := r.of.Topologies[name]
	if r.of.A != nil {
		text, known = r.of.A.Topology, true
		if name == "b" {
			text = r.of.B.Topology
		}
	}
	if !known {
		names := slices.Sorted(maps.Keys(r.of.Topologies))
		return nil, fmt.Errorf("no topology %.200q (want one of topologies: %.200s)", name, strings.Join(names, ", "))
	}
	file, err := topology.Read(name, []byte(text), open)
	if err != nil {
		return nil, err
	}
	if r.ports += len(file.Intent.Ports); r.ports > mostFabricPorts {
		return nil, fmt.Errorf("topologies: more than %d ports (want fewer)", mostFabricPorts)
	}
	r.files[name] = file
	return file, nil
}
