package devicetree

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Port is a port as the files of a folder state it.
type Port struct {
	Name   string
	Fields []Field // as CONFIG_DB's PORT has them, in the order of the file
	Line   int     // line in the file
}

// Field is a field of a port.
type Field struct{ Name, Value string }

// Get returns the value of a field.
func (p *Port) Get(name string) (string, bool) {
	for _, f := range p.Fields {
		if f.Name == name {
			return f.Value, true
		}
	}
	return "", false
}

// set sets a field, in its place if it is there.
func (p *Port) set(name, value string) {
	for i := range p.Fields {
		if p.Fields[i].Name == name {
			p.Fields[i].Value = value
			return
		}
	}
	p.Fields = append(p.Fields, Field{name, value})
}

// Internal tells whether a port leads to no other switch: it recycles packets (Ethernet-Rec), or leads to another chip
// or module of the same switch (Ethernet-IB, Ethernet-BP, the role Dpc).
func (p *Port) Internal() bool {
	role, _ := p.Get("role")
	return strings.HasPrefix(p.Name, "Ethernet-") || role == "Dpc"
}

// Ports are the ports of a folder.
type Ports struct {
	File  string // the file they are from: platform.json or port_config.ini, or ""
	Ports []Port
}

// mostPorts bounds the ports of a folder. The largest of 2026-08 has 520.
const mostPorts = 8192

// Ports reads the ports of a folder as sonic-cfggen does: from platform.json, with the modes of hwsku.json, where both
// are there and the first has interfaces; else from port_config.ini. A folder of a chip has its own port_config.ini;
// one of a profile has the ports of the SKU.
//
// No file is no error: the templates then have ports of their own. Where the two JSON files make no ports, the error
// says why, and the ports are those of port_config.ini, which the switch would not read.
func (t *Tree) Ports(ctx context.Context, f *Folder) (Ports, error) {
	made, why := t.madePorts(ctx, f)
	if len(made.Ports) > 0 {
		return made, why
	}
	for _, at := range []string{f.Path, f.sku()} {
		name := path.Join(at, portConfig)
		if !t.root.Has(name) {
			continue
		}
		text, err := t.Read(ctx, name)
		if err != nil {
			return Ports{}, errors.Join(why, err)
		}
		ports, err := readPortConfig(name, text)
		return Ports{File: name, Ports: ports}, errors.Join(why, err)
	}
	return made, why
}

// madePorts makes the ports of platform.json and hwsku.json. It returns none, and no error, if one is not there or has
// no interfaces: sonic-cfggen then reads port_config.ini.
func (t *Tree) madePorts(ctx context.Context, f *Folder) (Ports, error) {
	platform, modes := path.Join(f.platform(), platformJSON), path.Join(f.sku(), hwskuJSON)
	if f.Platform == "" || !t.root.Has(platform) || !t.root.Has(modes) {
		return Ports{}, nil
	}
	text, err := t.Read(ctx, platform)
	if err != nil {
		return Ports{}, err
	}
	mode, err := t.Read(ctx, modes)
	if err != nil {
		return Ports{}, err
	}
	ports, err := readPlatform(platform, text, modes, mode)
	if err == nil && len(ports) == 0 {
		return Ports{}, nil
	}
	return Ports{File: platform, Ports: ports}, err
}

// readPortConfig reads a port_config.ini. A comment with the word name has the titles of the columns
// (parse_port_config_file in src/sonic-config-engine/portconfig.py).
func readPortConfig(name string, text []byte) ([]Port, error) {
	titles := []string{"name", "lanes", "alias", "index"}
	var out []Port
	at := map[string]int{}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		if strings.HasPrefix(line, "#") {
			if strings.Contains(line, "name") {
				titles = strings.Fields(strings.Trim(line, "#"))
			}
			continue
		}
		values := strings.Fields(line)
		if len(values) < 2 {
			continue
		}
		if len(values) > len(titles) {
			return nil, fmt.Errorf("%s line %d: %d columns: want %d: %s", name, number, len(values), len(titles),
				strings.Join(titles, " "))
		}
		p := Port{Line: number}
		for i, v := range values {
			if titles[i] == "name" {
				p.Name = v
			} else {
				p.set(titles[i], v)
			}
		}
		if p.Name == "" {
			return nil, fmt.Errorf("%s line %d: no column name", name, number)
		}
		if _, there := p.Get("alias"); !there {
			p.set("alias", p.Name)
		}
		if first, twice := at[p.Name]; twice { // the last of two lines counts, in the place of the first
			out[first] = p
			continue
		}
		if len(out) == mostPorts {
			return nil, fmt.Errorf("%s line %d: want at most %d ports", name, number, mostPorts)
		}
		at[p.Name] = len(out)
		out = append(out, p)
	}
	return out, nil
}
