package measured

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/calibrate"
	"github.com/cellwarden/cellwarden/diagnosis"
	"github.com/cellwarden/cellwarden/internal/document"
	"github.com/cellwarden/cellwarden/unit"
)

// File is what one file says.
type File struct {
	calibrate.Measurements
	// Known is what the file says of the configuration of the switch, and of the chip.
	Known []calibrate.Assumption
}

// MaxBytes is the longest file.
const MaxBytes = document.MaxBytes

// Read reads a file. cell is the size of the chip's cells, for dumps with watermarks in cells; 0: not known, and such
// dumps are refused. The error names the lines.
func Read(name string, data []byte, cell unit.Bytes) (File, error) {
	if len(data) > MaxBytes {
		return File{}, fmt.Errorf("%s: %d bytes: want at most %d", name, len(data), MaxBytes)
	}
	trimmed := bytes.TrimSpace(data)
	switch {
	case len(trimmed) == 0:
		return File{}, fmt.Errorf("%s: nothing: want measurements", name)
	case isOurCSV(trimmed):
		return readCSV(name, data)
	case isDump(trimmed):
		return readDump(name, data, cell)
	}
	if lines := jsonLines(trimmed); lines != nil {
		data = lines
	}
	r := &reader{Reader: document.New(name)}
	if root := r.Parse(data); root != nil {
		r.root(root)
	}
	if err := r.Err(); err != nil {
		return File{}, err
	}
	return r.file, validate(name, &r.file)
}

// validate refuses what calibrate refuses, with the name of the file.
func validate(name string, f *File) error {
	if err := f.Validate(); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Add appends the measurements of another file.
func (f *File) Add(other File) {
	f.Fills = append(f.Fills, other.Fills...)
	f.Points = append(f.Points, other.Points...)
	f.Stored = append(f.Stored, other.Stored...)
	f.Uses = append(f.Uses, other.Uses...)
	f.Links = append(f.Links, other.Links...)
	f.Known = append(f.Known, other.Known...)
}

// jsonLines makes a list of JSON lines: each line is an item of a list of YAML, so that it keeps its number. nil: the
// text is no JSON lines.
func jsonLines(data []byte) []byte {
	if data[0] != '{' || !bytes.Contains(data, []byte("\n{")) && data[len(data)-1] != '}' {
		return nil
	}
	var out []byte
	for line := range bytes.Lines(data) {
		text := bytes.TrimSpace(line)
		switch {
		case len(text) == 0:
		case text[0] != '{' || text[len(text)-1] != '}':
			return nil // a value of JSON over several lines
		default:
			out = append(append(out, "- "...), text...)
		}
		out = append(out, '\n')
	}
	return out
}

// isDump tells whether a text is what a switch has counted: JSON with SAI's names, the title of a table, or a CSV
// table by port and group.
func isDump(data []byte) bool {
	for _, mark := range []string{"SAI_", "COUNTERS_", "per PG:", "Headroom pool maximum", "Port Tx", "Port Rx"} {
		if bytes.Contains(data, []byte(mark)) {
			return true
		}
	}
	return slices.Contains(header(data), "port") && slices.Contains(header(data), "group")
}

// readDump reads the watermarks of a dump.
func readDump(name string, data []byte, cell unit.Bytes) (File, error) {
	s, err := diagnosis.ReadCounters(data, diagnosis.CounterOptions{Cell: cell})
	if err != nil {
		return File{}, fmt.Errorf("%s: %w", name, err)
	}
	var f File
	for _, g := range s.Groups {
		u := calibrate.Use{From: name, Group: fmt.Sprintf("%s %d", g.Port, g.Group), Headroom: g.Headroom,
			Shared: g.Shared, Dropped: g.Drops.Or(0) > 0}
		if u.Headroom.IsGiven() || u.Shared.IsGiven() {
			f.Uses = append(f.Uses, u)
		}
	}
	if s.HeadroomPool.IsGiven() {
		f.Uses = append(f.Uses, calibrate.Use{From: name, Headroom: s.HeadroomPool})
	}
	if len(f.Uses) == 0 {
		return File{}, fmt.Errorf("%s: %w", name, errNoWatermark)
	}
	return f, validate(name, &f)
}

// errNoWatermark says that a dump has counters alone.
var errNoWatermark = errors.New("no watermark of a group's shared cells or headroom: want a dump with watermarks")
