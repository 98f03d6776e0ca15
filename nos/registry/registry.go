package registry

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/nos/eos"
	"github.com/cellwarden/cellwarden/nos/fboss"
	"github.com/cellwarden/cellwarden/nos/junos"
	"github.com/cellwarden/cellwarden/nos/nxos"
)

// Name names a system, as on the command line.
type Name string

// The systems whose configurations are read.
const (
	SONiC Name = "sonic"
	FBOSS Name = "fboss"
	NXOS  Name = "nxos"
	EOS   Name = "eos"
	Junos Name = "junos"
)

// Title is the name of the system in reports.
func (n Name) Title() string {
	switch n {
	case SONiC:
		return "SONiC"
	case FBOSS:
		return fboss.System
	case NXOS:
		return nxos.System
	case EOS:
		return eos.System
	case Junos:
		return junos.System
	}
	return string(n)
}

// Names lists the systems.
func Names() []Name { return []Name{SONiC, FBOSS, NXOS, EOS, Junos} }

// Parse reads the name of a system.
func Parse(text string) (Name, error) {
	if n := Name(strings.ToLower(text)); slices.Contains(Names(), n) {
		return n, nil
	}
	return "", fmt.Errorf("system %.40q: accepted: sonic, fboss, nxos, eos, junos", text)
}

// Read reads the configuration of a system other than SONiC. Chip is what the operator says of the chip.
func Read(system Name, file string, data []byte, chip audit.Chip) (*audit.Reading, error) {
	switch system {
	case FBOSS:
		return fboss.Read(file, data, chip)
	case NXOS:
		return nxos.Read(file, data, chip)
	case EOS:
		return eos.Read(file, data, chip)
	case Junos:
		return junos.Read(file, data, chip)
	}
	return nil, fmt.Errorf("%s: no reader for the system %q", file, string(system))
}

// ErrUnknown says that a text is no configuration of a system that has a reader.
var ErrUnknown = errors.New("the configuration of no system that is known: accepted: CONFIG_DB of SONiC, the agent " +
	"configuration of FBOSS, the running configuration of NX-OS or EOS, the configuration of Junos")

// Of tells which system a configuration is of.
func Of(data []byte) (Name, error) {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] == '{' || trimmed[0] == '[' {
		return ofJSON(trimmed), nil
	}
	return ofText(trimmed)
}

// marks are keys of JSON that one system alone has. CONFIG_DB is all other JSON: its reader says what it accepts.
var marks = []struct {
	system Name
	keys   []string
}{
	{FBOSS, []string{`"bufferPoolConfigs"`, `"portPgConfigs"`, `"portQueueConfigs"`, `"dataPlaneTrafficPolicy"`,
		`"switchIdToSwitchInfo"`, `"logicalID"`}},
	{Junos, []string{`:class-of-service"`, `"class-of-service"`}},
	{EOS, []string{`"arista-qos-augments:`, `"openconfig-qos:qos"`}},
}

// ofJSON tells which system a document is of.
func ofJSON(data []byte) Name {
	for _, m := range marks {
		for _, key := range m.keys {
			if bytes.Contains(data, []byte(key)) {
				return m.system
			}
		}
	}
	return SONiC
}

// mostLines is the number of lines that are looked at.
const mostLines = 200_000

// ofText counts the lines that one system alone has. Another system's lines may be in a description or a banner, so
// that the system with the most lines is meant; two systems with nearly the same number are an error.
func ofText(data []byte) (Name, error) {
	count := map[Name]int{}
	lines := 0
	for line := range bytes.Lines(data) {
		if lines++; lines > mostLines || len(line) > 1<<12 {
			continue
		}
		if n := ofLine(strings.TrimRight(string(line), " \t\r\n")); n != "" {
			count[n]++
		}
	}
	best, second := Name(""), Name("")
	for _, n := range Names() {
		switch {
		case best == "" || count[n] > count[best]:
			best, second = n, best
		case second == "" || count[n] > count[second]:
			second = n
		}
	}
	switch {
	case count[best] == 0:
		return "", ErrUnknown
	case 2*count[second] > count[best]:
		return "", fmt.Errorf("%d lines are of %s and %d of %s: accepted: a configuration of one system (--system "+
			"says "+
			"which)", count[best], best, count[second], second)
	}
	return best, nil
}

// ofLine tells which system alone has such a line; "": none, or several.
func ofLine(line string) Name {
	words := strings.Fields(line)
	first := func(text string) bool { return strings.HasPrefix(strings.Join(words, " "), text) }
	switch {
	case len(words) == 0:
	case strings.HasSuffix(line, ";"), strings.HasSuffix(line, "{") && !first("!"), first("set class-of-service "),
		first("set system host-name"), first("## Last "), first("set version"), first("set interfaces "):
		return Junos
	case first("!Command: show running-config"), first("class-map type "), first("policy-map type network-qos"),
		first("policy-map type queuing"), first("policy-map type qos"), first("system qos"), first("class type "),
		first("service-policy type "), first("priority-flow-control mode "), first("feature "), first("vdc "),
		first("hardware qos "), first("match qos-group "), first("set qos-group "), first("pause buffer-size"),
		first("pause pfc-cos"), first("pause no-drop"):
		return NXOS
	case first("! device:"), first("! Command: show running-config"), first("! boot system"),
		first("priority-flow-control on"), first("no priority-flow-control on"),
		first("priority-flow-control priority ") && slices.Contains(words, "no-drop"), first("platform trident "),
		first("qos map "), first("qos profile "), first("tx-queue "), first("uc-tx-queue "),
		first("service routing protocols model"), first("daemon "), first("transceiver qsfp default-mode"),
		first("ingress headroom "), first("qos trust "):
		return EOS
	}
	return ""
}
