package asic

import (
	"fmt"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/unit"
)

// What a topology gives of a chip with memory beside it: the keys of its `chip`, which are paths of complaints too.
const (
	poolKey  = "chip.pool_bytes"
	coresKey = "chip.cores"
)

// notPooled begins the notes of a chip whose pool is not sourced.
const notPooled = "cannot be planned with until the topology gives chip.pool_bytes, because the bytes of its pool " +
	"are not sourced: " + poolIs + "; with it, a packet takes its bytes and 48 of the pool of its core, as on Jericho 2"

// poolIs says what the key for the pool takes, and where an operator finds the number.
const poolIs = "bytes, of the pool of all cores, on the chip and beside it: on SONiC the size of " +
	"ingress_lossless_pool in `show buffer configuration` (BUFFER_POOL), on FBOSS " +
	"SAI_SWITCH_ATTR_DEFAULT_EGRESS_BUFFER_POOL_SHARED_SIZE, which is that of one core, times the cores; else the " +
	"vendor's data sheet of the chip, of whose memory Jericho 2 has 75 % in its pool"

// coresAre says the same for the number of cores.
const coresAre = "1 to 64, the cores that share the pool: on SONiC the different core_id in port_config.ini; else " +
	"the vendor's data sheet"

// mostCores is more than any chip has.
const mostCores = 64

// coresWithoutPool are the cores of chips whose pool is not sourced. Silicon One has one buffer, and no cores.
var coresWithoutPool = map[string]struct {
	cores  int
	source string
}{
	"q4d":              {8, "FBOSS Q4DAsic.h (8 cores); a port is charged in its own core, as on Jericho 2"},
	"qumran4d":         {8, "FBOSS Qumran4DAsic.h (8 cores); a port is charged in its own core, as on Jericho 2"},
	"silicon-one-q200": {1, ""},
	"silicon-one-p200": {1, ""},
}

// given begins the source of a number that a topology gives.
const given = "given by the topology"

// Pooled gives a chip of the catalogue the pool that a topology states: its bytes, on the chip and beside it, of all
// cores, and the number of cores. Zero is not given. Without both, a chip stays as it is if it has a pool. The error is
// a *[buffer.InvalidError], whose complaints name the key that is missing or refused, its unit, and where an operator
// finds the number; the chip is then not changed.
func Pooled(c *buffer.Chip, pool unit.Bytes, cores int) error {
	if pool == 0 && cores == 0 && (len(c.Slices) > 0 || !hasMemoryBeside(c)) {
		return nil
	}
	var bad fielderr.List
	if !hasMemoryBeside(c) {
		key, value := poolKey, fmt.Sprint(int64(pool))
		if pool == 0 {
			key, value = coresKey, fmt.Sprint(cores)
		}
		bad.Add(key, value, fmt.Sprintf("none for %s, which is not known to have memory beside it; these chips have: "+
			"%s", c.Name, strings.Join(withMemoryBeside(), ", ")))
		return buffer.Invalid(bad)
	}
	known := coresWithoutPool[c.Name]
	if c.Deep() {
		known.cores, known.source = len(c.Slices), c.Sources.Pipes
	}
	of := cores
	if cores == 0 {
		of = known.cores
	}
	switch {
	case of == 0:
		bad.Add(coresKey, "not given", coresAre)
	case of < 0 || of > mostCores:
		bad.Add(coresKey, fmt.Sprint(cores), coresAre)
	case of > 1 && siliconOneName(c):
		bad.Add(coresKey, fmt.Sprint(cores), "1, or no key: "+c.Name+" has one buffer")
	}
	if pool == 0 {
		bad.Add(poolKey, "not given", fmt.Sprintf("%s; as in chip: {name: %s, pool_bytes: N}", poolIs, c.Name))
	} else if least := c.Cell.Bytes(cells.Count(max(of, 1))); pool < least || pool > c.Cell.Bytes(buffer.MaxCells) {
		bad.Add(poolKey, fmt.Sprint(int64(pool)), fmt.Sprintf("%d to %d: %s", least, c.Cell.Bytes(buffer.MaxCells), poolIs))
	}
	if len(bad) > 0 {
		return buffer.Invalid(bad)
	}
	c.Sources.Slices = given + " (pool_bytes)"
	if cores > 0 {
		known.source = given + " (cores); a port is charged in its own core, as on Jericho 2"
	}
	if strings.HasPrefix(c.Sources.Cell, "inferred: as Jericho 2") {
		c.Sources.Slices += "; inferred: that packets are counted in it as on Jericho 2"
	}
	inCores(c, pool, of)
	c.Sources.Pipes = known.source
	if siliconOneName(c) {
		besideSiliconOne(c)
	}
	return nil
}

// inCores divides a pool among cores. Each has a slice, and a pipe that feeds it alone.
func inCores(c *buffer.Chip, pool unit.Bytes, cores int) {
	c.Slices, c.Pipes = same(cores, c.Cell.Within(pool)/cells.Count(cores)), nil
	for core := range cores {
		c.Pipes = append(c.Pipes, []int{core})
	}
}

// besideSiliconOne makes of a chip with the memory on it alone one with memory beside it. Nobody has published how such
// a chip counts lossless groups. That they count the bytes of both memories is inferred from a test over 120 km, where
// a group held more than a queue on the chip does.
func besideSiliconOne(c *buffer.Chip) {
	c.MemoryKind, c.Pipes, c.MaxQueue, c.Sources.MaxQueue = "SRAM+HBM", nil, 0, ""
	c.Sources.Slices += "; inferred: that a group counts the bytes in both memories, because it held 52,231,024 in " +
		"sonic-mgmt's qos_params.gb.yaml (taken to be Q200; 100G over 120 km), and a queue on the chip holds 6,144,000; " +
		"how deep a queue is with the memory beside the chip is not sourced (chip.max_queue_bytes)"
}

// siliconOneName tells whether the chip is one of Cisco's that counts cells in one buffer.
func siliconOneName(c *buffer.Chip) bool { return strings.HasPrefix(c.Name, "silicon-one-") }

// hasMemoryBeside tells whether the chip, or a version of it, has memory beside it.
func hasMemoryBeside(c *buffer.Chip) bool {
	return c.MemoryKind == "SRAM+HBM" || c.Name == "silicon-one-q200" || c.Name == "silicon-one-p200"
}

// withMemoryBeside are the names of these chips.
func withMemoryBeside() (names []string) {
	for _, c := range catalogue() {
		if hasMemoryBeside(&c) {
			names = append(names, c.Name)
		}
	}
	return names
}
