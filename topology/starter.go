package topology

import (
	"cmp"
	_ "embed" // the template
	"errors"
	"fmt"
	"strings"
	"text/template"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/unit"
)

// This file writes a topology to begin with.

// starterTemplate is the topology. plan accepts it as it is.
//
//go:embed starter.tmpl
var starterTemplate string

// starterEntry is an entry of the ports. The texts are YAML already: the template only puts them in place.
type starterEntry struct {
	Ports   string
	Speed   unit.BitRate
	Cable   string
	Classes string // ", classes: [...]"; empty: all
}

// starterShare is the least part of the memory that a first topology leaves to share: a plan that is all headroom fits,
// and pauses at the first burst.
const starterShare = 10 * unit.OnePercent

// Ports of a chip whose bandwidth or fastest port has no source.
const (
	starterSpeed = 100 * unit.Gbps
	starterPorts = 32
)

// Starter returns a commented topology to begin with, for a chip of the catalogue: ports of this speed, or of the
// chip's fastest if it is empty; as many as the chip carries if ports is 0. Each lossless group has headroom for the
// worst case of its link, of its own. Where the memory is too small for that, the longer cables are shorter, and then
// fewer ports are lossless; a comment says so. Own are entries of the ports as they are, in place of these, and notes
// are comments on them; they need not fit. The pool, in bytes, and the cores are those of [asic.Pooled]; 0: not
// given. The error wraps [buffer.ErrInvalid] where a flag of init is refused or missing, or the memory is too small.
func Starter(name, speed string, ports int, pool unit.Bytes, cores int, own, notes []string) (
	string, error) {
	chip, err := asic.Load(name)
	if err != nil {
		return "", fmt.Errorf("--chip: %w", err)
	}
	if err := starterPool(&chip, pool, cores); err != nil {
		return "", err
	}
	if len(chip.Slices) == 0 {
		return "", fmt.Errorf("--chip %s: %w: its cells are not sourced, so no plan can be made with it", name,
			buffer.ErrInvalid)
	}
	rate, ports, err := starterPortsOf(&chip, speed, ports)
	if err != nil {
		return "", err
	}
	// Priority 3 is the usual one for RoCE, and stands for the lossless class. A chip with fewer groups has fewer
	// priorities.
	var lossy []string
	for p := range min(8, chip.Groups) {
		if p != 3 {
			lossy = append(lossy, fmt.Sprint(p))
		}
	}
	// Where SONiC has numbers for the chip, its own method gives what a switch with SONiC computes.
	_, sonic := method.LookupSONiCChip(name)
	of, _ := chipMapping(&chip)
	values := map[string]any{"Chip": of, "Title": chip.Title, "SONiC": sonic, "Lossy": strings.Join(lossy, ", ")}
	// With a file of ports the topology is theirs: how many are lossless, and over what, is not for init to choose.
	if len(own) > 0 {
		values["Own"], values["Cut"] = own, notes
		text, _, err := starterText(values)
		return text, err
	}
	far := starterCables(&chip)
	// The first that fits. A topology that does not is not written: verify would call it NOT LOSSLESS.
	for eighths := 8; eighths > 0; eighths-- {
		lossless := max(ports*eighths/8, 1)
		for _, cable := range far {
			values["Entries"] = starterEntries(ports, lossless, rate, cable)
			values["Cut"] = starterCut(ports, lossless, far[0], cable)
			if text, fits, err := starterText(values); err != nil || fits {
				return text, err
			}
		}
	}
	return "", fmt.Errorf("--chip %s: %w: %v of memory is too small for the headroom of %d ports of %v with %v to share "+
		"(want fewer ports, slower ones, or a larger pool)", name, buffer.ErrInvalid, chip.Cell.Bytes(chip.TotalCells()),
		max(ports/8, 1), rate, starterShare)
}

// starterPool gives the chip the pool of --pool-bytes and --cores. Errors name these in place of the keys. Chips of
// the catalogue with a pool of their own need neither flag.
func starterPool(chip *buffer.Chip, pool unit.Bytes, cores int) error {
	var invalid *buffer.InvalidError
	if !errors.As(asic.Pooled(chip, pool, cores), &invalid) {
		return nil
	}
	var bad fielderr.List
	for _, c := range invalid.Complaints {
		flag := "--" + strings.ReplaceAll(strings.TrimPrefix(c.Path, "chip."), "_", "-")
		bad.Add("--chip "+chip.Name+" "+flag, c.Value, c.Accepted)
	}
	return fmt.Errorf("%w: %w", buffer.ErrInvalid, bad.Err())
}

// starterText writes a topology, and tells whether it fits with something to share. A topology that Parse refuses is
// a fault of this file, except where the entries are those of a user's file of ports: the complaint then names the
// line of the topology that they make.
func starterText(values map[string]any) (text string, fits bool, err error) {
	var out strings.Builder
	lines := strings.ReplaceAll(starterTemplate, "\r\n", "\n") // as Git may check it out
	if err := template.Must(template.New("starter").Parse(lines)).Execute(&out, values); err != nil {
		return "", false, err
	}
	in, err := Parse("the topology of init", []byte(out.String()), noFiles)
	if err != nil {
		return "", false, err
	}
	// The floor is asked here and not written: an operator who fills the memory later is not refused by it.
	in.SharedFloor = starterShare
	a, err := buffer.NewAdmission(in)
	return out.String(), err == nil && a.Fits(), err
}

// starterPortsOf returns the speed and the number of the ports: those that are given, or the chip's own.
func starterPortsOf(chip *buffer.Chip, speed string, ports int) (rate unit.BitRate, n int, err error) {
	// The catalogue has speeds and bandwidths in Gb/s; 0 is one without a source.
	rate = cmp.Or(unit.BitRate(chip.PortSpeed)*unit.Gbps, starterSpeed)
	if speed != "" {
		if rate, err = unit.ParseBitRate(speed); err != nil {
			return 0, 0, fmt.Errorf("--speed: %w", err)
		}
	}
	if ports < 0 || ports > buffer.MaxPorts {
		return 0, 0, fmt.Errorf("--port-count %d: want 1 to %d", ports, buffer.MaxPorts)
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
	return rate, ports, nil
}

// starterCables are the lengths that the longer cables may have, the preferred one first: those between rows; or
// between sites, for a chip that is made for it.
func starterCables(chip *buffer.Chip) []string {
	if chip.Deep() {
		return []string{"100km", "10km", "1km", "100m"}
	}
	return []string{"100m", "50m", "30m", "10m"}
}

// starterCut says what the topology has less of than it would have with more memory: lossless ports, and length of
// cable.
func starterCut(ports, lossless int, far, cable string) (out []string) {
	if lossless < ports {
		out = append(out, fmt.Sprintf("The memory is too small for the headroom of %d lossless ports: %d are lossless.",
			ports, lossless))
	}
	if cable != far && lossless >= twoKinds {
		out = append(out, fmt.Sprintf("The longer cables have %s, because the headroom for %s does not fit.", cable, far))
	}
	return out
}

// twoKinds is the number of ports from which on there are two kinds of cables. They show that each entry is sized for
// its own cable; with fewer ports the second one would be noise.
const twoKinds = 8

// starterEntries gives three quarters of the lossless ports a short cable, to servers, and the others a longer one. The
// other ports carry the class best-effort alone.
func starterEntries(ports, lossless int, rate unit.BitRate, far string) []starterEntry {
	near := lossless - lossless/4
	if lossless < twoKinds {
		near = lossless
	}
	span := func(first, last int) string {
		if first == last { // a range is more than one name
			return fmt.Sprintf("name: Ethernet%d", first)
		}
		return fmt.Sprintf("range: Ethernet%d-%d", first, last)
	}
	out := []starterEntry{{span(1, near), rate, "5m", ""}}
	if near < lossless {
		out = append(out, starterEntry{span(near+1, lossless), rate, far, ""})
	}
	if lossless < ports {
		out = append(out, starterEntry{span(lossless+1, ports), rate, "5m", ", classes: [best-effort]"})
	}
	return out
}

// noFiles opens nothing: the topology of init names no file.
func noFiles(path string) ([]byte, error) { return nil, errors.New(path + ": not named") }
