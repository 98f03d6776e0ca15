package gnmi

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/cells"
)

// Identity is what a switch says of itself, to be compared with the switch of a plan. What it does
// not say is empty.
type Identity struct {
	Chip    string     // name in cellwarden's catalogue, as a simulated switch says it
	Cell    cells.Size // bytes of a cell, likewise; 0: not said
	Numbers []string   // numbers of Broadcom's chips (BCM56980) among the part numbers of openconfig-platform
}

// broadcom is a part number of a Broadcom switch chip.
var broadcom = regexp.MustCompile(`(?i)\bBCM(56\d{3}|78\d{3}|88\d{3})`)

// Identify asks a switch what it is: by its models, as Probe has read them, and by the part numbers
// of openconfig-platform. That is asked once: a switch that does not answer has not said it.
func (c *Client) Identify(ctx context.Context, probe *ProbeResult) *Identity {
	out := &Identity{Chip: probe.Chip, Cell: probe.Cell}
	if out.Chip != "" || c.profile != nil && c.profile.NativeOnly() {
		return out // a simulated switch has said all that it knows; SONiC has no openconfig-platform for it
	}
	for _, text := range c.partNumbers(ctx) {
		for _, m := range broadcom.FindAllStringSubmatch(text, -1) {
			out.Numbers = append(out.Numbers, "BCM"+m[1])
		}
	}
	slices.Sort(out.Numbers)
	out.Numbers = slices.Compact(out.Numbers)
	return out
}

// partNumbers reads the part numbers of all components, and returns the texts of the answer: none
// if the switch does not answer.
func (c *Client) partNumbers(ctx context.Context) []string {
	path := &gpb.Path{Elem: []*gpb.PathElem{{Name: "components"},
		{Name: "component", Key: map[string]string{"name": "*"}}, {Name: "state"}, {Name: "part-no"}}}
	request := &gpb.GetRequest{Prefix: c.prefix(), Path: []*gpb.Path{path}, Type: gpb.GetRequest_STATE,
		Encoding: gpb.Encoding_JSON_IETF}
	answer, err := attempt(ctx, c.session, func(ctx context.Context) (*gpb.GetResponse, error) {
		return c.quiet().Get(ctx, request, c.opt.limits()...)
	})
	if err != nil {
		return nil
	}
	var out []string
	for _, n := range answer.GetNotification() {
		for _, u := range n.GetUpdate() {
			out = append(out, u.GetVal().GetStringVal(), string(u.GetVal().GetJsonIetfVal()), string(u.GetVal().GetJsonVal()))
		}
	}
	return out
}

// quiet sends RPCs whose failure is no warning.
func (c *Client) quiet() gpb.GNMIClient {
	stub, ok := c.stub.(adapted)
	if !ok {
		return c.stub
	}
	if l, ok := stub.GNMIClient.(loggedRPCs); ok {
		stub.GNMIClient = l.GNMIClient
	}
	return stub
}

// Check compares what a switch says of itself with the chip of a plan: its name and title in the
// catalogue, and the size of its cells. It returns a backend.ErrIdentity if they differ, and what
// of the chip the switch did not say.
func (i *Identity) Check(chip, title string, cell cells.Size) (unknown []string, err error) {
	switch {
	case i.Cell != 0 && i.Cell != cell:
		return nil, fmt.Errorf("%w: it has the chip %s with cells of %d bytes, and the plan is for %s with cells of %d bytes",
			backend.ErrIdentity, i.Chip, i.Cell, chip, cell)
	case i.Chip != "" && chip != "" && i.Chip != chip:
		return nil, fmt.Errorf("%w: it has the chip %s, and the plan is for %s", backend.ErrIdentity, i.Chip, chip)
	case i.Chip != "":
		return nil, nil
	}
	ours := broadcom.FindString(title)
	if len(i.Numbers) == 0 || ours == "" {
		return []string{"chip", "size of a cell"}, nil
	}
	// The last digit is a variant of the chip.
	same := func(n string) bool { return strings.EqualFold(n[:len(n)-1], ours[:len(ours)-1]) }
	if !slices.ContainsFunc(i.Numbers, same) {
		return nil, fmt.Errorf("%w: it has a %s, and the plan is for %s (%s)", backend.ErrIdentity,
			strings.Join(i.Numbers, ", "), chip, title)
	}
	return []string{"size of a cell"}, nil
}
