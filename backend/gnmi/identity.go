package gnmi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"

	"github.com/cellwarden/cellwarden/asic"
	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/backend/gnmi/internal/asked"
	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/internal/jsontree"
	"github.com/cellwarden/cellwarden/internal/once"
)

// Identity is what a switch says of itself, to be compared with the switch of a plan. What it does not say is empty.
type Identity struct {
	Chip     string         // name in cellwarden's catalogue, as a simulated switch says it
	Cell     cells.Size     // bytes of a cell, likewise; 0: not said
	Numbers  []string       // numbers of Broadcom's chips (BCM56980) in texts of the switch
	Products []asic.Product // products in texts of the switch whose chip is known
	Ports    []string       // names of its interfaces, sorted; empty: not said
	// OtherChip says why a chip of the catalogue is not the switch's, by what else the switch says; empty: it may be. A
	// nil function knows nothing.
	OtherChip func(chip string) string
}

// Expected is the switch that a plan is for. What is not known of it is empty, and not compared.
type Expected struct {
	Chip  string     // name in the catalogue
	Title string     // what the chip is; one of Broadcom's has its number: "Broadcom BCM56960 Tomahawk"
	Cell  cells.Size // bytes of a cell
	Ports []string   // that the plan is about
}

// broadcom is a part number of a Broadcom switch chip.
var broadcom = once.Pattern(`(?i)\bBCM(56\d{3}|78\d{3}|88\d{3})`)

// Identify asks a switch for its kind: by its models, as Probe has read them, by the part numbers and descriptions of
// openconfig-platform, and by the interfaces of openconfig-interfaces. Each is asked once: a switch that does not
// answer has not said it. Package native asks switches that have none of OpenConfig's models.
func (c *Client) Identify(ctx context.Context, probe *ProbeResult) *Identity {
	out := &Identity{Chip: probe.Chip, Cell: probe.Cell}
	if out.Chip != "" || c.profile != nil && c.profile.NativeOnly() {
		return out // a simulated switch has said all that it knows, and SONiC has no OpenConfig for it
	}
	component := []*gpb.PathElem{{Name: "components"}, {Name: "component", Key: map[string]string{"name": "*"}},
		{Name: "state"}}
	for _, leaf := range []string{"part-no", "description"} {
		out.Read(jsontree.Texts(asked.Get(ctx, c, c.prefix(), gpb.GetRequest_STATE, append(slices.Clone(component),
			&gpb.PathElem{Name: leaf}))))
	}
	out.Ports = jsontree.Entries(asked.Get(ctx, c, c.prefix(), gpb.GetRequest_STATE, []*gpb.PathElem{{Name: "interfaces"},
		{Name: "interface", Key: map[string]string{"name": "*"}}, {Name: "state"}, {Name: "name"}}), "interface")
	return out
}

// Read looks in texts of a switch for numbers of chips and for products.
func (i *Identity) Read(texts []string) {
	for _, text := range texts {
		for _, m := range broadcom().FindAllStringSubmatch(text, -1) {
			i.Numbers = append(i.Numbers, "BCM"+m[1])
		}
		for _, p := range asic.ProductsIn(text) {
			if !slices.Contains(i.Products, p) {
				i.Products = append(i.Products, p)
			}
		}
	}
	slices.Sort(i.Numbers)
	i.Numbers = slices.Compact(i.Numbers)
}

// Check compares what a switch says of itself with the switch of a plan. It returns a backend.ErrIdentity if they
// differ, and what of the expected switch was not compared, because the switch did not say it.
func (i *Identity) Check(want Expected) (unknown []string, err error) {
	unknown, err = i.checkChip(want)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %w", backend.ErrIdentity, err)
	case len(want.Ports) == 0:
		return unknown, nil
	case len(i.Ports) == 0:
		return append(unknown, "ports"), nil
	}
	var missing []string
	for _, name := range want.Ports {
		if _, there := slices.BinarySearch(i.Ports, name); !there {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("%w: the switch has no ports %s", backend.ErrIdentity, buffer.FoldPorts(missing))
	}
	return unknown, nil
}

// checkChip compares the chip and the size of its cells.
func (i *Identity) checkChip(want Expected) (unknown []string, err error) {
	switch {
	case i.Cell != 0 && want.Cell != 0 && i.Cell != want.Cell:
		return nil, fmt.Errorf("it has the chip %s with cells of %d bytes, and the plan is for %swith cells of %d bytes",
			i.Chip, i.Cell, strings.TrimPrefix(want.Chip+" ", " "), want.Cell)
	case i.Chip != "" && want.Chip != "" && i.Chip != want.Chip:
		return nil, fmt.Errorf("it has the chip %s, and the plan is for %s", i.Chip, want.Chip)
	case i.Chip != "":
		return nil, nil
	}
	if i.OtherChip != nil {
		if why := i.OtherChip(want.Chip); why != "" {
			return nil, errors.New(why)
		}
	}
	if known, err := i.checkNumber(want); known || err != nil {
		return []string{"size of a cell"}, err
	}
	if known, err := i.checkProduct(want); known || err != nil {
		return []string{"size of a cell"}, err
	}
	return []string{"chip", "size of a cell"}, nil
}

// checkNumber compares the numbers of Broadcom's chips. known is false if one side has none.
func (i *Identity) checkNumber(want Expected) (known bool, err error) {
	ours := broadcom().FindString(want.Title)
	if len(i.Numbers) == 0 || ours == "" {
		return false, nil
	}
	// The last digit is a variant of the chip.
	same := func(n string) bool { return strings.EqualFold(n[:len(n)-1], ours[:len(ours)-1]) }
	if !slices.ContainsFunc(i.Numbers, same) {
		return false, fmt.Errorf("it has a %s, and the plan is for %s (%s)", strings.Join(i.Numbers, ", "), want.Chip,
			want.Title)
	}
	return true, nil
}

// checkProduct compares the chips of products. known is false if no product was named, or if it is not known which
// products have the chip of the plan.
func (i *Identity) checkProduct(want Expected) (known bool, err error) {
	has := func(p asic.Product) bool { return p.Has(want.Chip) }
	switch {
	case len(i.Products) == 0 || !asic.KnowsChip(want.Chip):
		return false, nil
	case slices.ContainsFunc(i.Products, has):
		return true, nil
	}
	p := i.Products[0]
	return false, fmt.Errorf("its product %s has the chip %s (%s), and the plan is for %s", p.Name, p.Chip, p.Source,
		want.Chip)
}
