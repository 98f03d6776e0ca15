package topology

import (
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes a topology to begin with.

// starterTemplate is the topology. plan accepts it as it is.
var starterTemplate = template.Must(template.New("starter").Parse(`# yaml-language-server: $schema=topology.schema.json
# (cellwarden schema topology > topology.schema.json). docs/topology.md lists all keys.
chip: {{.Chip}} # {{.Title}}

# How headroom is sized; cellwarden plan --compare shows what other methods say.
headroom: {method: {{.Method}}}

{{if .Ratio}}# Headroom of its own for every lossless group does not fit: one in {{.Ratio}} can be full at the same time.
pool: {shared_headroom_ratio: {{.Ratio}}}
{{else}}# Without pool, every lossless group has headroom of its own, and all memory is one pool.
# pool: {shared_headroom_ratio: 4}
{{end -}}
# shared_floor: 20% # of each slice must remain shared

classes:
  - {name: rdma, priorities: [3], lossless: true, mtu: 4096B}
  - {name: best-effort, priorities: [{{.Lossy}}]}
# ECN marks before PFC pauses: ecn: {kmin: 150000B, kmax: 1500000B, pmax: 5%} in a class.

# Ports of one kind share an entry. The cable decides the headroom, so it has no default.
ports:
{{- range .Entries}}
  - { {{- .Ports}}, speed: {{.Speed}}, cable: {{.Cable}}}
{{- end}}
`))

// starterEntry is an entry of the ports.
type starterEntry struct {
	Ports string
	Speed unit.BitRate
	Cable string
}

// Ports of a chip whose bandwidth or fastest port has no source.
const (
	starterSpeed = 100 * unit.Gbps
	starterPorts = 32
)

// Starter returns a commented topology to begin with, for a chip of the catalogue: ports of this speed, or of the
// chip's fastest if it is empty; as many as the chip carries if ports is 0. The topology fits, if a shared headroom
// pool makes it.
func Starter(name, speed string, ports int) (string, error) {
	chip, err := asic.Load(name)
	if err != nil {
		return "", fmt.Errorf("--chip: %w", err)
	}
	if len(chip.Slices) == 0 {
		return "", fmt.Errorf("--chip %s: %w: its cells are not sourced, so no plan can be made with it", name,
			buffer.ErrInvalid)
	}
	// The catalogue has speeds and bandwidths in Gb/s; 0 is one without a source.
	rate := unit.BitRate(chip.PortSpeed) * unit.Gbps
	if rate == 0 {
		rate = starterSpeed
	}
	if speed != "" {
		if rate, err = unit.ParseBitRate(speed); err != nil {
			return "", fmt.Errorf("--speed: %w", err)
		}
	}
	if ports < 0 || ports > buffer.MaxPorts {
		return "", fmt.Errorf("--ports %d: want 1 to %d", ports, buffer.MaxPorts)
	}
	if ports == 0 {
		ports = starterPorts
		// As many ports as fill the bandwidth, because oversubscription is a choice that a first topology must not
		// make. The chip's number of ports bounds it where it is known.
		if carries := unit.BitRate(chip.Bandwidth) * unit.Gbps; carries > 0 && rate > 0 {
			ports = max(1, int(carries/rate))
		}
		if chip.Ports > 0 {
			ports = min(ports, chip.Ports)
		}
	}
	// The standard's worst case holds for every chip. Where SONiC has numbers for the chip, its own method gives what
	// a switch with SONiC computes.
	m := "ieee802.1qbb"
	if _, known := method.LookupSONiCChip(name); known {
		m = method.SONiC{}.Method()
	}
	// Priority 3 is the usual one for RoCE, and stands for the lossless class. A chip with fewer groups has fewer
	// priorities.
	var lossy []string
	for p := range min(8, chip.Groups) {
		if p != 3 {
			lossy = append(lossy, fmt.Sprint(p))
		}
	}
	// The first that fits; else the last, so that plan can say what would.
	var text string
	// 0 is dedicated headroom, which needs no assumption about how many groups are full at once.
	for _, ratio := range []int{0, 2, 4, 8, 16} {
		var out strings.Builder
		if err := starterTemplate.Execute(&out, map[string]any{"Chip": chip.Name, "Title": chip.Title, "Method": m,
			"Lossy": strings.Join(lossy, ", "), "Entries": starterEntries(ports, rate), "Ratio": ratio}); err != nil {
			return "", err
		}
		text = out.String()
		in, err := Parse("the topology of init", []byte(text), noFiles)
		if err != nil {
			return "", err
		}
		if a, err := buffer.NewAdmission(in); err != nil || a.Fits() {
			return text, err
		}
	}
	return text, nil
}

// starterEntries gives three quarters of the ports a short cable, to servers, and the others a longer one.
func starterEntries(ports int, rate unit.BitRate) []starterEntry {
	// The lengths are those inside a rack and between rows. Two kinds show that each entry is sized for its own
	// cable; with fewer than eight ports the second one would be noise.
	near := ports - ports/4
	if ports < 8 {
		near = ports
	}
	span := func(first, last int) string {
		if first == last { // a range is more than one name
			return fmt.Sprintf("name: Ethernet%d", first)
		}
		return fmt.Sprintf("range: Ethernet%d-%d", first, last)
	}
	out := []starterEntry{{span(1, near), rate, "5m"}}
	if near < ports {
		out = append(out, starterEntry{span(near+1, ports), rate, "100m"})
	}
	return out
}

// noFiles opens nothing: the topology of init names no file.
func noFiles(path string) ([]byte, error) { return nil, errors.New(path + ": not named") }
