package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
	"github.com/cellwarden/cellwarden/internal/picture"
	"github.com/cellwarden/cellwarden/unit"
)

// portKind is a set of ports that differ in their names alone.
type portKind struct {
	text           string // "100G over 300m, rdma"
	ports, refused []string
}

// kinds gathers the ports by what they carry over what, in the order of the intent, and gives each its kind.
func (r *Report) portKinds() (kinds []portKind, of map[string]int, refused map[string]*buffer.Refusal) {
	of, refused = map[string]int{}, map[string]*buffer.Refusal{}
	for _, x := range r.Plan.Refusals {
		refused[x.Port] = x
	}
	for i := range r.Intent.Ports {
		p := &r.Intent.Ports[i]
		text := r.kindText(p)
		k := slices.IndexFunc(kinds, func(x portKind) bool { return x.text == text })
		if k < 0 {
			k = len(kinds)
			kinds = append(kinds, portKind{text: text})
		}
		of[p.Name] = k
		kinds[k].ports = append(kinds[k].ports, p.Name)
		if refused[p.Name] != nil {
			kinds[k].refused = append(kinds[k].refused, p.Name)
		}
	}
	return kinds, of, refused
}

// kindText says what a port is: speed, cable, the classes if it does not carry all, and its state if it is not in use.
func (r *Report) kindText(p *buffer.Port) string {
	text := fmt.Sprintf("%v over %s", p.Rate, p.Link(0).Path())
	if p.Classes != 0 {
		var names []string
		for i := range r.Intent.Classes {
			if p.Classes.Has(i) {
				names = append(names, r.Intent.Classes[i].Name)
			}
		}
		text += ", " + strings.Join(names, " and ")
	}
	if p.State != buffer.PortUp {
		text += ", " + p.State.String()
	}
	return text
}

// Sizes of the panel: a place for a port, and how many are in a row. Two rows make a bank, as on the front
// of most switches: the first port above the second.
const (
	panelPort    = 22.0
	panelColumns = 32
	panelBank    = 2*panelPort + 14
)

// panel draws the ports as on the front of a switch, coloured by kind, with the refused ones marked.
func (r *Report) panel() (figure, bool) {
	n := len(r.Intent.Ports)
	if n == 0 {
		return figure{}, false
	}
	kinds, of, refused := r.portKinds()
	pipes := map[string]buffer.Placed{}
	for _, x := range r.Plan.Ports {
		pipes[x.Port] = x
	}
	names := grouped.Each(r.Intent.Ports, func(p buffer.Port) string { return p.Name })
	slices.SortStableFunc(names, buffer.ComparePorts)
	banks := (n + 2*panelColumns - 1) / (2 * panelColumns)
	drawing := picture.New(pictureWidth, float64(banks)*panelBank+4, r.panelText(kinds))
	for i, name := range names {
		bank, column, row := i/(2*panelColumns), i%(2*panelColumns)/2, i%2
		x, y := 8+float64(column)*panelPort, 4+float64(bank)*panelBank+float64(row)*panelPort
		k := of[name]
		about := name + ": " + kinds[k].text
		if pipe, known := pipes[name]; known {
			about += fmt.Sprintf(", pipe %d", pipe.Pipe)
			if !pipe.Given {
				about += " (assumed)"
			}
		}
		class := fmt.Sprintf("part f%d", k%picture.Series)
		if refusal := refused[name]; refusal != nil {
			drawing.Rect(x, y, panelPort-1, panelPort-1, class+" faint", about+": refused: "+refusal.Detail)
			drawing.Path(fmt.Sprintf("M%s %sl%s %sm0 -%sl-%s %s", picture.Pixels(x+4), picture.Pixels(y+4), "13", "13", "13",
				"13", "13"), "line bad-line", "")
			continue
		}
		drawing.Rect(x, y, panelPort-1, panelPort-1, class, about)
		drawing.Text(x+panelPort/2, y+panelPort/2+4, picture.Middle, numberClass(name), lastNumber(name))
	}
	f := figure{ID: "ports", Title: "Ports", drawing: drawing,
		Text: "The ports in the order of their names, two in a column. A cross marks a refused port; a place on the " +
			"drawing is not the place of the port on the switch."}
	t := Table{Title: "Kinds of ports", Columns: []string{"kind", "ports", "number", "refused"}}
	for i, k := range kinds {
		f.Legend = append(f.Legend, entry{fmt.Sprintf("b%d", i%picture.Series), k.text})
		t.Rows = append(t.Rows, []string{k.text, buffer.FoldPorts(k.ports), unit.Thousands(len(k.ports)),
			unit.Thousands(len(k.refused))})
	}
	f.Legend, f.Tables = shortened(f.Legend), []Table{t}
	return f, true
}

// lastNumber returns the number at the end of a port's name if it is short enough to be written into its place.
func lastNumber(name string) string {
	start := len(name)
	for start > 0 && name[start-1] >= '0' && name[start-1] <= '9' {
		start--
	}
	if len(name)-start > 3 {
		return ""
	}
	return name[start:]
}

// numberClass is the class of the number in a port's place: three digits are smaller.
func numberClass(name string) string {
	if len(lastNumber(name)) > 2 {
		return "tiny on-strong"
	}
	return "small on-strong"
}

// panelText says in words what the panel shows.
func (r *Report) panelText(kinds []portKind) string {
	var out []string
	for _, k := range kinds {
		text := fmt.Sprintf("%d of %s", len(k.ports), k.text)
		if len(k.refused) > 0 {
			text += fmt.Sprintf(", %d of them refused", len(k.refused))
		}
		out = append(out, text)
	}
	return fmt.Sprintf("%d ports: %s", len(r.Intent.Ports), strings.Join(out, "; "))
}
