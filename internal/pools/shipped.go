package pools

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/internal/csvcell"
	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/unit"
)

// Folder is the pools that a device folder of SONiC ships for some topologies.
type Folder struct {
	Chip, Vendor, Platform, HwSKU string
	ASIC                          string // of a switch with several
	Topologies                    []string
	Ports                         []Ports
	DropOverMax                   bool
	// The sizes; 0: there is no such pool, or its size is not stated.
	Size, XOFF, IngressLossy, EgressLossless, EgressLossy unit.Bytes
}

// Kind is how the folder divides the memory.
func (f *Folder) Kind() Kind {
	switch {
	case f.XOFF > unit.KiB: // 1 KiB stood for none
		return Shared
	case f.IngressLossy > 0:
		return Two
	}
	return Lossy
}

// Reserved is the memory in KiB less size and xoff, of a folder of NVIDIA's with one ingress pool; else 0.
func (f *Folder) Reserved() unit.Bytes {
	if !strings.HasPrefix(f.Chip, "spectrum-") || f.Kind() == Two {
		return 0
	}
	return unit.Bytes(kibs(f.EgressLossless))*unit.KiB - f.Size - f.XOFF
}

// For tells whether the pools are those of a topology.
func (f *Folder) For(topology string) bool {
	return slices.Contains(f.Topologies, topology)
}

// shows tells whether a workbook gives the folder's size and xoff together for all of its ports, or without lossless
// groups for one more or one less: see [Answer.Port]. That of two pools needs roles, and every chip has it.
func (f *Folder) shows(w *workbook) bool {
	if w.kind == Two {
		return true
	}
	items, err := w.items(nil, f.Ports)
	off := unit.Bytes(kibs(f.EgressLossless))*unit.KiB - sum(items) - f.Size - f.XOFF
	port := unit.Bytes(0)
	if w.kind == Lossy {
		port = w.each(nil, append(slices.Clone(f.Ports), Ports{Lanes: 1}), len(f.Ports))
	}
	return err == nil && (near(off, 0) || near(off, port) || near(off, -port))
}

// near tells whether two sizes are equal but for rounding to KiB or cells.
func near(a, b unit.Bytes) bool { return max(a-b, b-a) < unit.KiB }

//go:embed shipped.csv
var shipped string

// Known returns the folders of sonic-buildimage that the package knows, in the order of the file. Callers share them.
var Known = once.Value(func() (out []Folder) {
	for _, c := range csvcell.Rows(shipped) {
		ports, err := ParsePorts(c[6])
		f := Folder{Chip: c[0], Vendor: c[1], Platform: c[2], HwSKU: c[3], ASIC: c[4], Topologies: strings.Fields(c[5]),
			Ports: ports, DropOverMax: c[7] == "yes"}
		for i, into := range []*unit.Bytes{&f.Size, &f.XOFF, &f.IngressLossy, &f.EgressLossless, &f.EgressLossy} {
			if c[8+i] != "" {
				v, wrong := strconv.ParseInt(c[8+i], 10, 64)
				*into, err = unit.Bytes(v), errors.Join(err, wrong)
			}
		}
		if err != nil {
			panic(fmt.Errorf("%s: %w", f.HwSKU, err)) // the file is part of the program, and a test reads it
		}
		out = append(out, f)
	}
	return out
})
