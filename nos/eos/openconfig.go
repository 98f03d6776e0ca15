package eos

import (
	"errors"
	"strconv"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/auditcode"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/internal/statements"
)

// readJSON reads the priorities without drops of OpenConfig with Arista's augmentations (arista-qos-augments):
// /qos/interfaces/interface/output/pfc/config/priorities-no-drop, a bit for each priority in
// hexadecimal digits.
func readJSON(name string, data []byte, chip audit.Chip) (*audit.Reading, error) {
	tree, err := statements.JSON(name, data)
	if err != nil {
		return nil, err
	}
	r := &reader{Reading: audit.NewReading(title, name)}
	r.Chip = chip
	interfaces := tree.Root.Path("openconfig-qos:qos", "interfaces", "interface")
	if interfaces == nil {
		return nil, &fielderr.Located{File: name, Err: errors.New("no QoS of OpenConfig: want an object with " +
			"openconfig-qos:qos and its interfaces")}
	}
	for _, s := range interfaces.Under {
		id := s.Find("interface-id")
		if id == nil {
			continue
		}
		p := r.Port(id.Word(1), id.Line)
		s.Path("config", "interface-id")
		if bits := s.Path("output", "arista-qos-augments:pfc", "config", "priorities-no-drop"); bits != nil {
			p.HasPFC, p.MapAt = true, r.At(bits.Line)
			mask, err := strconv.ParseUint(bits.Word(1), 16, 8)
			if err != nil {
				r.Find(auditcode.NumberFormat, bits.Line, "interface "+p.Name, "priorities-no-drop is %s: want a bit for each "+
					"priority, in hexadecimal digits, 00 to ff", fielderr.Quote(bits.Word(1)))
			}
			p.PFC = uint16(mask)
		}
	}
	r.Unknown = append(r.Unknown, "whether PFC is on is not in OpenConfig: the groups of priorities without drops are "+
		"not known")
	r.Count(tree.Count(func([]*statements.Statement) bool { return true }))
	return r.Reading, nil
}
