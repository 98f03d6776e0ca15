package asic

import (
	_ "embed"
	"strconv"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/csvcell"
)

// numberTable has numbers of chips that are not those of their memory, as its first lines describe: bandwidths, numbers
// of ports, when a dynamic limit is read, what leaks out of a port.
//
//go:embed numbers.csv
var numberTable string

// qosParams is the folder of values that tests have of real switches.
const qosParams = "sonic-mgmt tests/qos/files/"

// complete gives chips the numbers of the table, and the rules that all of them have whose limit rule is known.
func complete(all []buffer.Chip) {
	chips, fields := map[string]*buffer.Chip{}, map[string]*buffer.ChipField{}
	for i := range all {
		chips[all[i].Name] = &all[i]
	}
	table := buffer.ChipFields()
	for i := range table {
		fields[table[i].Key] = &table[i]
	}
	for _, row := range csvcell.Rows(numberTable) {
		c, f := chips[row[0]], fields[row[1]]
		if f.IsText() {
			f.SetText(c, row[2])
		} else {
			n, err := strconv.ParseInt(row[2], 10, 64)
			if err != nil {
				panic(err) // the table is part of the program, and a test reads it
			}
			f.SetNumber(c, n)
		}
		if row[3] != "" {
			f.SetSource(c, row[3])
		}
		if c.LimitRule != "" {
			c.XOFFRule, c.XONRule = buffer.XOFFFull, buffer.XONLatched
		}
	}
}
