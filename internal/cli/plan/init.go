package plan

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/cli"
	"github.com/cellwarden/cellwarden/thresholds/method"
	"github.com/cellwarden/cellwarden/topology"
	"github.com/cellwarden/cellwarden/unit"
)

// init writes a topology to begin with.

const initLong = `init prints a commented topology for a chip of the catalogue, or writes it to FILE. Its ports are
as many of the chip's fastest as the chip carries, or those of --ports and --speed. Change it to what the switch has; the
lines behind # show what else can be said.

`

// initTemplate is the topology. plan accepts it as it is.
var initTemplate = template.Must(template.New("init").Parse(`# yaml-language-server: $schema=topology.schema.json
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

// initEntry is an entry of the ports.
type initEntry struct {
	Ports string
	Speed unit.BitRate
	Cable string
}

func initCommand() *cobra.Command {
	var chip, speed string
	var ports int
	c := &cobra.Command{
		Use:     "init --chip NAME [FILE]",
		Short:   "Write a commented topology to begin with",
		Long:    initLong + cli.ExitCodes,
		Example: "  cellwarden init --chip tomahawk5 leaf.yaml",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := InitText(chip, speed, ports)
			if err != nil {
				return err
			}
			if len(args) == 0 || args[0] == "-" {
				_, err := io.WriteString(cmd.OutOrStdout(), text)
				return cli.Failure(err)
			}
			f, err := cli.Create(cmd, args[0])
			if err != nil {
				return cli.Failure(err)
			}
			if _, err = io.WriteString(f, text); err != nil {
				return cli.Failure(err)
			}
			return cli.Failure(cli.Commit(cmd))
		},
	}
	cli.ForceFlag(c)
	c.Flags().StringVar(&chip, "chip", "", "chip of the catalogue (cellwarden asic list)")
	c.Flags().StringVar(&speed, "speed", "", "speed of the ports (default: the chip's fastest)")
	c.Flags().IntVar(&ports, "ports", 0, "number of ports (default: as many as the chip carries)")
	_ = c.MarkFlagRequired("chip")
	_ = c.RegisterFlagCompletionFunc("chip", cli.CompleteChips)
	return c
}

// Ports of a chip whose bandwidth or fastest port has no source.
const (
	initSpeed = 100 * unit.Gbps
	initPorts = 32
)

// InitText makes the topology.
func InitText(name, speed string, ports int) (string, error) {
	chip, err := asic.Load(name)
	if err != nil {
		return "", fmt.Errorf("--chip: %w", err)
	}
	if len(chip.Slices) == 0 {
		return "", fmt.Errorf("--chip %s: %w: its cells are not sourced, so no plan can be made with it", name,
			buffer.ErrInvalid)
	}
	rate := unit.BitRate(chip.PortSpeed) * unit.Gbps
	if rate == 0 {
		rate = initSpeed
	}
	if speed != "" {
		if rate, err = unit.ParseBitRate(speed); err != nil {
			return "", fmt.Errorf("--speed: %w", err)
		}
	}
	if ports < 0 || ports > buffer.MaxPorts {
		return "", fmt.Errorf("--ports %d: accepted: 1 to %d", ports, buffer.MaxPorts)
	}
	if ports == 0 {
		ports = initPorts
		if carries := unit.BitRate(chip.Bandwidth) * unit.Gbps; carries > 0 && rate > 0 {
			ports = max(1, int(carries/rate))
		}
		if chip.Ports > 0 {
			ports = min(ports, chip.Ports)
		}
	}
	m := "ieee802.1qbb"
	if _, known := method.LookupSONiCChip(name); known {
		m = method.SONiC{}.Method()
	}
	var lossy []string
	for p := range min(8, chip.Groups) {
		if p != 3 {
			lossy = append(lossy, fmt.Sprint(p))
		}
	}
	// The first that fits; else the last, so that plan can say what would.
	var text string
	for _, ratio := range []int{0, 2, 4, 8, 16} {
		var out strings.Builder
		if err := initTemplate.Execute(&out, map[string]any{"Chip": chip.Name, "Title": chip.Title, "Method": m,
			"Lossy": strings.Join(lossy, ", "), "Entries": initEntries(ports, rate), "Ratio": ratio}); err != nil {
			return "", err
		}
		text = out.String()
		in, err := topology.Parse("the topology of init", []byte(text), noFiles)
		if err != nil {
			return "", err
		}
		if a, err := buffer.NewAdmission(in); err != nil || a.Fits() {
			return text, err
		}
	}
	return text, nil
}

// initEntries gives three quarters of the ports a short cable, to servers, and the others a longer one.
func initEntries(ports int, rate unit.BitRate) []initEntry {
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
	out := []initEntry{{span(1, near), rate, "5m"}}
	if near < ports {
		out = append(out, initEntry{span(near+1, ports), rate, "100m"})
	}
	return out
}

// noFiles opens nothing: the topology of init names no file.
func noFiles(path string) ([]byte, error) { return nil, errors.New(path + ": not named") }
