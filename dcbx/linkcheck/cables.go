package linkcheck

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// maxCables is the number of cables of a list; a fabric of 16,384 switches of 64 ports has more, and is several lists.
const maxCables = 65536

// FilePort is a port of a file: "leaf1.yaml:Ethernet49".
type FilePort struct{ File, Port string }

// String prints the port as [ParseFilePort] reads it.
func (p FilePort) String() string { return p.File + ":" + p.Port }

// ParseFilePort reads FILE:PORT. The first colon ends the file, because names of ports can have colons: "et-0/0/0:1".
func ParseFilePort(text string) (FilePort, error) {
	file, port, ok := strings.Cut(text, ":")
	if !ok || file == "" || port == "" {
		return FilePort{}, fmt.Errorf("%.200q is no port of a topology (want FILE:PORT, such as leaf1.yaml:Ethernet49)", text)
	}
	return FilePort{file, port}, nil
}

// End returns what the topology of the file says of the port, and the index of the port in it. A port that the topology
// does not have is refused.
func (p FilePort) End(in *buffer.Intent) (end End, port int, err error) {
	names := grouped.Each(in.Ports, func(p buffer.Port) string { return p.Name })
	if port = slices.Index(names, p.Port); port < 0 {
		return End{}, port, fmt.Errorf("%s: no port %.200q (want %s)", p.File, p.Port, buffer.FoldPorts(names))
	}
	return FromIntent(p.String(), in, port), port, nil
}

// Cable is a cable between two ports.
type Cable struct {
	Line int // of the list
	A, B FilePort
}

// Cables reads a list of cables, CSV with the first line a,b and a cable in every other line:
//
//	a,b
//	leaf1.yaml:Ethernet49,spine1.yaml:Ethernet1
//
// A port with two cables is refused, and so is a cable from a port to itself.
func Cables(name string, data []byte) ([]Cable, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord, r.Comment, r.TrimLeadingSpace = 2, '#', true
	var out []Cable
	var bad fielderr.List
	used := map[FilePort]int{}
	for first := true; ; first = false {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w (want two columns, a and b)", name, err)
		}
		line, _ := r.FieldPos(0)
		if first {
			if row[0] != "a" || row[1] != "b" {
				return nil, fmt.Errorf("%s:%d: %.100q (want a first line a,b)", name, line, strings.Join(row, ","))
			}
			continue
		}
		if len(out) == maxCables {
			return nil, fmt.Errorf("%s:%d: more cables than are want %d", name, line, maxCables)
		}
		c := Cable{Line: line}
		for i, to := range []*FilePort{&c.A, &c.B} {
			p, err := ParseFilePort(row[i])
			if err == nil && used[p] != 0 {
				err = fmt.Errorf("%v has a cable already, in line %d (want a cable for a port)", p, used[p])
			}
			bad.Under(fmt.Sprintf("%s:%d", name, line), err)
			if *to = p; err == nil {
				used[p] = line
			}
		}
		out = append(out, c)
	}
	if len(out) == 0 && bad.Err() == nil {
		return nil, fmt.Errorf("%s: no cable (want a first line a,b and a line for each cable)", name)
	}
	return out, bad.Err()
}
