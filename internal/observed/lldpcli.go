package observed

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/dcbx"
	"github.com/cellwarden/cellwarden/internal/fielderr"
	"github.com/cellwarden/cellwarden/pfc"
	"github.com/cellwarden/cellwarden/unit"
)

// Seen is a port that an interface of a machine hears.
type Seen struct {
	Interface string // of the machine
	Name      dcbx.Neighbour
	// Address is the MAC address of the neighbour, if its chassis or port is named by one; lldpcli does not print where a
	// frame came from. Zero: it is not known.
	Address pfc.Address
	PDU     dcbx.PDU
}

// object is a JSON object of lldpcli. In the form json, a single element is an object, and a list
// otherwise; in the form json0 every element is a list.
type object = map[string]any

// Neighbours reads the JSON of `lldpcli -f json show neighbors details`, or with json0. An interface that hears several
// ports is there several times.
func Neighbours(data []byte) ([]Seen, error) {
	var root object
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&root); err != nil {
		return nil, fmt.Errorf("no JSON of lldpcli: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("no JSON of lldpcli: something follows the JSON")
	}
	if root["lldp"] == nil {
		return nil, errors.New(`no JSON of lldpcli: no key "lldp" (want lldpcli -f json show neighbors details)`)
	}
	var out []Seen
	var bad fielderr.List
	for _, lldp := range objects(root["lldp"]) {
		for _, x := range objects(lldp["interface"]) {
			all := named(x)
			for _, name := range slices.Sorted(maps.Keys(all)) {
				if len(out) == MaxPorts {
					return nil, fmt.Errorf("more neighbours than are want %d", MaxPorts)
				}
				s, err := seen(name, all[name])
				if bad.Under(fmt.Sprintf("interface %q", name), err); err == nil {
					out = append(out, s)
				}
			}
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(out, func(x, y Seen) int { return strings.Compare(x.Interface, y.Interface) })
	return out, nil
}

// objects returns an element as the list of objects that it is, or would be.
func objects(v any) (out []object) {
	switch v := v.(type) {
	case object:
		return []object{v}
	case []any:
		for _, x := range v {
			if o, ok := x.(object); ok {
				out = append(out, o)
			}
		}
	}
	return out
}

// named returns the interfaces of an element by their names: the name is the key (json), or an entry (json0).
func named(x object) map[string]object {
	if name, ok := x["name"].(string); ok {
		return map[string]object{name: x}
	}
	out := map[string]object{}
	for name, v := range x {
		if o, ok := v.(object); ok {
			out[name] = o
		}
	}
	return out
}

// value returns the text of an element: itself, or its entry "value".
func value(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	for _, o := range objects(v) {
		if text, ok := o["value"].(string); ok {
			return text
		}
	}
	return ""
}

// seen makes the LLDPDU of one neighbour.
func seen(name string, x object) (Seen, error) {
	var bad fielderr.List
	s := Seen{Interface: name}
	ttl := 0 * unit.Second
	var more []dcbx.TLV
	for _, chassis := range objects(x["chassis"]) {
		system := value(chassis["name"])
		if chassis["id"] == nil { // the form json has the name of the system as a key
			inner := named(chassis)
			for _, key := range slices.Sorted(maps.Keys(inner)) {
				chassis, system = inner[key], key
			}
		}
		s.Name.Chassis = id(chassis["id"], chassisTypes, &bad)
		if system != "" {
			more = append(more, dcbx.TLV{Type: dcbx.TypeSystemName, Value: []byte(system)})
		}
	}
	for _, port := range objects(x["port"]) {
		s.Name.Port = id(port["id"], portTypes, &bad)
		if text := value(port["descr"]); text != "" {
			more = append(more, dcbx.TLV{Type: dcbx.TypePortDescription, Value: []byte(text)})
		}
		if text := value(port["ttl"]); text != "" {
			n, err := strconv.ParseUint(text, 10, 16)
			bad.Check(err == nil, "ttl", text, "0 to 65535")
			ttl = unit.Time(n) * unit.Second
		}
		if text := value(port["mfs"]); text != "" {
			n, err := strconv.ParseUint(text, 10, 16)
			bad.Check(err == nil, "mfs", text, "0 to 65535")
			more = append(more, dcbx.TLV{Type: dcbx.TypeOrganisation, Value: []byte{0x00, 0x12, 0x0f, 4, byte(n >> 8), byte(n)}})
		}
	}
	for _, list := range objects(x["unknown-tlvs"]) {
		for _, u := range objects(list["unknown-tlv"]) {
			t, err := unknown(u)
			bad.Join(err)
			more = append(more, t)
		}
	}
	s.PDU = dcbx.PDU{TLVs: append(dcbx.Mandatory(s.Name, ttl), more...)}
	s.Address = address(s.Name)
	if bad.Err() == nil {
		bad.Join(s.PDU.Validate())
	}
	return s, bad.Err()
}

// The words of lldpcli for the kinds of names, with their numbers (lldpd's client; IEEE 802.1AB, tables 8-2 and 8-3).
var (
	chassisTypes = map[string]byte{"unknown": 1, "mac": 4, "ip": 5, "ifname": 6, "local": 7}
	portTypes    = map[string]byte{"ifalias": 1, "unknown": 2, "mac": 3, "ip": 4, "ifname": 5, "local": 7}
)

// id reads a name.
func id(v any, types map[string]byte, bad *fielderr.List) dcbx.ID {
	all := objects(v)
	if len(all) == 0 {
		bad.Add("id", "none", "the id of a chassis and of a port")
		return dcbx.ID{}
	}
	kind, _ := all[0]["type"].(string)
	text, _ := all[0]["value"].(string)
	subtype, known := types[kind]
	if !known {
		bad.Add("id", fmt.Sprintf("type %.50q", kind), "mac, ip, ifname, local")
		return dcbx.ID{}
	}
	switch kind {
	case "mac":
		b, err := hex.DecodeString(strings.ReplaceAll(text, ":", ""))
		bad.Check(err == nil && len(b) > 0, "id", fmt.Sprintf("%.50q", text), "a MAC address")
		text = string(b)
	case "ip":
		a, err := netip.ParseAddr(text)
		bad.Check(err == nil, "id", fmt.Sprintf("%.50q", text), "an IP address")
		family := byte(2) // IANA's number for IPv6
		if a.Is4() {
			family = 1
		}
		text = string(append([]byte{family}, a.AsSlice()...))
	}
	return dcbx.ID{Subtype: subtype, Value: text}
}

// unknown reads a TLV that lldpd does not know: "oui": "00,80,C2", "subtype": "11", "value": "08,18".
func unknown(u object) (dcbx.TLV, error) {
	oui, err1 := hexadecimal(u["oui"])
	data, err2 := hexadecimal(u["value"])
	text, _ := u["subtype"].(string)
	subtype, err3 := strconv.ParseUint(text, 10, 8)
	if err := errors.Join(err1, err2, err3); err != nil || len(oui) != 3 {
		return dcbx.TLV{}, fielderr.Complaint{Path: "unknown-tlv", Value: fmt.Sprintf("%.100q", fmt.Sprint(u)),
			Accepted: "an oui of three bytes, a subtype, and a value of bytes"}
	}
	return dcbx.TLV{Type: dcbx.TypeOrganisation, Value: append(append(oui, byte(subtype)), data...)}, nil
}

// hexadecimal reads bytes with commas between. No text is no byte.
func hexadecimal(v any) ([]byte, error) {
	text, _ := v.(string)
	return hex.DecodeString(strings.ReplaceAll(text, ",", ""))
}

// address returns the MAC address by which a port is named, or else its chassis.
func address(n dcbx.Neighbour) (a pfc.Address) {
	switch {
	case n.Port.Subtype == dcbx.PortAddress && len(n.Port.Value) == len(a):
		return pfc.Address([]byte(n.Port.Value))
	case n.Chassis.Subtype == dcbx.ChassisAddress && len(n.Chassis.Value) == len(a):
		return pfc.Address([]byte(n.Chassis.Value))
	}
	return a
}
