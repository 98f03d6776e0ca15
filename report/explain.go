package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/cbfc"
	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/ecn"
)

// ExplainDocument says of the numbers of one port where they come from.
type ExplainDocument struct {
	Schema  string   `json:"schema"`
	Port    string   `json:"port"`
	RestsOn []string `json:"rests_on,omitempty"` // as Chip of PlanDocument
	Set     []string `json:"set,omitempty"`      // changes of the topology
	Refused string   `json:"refused"`            // why the port is refused; empty: it is admitted
	// PlanRefused says of an admitted port that the plan as a whole is refused, and why; empty: it fits, or this port is
	// refused too. The numbers are those that the port would have if the refused ports were not there.
	PlanRefused string        `json:"plan_refused,omitempty"`
	Items       []ExplainItem `json:"items"`
}

// ExplainItem is one number.
type ExplainItem struct {
	Item  string `json:"item"` // one of ExplainItems
	Group *int   `json:"group,omitempty"`
	// Channel is the virtual channel (CBFC) of credits; absent for everything else.
	Channel *int   `json:"channel,omitempty"`
	Class   string `json:"class,omitempty"`
	Slices  []int  `json:"slices"` // in which the number counts
	Value   string `json:"value"`  // with its unit
	// Cells is the number as the chip holds it; absent for an alpha and for a slice's name.
	Cells *cells.Count `json:"cells,omitempty"`
	How   string       `json:"how"`   // how the number comes about, in a sentence with its source
	Asked []Asked      `json:"asked"` // by the topology: what the number depends on
	// Rounded says what was rounded; empty: nothing was.
	Rounded []string                `json:"rounded"`
	Terms   []thresholds.Term       `json:"terms"`    // of a headroom
	Reading []thresholds.Reading    `json:"readings"` // of a headroom: ways to convert bytes to cells
	Sums    []thresholds.SumReading `json:"delay_sums,omitempty"`
	Notes   []string                `json:"notes"`
}

// Asked is a value of the topology.
type Asked struct {
	Path   string `json:"path"`
	Value  string `json:"value"`
	Stated bool   `json:"stated"` // false: the topology does not say it, and Value is what is used
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"` // 0: a change of the topology, which File names
}

// ExplainItems are the numbers that can be explained.
func ExplainItems() []string {
	return []string{"headroom", "xon", "alpha", "reserved", "credits", "shared", "slice"}
}

// Explain explains numbers of the i-th port, all if none is named. entry is the path of the port in the topology.
func Explain(in *buffer.Intent, a *buffer.Admission, i int, entry string,
	at func(path string) (file string, line int, stated bool), items ...string) ExplainDocument {
	x := explainer{in: in, a: a, i: i, entry: entry, at: at}
	d := ExplainDocument{Schema: Schema("explain"), Port: in.Ports[i].Name, RestsOn: in.Chip.RestsOn(),
		Items: []ExplainItem{}}
	for _, denied := range a.Denied() {
		if denied.Index == i {
			d.Refused = denied.Shortfall.String()
		}
	}
	if first, refused := a.FirstDenied(); refused && d.Refused == "" {
		d.PlanRefused = fmt.Sprintf("%s, first %s: %v", plural(len(a.Denied()), "port is refused", "ports are refused"),
			first.Port, first.Shortfall)
	}
	for _, item := range ExplainItems() {
		if len(items) == 0 || slices.Contains(items, item) {
			d.Items = append(d.Items, x.item(item)...)
		}
	}
	for i := range d.Items {
		d.Items[i].fill()
	}
	return d
}

// fill makes empty lists of lists that are not there.
func (x *ExplainItem) fill() {
	x.Rounded, x.Notes = append([]string{}, x.Rounded...), append([]string{}, x.Notes...)
	x.Terms, x.Reading = append([]thresholds.Term{}, x.Terms...), append([]thresholds.Reading{}, x.Reading...)
	x.Asked, x.Slices = append([]Asked{}, x.Asked...), append([]int{}, x.Slices...)
}

// explainer explains the numbers of one port.
type explainer struct {
	in    *buffer.Intent
	a     *buffer.Admission
	i     int
	entry string
	at    func(path string) (file string, line int, stated bool)
}

// item explains one number, of each group that has it.
func (x *explainer) item(item string) (out []ExplainItem) {
	switch item {
	case "credits":
		return x.credits()
	case "shared":
		return x.shared()
	case "slice":
		return []ExplainItem{x.slice()}
	}
	groups := x.a.GroupsOf(x.i)
	for k := range groups {
		g := &groups[k]
		if !g.Lossless && (item == "headroom" || item == "xon") {
			continue
		}
		one := ExplainItem{Item: item, Group: new(g.Group.Group), Class: g.Class, Slices: g.Slices}
		switch item {
		case "headroom":
			x.headroom(&one, g)
		case "xon":
			x.xon(&one, g)
		case "alpha":
			x.alpha(&one, g)
		default:
			x.reserved(&one, g)
		}
		out = append(out, one)
	}
	return out
}

// class returns a class, and its path in the topology.
func (x *explainer) class(name string) (*buffer.Class, string) {
	i := slices.IndexFunc(x.in.Classes, func(c buffer.Class) bool { return c.Name == name })
	return &x.in.Classes[i], fmt.Sprintf("classes[%d]", i)
}

// ask adds a value of the topology.
func (x *explainer) ask(one *ExplainItem, path, value string) {
	file, line, stated := x.at(path)
	one.Asked = append(one.Asked, Asked{path, value, stated, file, line})
}

// askLink adds what the headroom of the port's link depends on.
func (x *explainer) askLink(one *ExplainItem, g *buffer.PortGroup) {
	p := &x.in.Ports[x.i]
	class, path := x.class(g.Class)
	x.ask(one, "headroom", "method "+x.in.Sizing.Method())
	x.ask(one, x.entry+".speed", p.Rate.String())
	if p.Measured.IsGiven() {
		x.ask(one, x.entry+".measured_delay", p.Measured.String())
	} else if measured, given := p.Delay.Get(); given {
		x.ask(one, x.entry+".delay", measured.String())
	} else {
		x.ask(one, x.entry+".cable", p.Cable.String())
		x.ask(one, x.entry+".medium", p.Medium.String())
	}
	x.askMTU(one, class, path)
	if p.Lanes > 0 {
		x.ask(one, x.entry+".lanes", fmt.Sprint(p.Lanes))
	}
	if p.Extra > 0 {
		x.ask(one, x.entry+".extra_delay", p.Extra.String())
	}
	if p.MACsec {
		x.ask(one, x.entry+".macsec", "true")
	}
	if t, given := p.Response.Get(); given {
		key := ".response_delay"
		if _, _, stated := x.at(x.entry + ".peer"); stated {
			key = ".peer"
		}
		x.ask(one, x.entry+key, t.String())
	}
}

// askMTU adds the longest frames of the port, and of the class if it has a longest of its own.
func (x *explainer) askMTU(one *ExplainItem, class *buffer.Class, path string) {
	x.ask(one, x.entry+".mtu", x.in.Ports[x.i].MTU.String())
	if class.MTU > 0 {
		x.ask(one, path+".mtu", class.MTU.String())
	}
}

func (x *explainer) headroom(one *ExplainItem, g *buffer.PortGroup) {
	cell := x.in.Chip.Cell
	one.set(g.Headroom, fmt.Sprintf("%d cells (%v)", g.Headroom, cell.Bytes(g.Headroom)))
	one.How = "method " + g.Sized.Method
	if g.Sized.Wire > 0 {
		one.How += fmt.Sprintf(": %v arrive after the decision to pause", g.Sized.Wire)
	}
	if frames := g.Sized.Mix.Words(); frames != "" {
		one.How += ", in " + frames
	}
	x.askLink(one, g)
	if x.in.Pool.SharesHeadroom() {
		one.How += "; a limit of the group in the shared headroom pool, which is charged once for all groups"
	}
	if g.Sized.Cells != g.Headroom {
		one.Rounded = append(one.Rounded, fmt.Sprintf("%d cells up to %d, which the chip can hold (%s)", g.Sized.Cells,
			g.Headroom, sourceOf(x.in.Chip.Sources.Rounding)))
	}
	if asked := g.Sized.XOFF; asked != cell.Bytes(g.Sized.Cells) {
		one.Rounded = append(one.Rounded, fmt.Sprintf("%v up to %d cells of %s", asked, g.Sized.Cells,
			plural(int(cell), "byte", "bytes")))
	}
	sized := x.a.Explain(x.i, g.Group.Group)
	one.Terms, one.Reading, one.Sums = sized.Terms, sized.Readings, sized.Sums
	if note := g.Worst.Note(g.Headroom, cell); note != "" {
		one.Notes = append(one.Notes, note)
	}
	one.Notes = append(one.Notes, sized.Warnings...)
}

// set sets the number.
func (x *ExplainItem) set(n cells.Count, text string) { x.Cells, x.Value = &n, text }

func (x *explainer) xon(one *ExplainItem, g *buffer.PortGroup) {
	class, path := x.class(g.Class)
	one.set(g.XONOffset, fmt.Sprintf("%d cells (%v) below the limit", g.XONOffset, g.XONOffsetGranted))
	x.ask(one, path+".xon_offset", g.XONOffsetAsked.String())
	switch {
	case class.XONOffset.IsGiven():
		one.How = "given by the topology"
	case g.Sized.XONOffset.IsGiven() && g.Sized.Profile.Stated:
		one.How = fmt.Sprintf("the row of the headroom table, line %d", g.Sized.Profile.Line)
	case g.Sized.XONOffset.IsGiven():
		one.How = "method " + g.Sized.Method
	default:
		one.How = "two longest frames, as in the DCQCN paper's buffer settings (SIGCOMM 2015, section 4): " +
			"neither the topology nor the method says it"
		x.askMTU(one, class, path)
	}
	x.cells(one, g.XONOffsetAsked.String(), g.XONOffsetAsked != g.XONOffsetGranted, g.XONOffset, "up")
}

// cells notes that bytes were rounded to cells.
func (x *explainer) cells(one *ExplainItem, asked string, rounded bool, n cells.Count, way string) {
	if rounded {
		one.Rounded = append(one.Rounded, fmt.Sprintf("%s %s to %d cells (%v)", asked, way, n, x.in.Chip.Cell.Bytes(n)))
	}
}

func (x *explainer) alpha(one *ExplainItem, g *buffer.PortGroup) {
	class, path := x.class(g.Class)
	one.Value = g.Limit.String()
	switch {
	case g.Limit.Mode() == thresholds.StaticLimit:
		one.set(g.Limit.Cells(), fmt.Sprintf("static, %d cells (%v) of a slice", g.Limit.Cells(), g.StaticGranted))
		one.How = fmt.Sprintf("given by the topology for the whole chip, %v: each of the %d slices has an equal part",
			class.StaticLimit, len(x.in.Chip.Slices))
		x.ask(one, path+".static_limit", class.StaticLimit.String())
		x.cells(one, g.StaticAsked.String(), g.StaticAsked != g.StaticGranted, g.Limit.Cells(), "down")
	case class.Alpha != nil:
		key := ".alpha"
		if _, _, stated := x.at(path + ".dynamic_th"); stated {
			key = ".dynamic_th"
		}
		one.How = fmt.Sprintf("given by the topology; dynamic_th %d", g.Limit.Alpha().DynamicTh())
		x.ask(one, path+key, class.Alpha.String())
	case g.Sized.Profile.Stated:
		one.How = fmt.Sprintf("the row of the headroom table, line %d; dynamic_th %d", g.Sized.Profile.Line,
			g.Limit.Alpha().DynamicTh())
		x.ask(one, path+".alpha", g.Limit.Alpha().String())
	default:
		one.How = "the default, 1: neither the topology nor a headroom table says it"
		x.ask(one, path+".alpha", g.Limit.Alpha().String())
	}
	if g.Limit.Mode() != thresholds.DynamicLimit {
		return
	}
	for _, b := range x.bills() {
		pool := ecn.SharingOf(g.Limit, b.Shared, 0)
		one.Notes = append(one.Notes, fmt.Sprintf("slice %d, %d shared cells: alone the group may use %d of them, with %d "+
			"congested groups of this alpha each %d", b.Index, b.Shared, pool.Together(1).Floor(), eight,
			pool.Together(eight).Floor()))
	}
}

// eight is a number of congested groups for which a limit is shown beside that of one.
const eight = 8

func (x *explainer) reserved(one *ExplainItem, g *buffer.PortGroup) {
	class, path := x.class(g.Class)
	one.set(g.Reserved, fmt.Sprintf("%d cells (%v)", g.Reserved, g.ReservedGranted))
	x.ask(one, path+".reserved", g.ReservedAsked.String())
	switch {
	case class.Reserved.IsGiven():
		one.How = "given by the topology"
	case !g.Lossless:
		one.How = "the default of a class that is not lossless: none"
	case g.Sized.Profile.Stated:
		one.How = fmt.Sprintf("the row of the headroom table, line %d: its size of %v", g.Sized.Profile.Line,
			g.Sized.Profile.Size)
		if g.ReservedAsked != g.Sized.Profile.Size {
			one.How += ", which includes the headroom where headroom is dedicated"
		}
	case g.Sized.XON > 0:
		one.How = fmt.Sprintf("what method %s needs before XOFF", g.Sized.Method)
	default:
		one.How = fmt.Sprintf("the default: method %s needs nothing before XOFF", g.Sized.Method)
	}
	x.cells(one, g.ReservedAsked.String(), g.ReservedAsked != g.ReservedGranted, g.Reserved, "up")
	if p := &x.in.Ports[x.i]; p.Reserved > 0 {
		one.Notes = append(one.Notes, fmt.Sprintf("the port has a minimum of its own beside it: %v", p.Reserved))
	}
}

// bills returns the accounts of the slices that the port is charged in.
func (x *explainer) bills() (out []buffer.SliceBill) {
	_, feeds, _ := x.a.PipeOf(x.i)
	for _, b := range x.a.SliceBills() {
		if slices.Contains(feeds, b.Index) {
			out = append(out, b)
		}
	}
	return out
}

// shared explains the shared cells of each slice of the port.
func (x *explainer) shared() (out []ExplainItem) {
	for _, b := range x.bills() {
		one := ExplainItem{Item: "shared", Slices: []int{b.Index}}
		one.set(b.Shared, fmt.Sprintf("%d cells (%v) of slice %d", b.Shared, x.in.Chip.Cell.Bytes(b.Shared), b.Index))
		one.How = fmt.Sprintf("%d cells of the slice, less %d of the chip itself, %d reserved, %d of headroom and %d unused: "+
			"after the ports that are admitted", b.Total, b.Chip, b.Reserved, b.Headroom, b.Unused)
		x.ask(&one, "chip", x.in.Chip.Name+" ("+sourceOf(x.in.Chip.Sources.Slices)+")")
		size := "all memory that the chip leaves"
		if x.in.Pool.Size > 0 {
			size = x.in.Pool.Size.String()
		}
		x.ask(&one, "pool.size", size)
		x.ask(&one, "shared_floor", x.in.SharedFloor.String())
		out = append(out, one)
	}
	return out
}

// slice explains on which pipe the port is and where it is charged.
func (x *explainer) slice() ExplainItem {
	pipe, feeds, given := x.a.PipeOf(x.i)
	one := ExplainItem{Item: "slice", Slices: feeds}
	one.Value = fmt.Sprintf("pipe %d, charged in slices %v", pipe, feeds)
	switch {
	case x.in.Chip.PipeCount() == 1:
		one.How = "the chip has one pipe, which feeds every slice"
	case given:
		one.How = "given by the topology"
	default:
		one.How = fmt.Sprintf("assumed: port %d of the topology takes the pipes in turn", x.i+1)
	}
	one.How += fmt.Sprintf("; which slices a pipe feeds: %s", sourceOf(x.in.Chip.Sources.Pipes))
	if x.in.Chip.PipeCount() > 1 {
		x.ask(&one, x.entry+".pipe", fmt.Sprint(pipe))
	}
	return one
}

// sourceOf names a source, or says that the number has none.
func sourceOf(source string) string { return cmp.Or(source, "no source") }

// credits explains the credits of each virtual channel of the port: those that are its own, and its limit on those that
// the channels share.
func (x *explainer) credits() (out []ExplainItem) {
	_, feeds, _ := x.a.PipeOf(x.i)
	rows := x.a.ChannelsOf(x.i)
	for k := range rows {
		c := &rows[k]
		if c.Slice != feeds[0] {
			continue // a row for each slice says the same
		}
		one := ExplainItem{Item: "credits", Channel: new(c.Channel), Class: c.Class, Slices: feeds}
		x.channel(&one, c)
		out = append(out, one)
	}
	return out
}

// channel explains the credits of one channel.
func (x *explainer) channel(one *ExplainItem, c *buffer.Channel) {
	class, path := x.class(c.Class)
	one.set(c.Reserved, fmt.Sprintf("%d credits (%v)", c.Reserved, c.ReservedGranted))
	one.How = "credits (CBFC), a reserved cell for each: "
	if class.Reserved.IsGiven() {
		one.How += "given by the topology"
	} else {
		one.How += "as many as keep the link full; delays of the ends are inferred"
	}
	x.ask(one, path+".reserved", c.ReservedAsked.String())
	x.cells(one, c.ReservedAsked.String(), c.ReservedAsked != c.ReservedGranted, c.Reserved, "up")
	one.Notes = append(one.Notes, fmt.Sprintf("traffic classes %v are in channel %d", c.Traffic, c.Channel))
	switch {
	case c.Mode == cbfc.ReservedOnly:
		one.Notes = append(one.Notes, "the channel uses no shared credits: the class has neither alpha nor static_limit")
	case c.Mode == cbfc.UpTo:
		one.Notes = append(one.Notes, fmt.Sprintf("at most %d of the %d shared credits of the port besides, so %d while no "+
			"other channel uses them", c.Limit, c.Shared, c.Alone))
		x.ask(one, path+".static_limit", c.LimitAsked.String())
		x.cells(one, c.LimitAsked.String(), c.LimitAsked != c.LimitGranted, c.Limit, "down")
	default:
		one.Notes = append(one.Notes, fmt.Sprintf("at most 2^%d times the free ones of the %d shared credits of the port "+
			"besides, so %d while no other channel uses them", c.Alpha.DynamicTh(), c.Shared, c.Alone))
		x.ask(one, path+".alpha", c.Alpha.String())
	}
	if c.FullRate > 0 {
		one.Notes = append(one.Notes, fmt.Sprintf("%d keep the link full", c.FullRate))
	}
}
