package devicetree

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/finding"
	"github.com/cellwarden/cellwarden/internal/configdb"
	"github.com/cellwarden/cellwarden/internal/fielderr"

	"github.com/cellwarden/cellwarden/cells"
	"github.com/cellwarden/cellwarden/nos/sonic"
	"github.com/cellwarden/cellwarden/thresholds/table"
	"github.com/cellwarden/cellwarden/unit"
)

// Options say how folders are audited.
type Options struct {
	Chip   audit.Chip // of all folders; the zero Chip is found for each
	Wanted func(Variant) bool
	// SizeIncludesHeadroom says whether the size of a pool includes its xoff; absent: it is inferred for each chip.
	SizeIncludesHeadroom unit.Optional[bool]
	// Progress is called before each folder with how many are done; nil: nothing is called.
	Progress func(done, whole int)
	// Renderer renders the templates, so that several audits share a process; nil: each has a process of its own.
	Renderer *Renderer
}

// Result is a folder: its configurations and what is wrong with them.
type Result struct {
	Folder         Folder
	Chip           audit.Chip
	Configurations []Configuration
	Findings       []finding.Finding // of all configurations and of the headroom table, each once
	Rest           int               // findings that are not listed
}

// Configuration is one variant of a folder.
type Configuration struct {
	Variant Variant
	Dynamic bool
	Tables  *configdb.Database // what the templates render, together
	Result  *audit.Result
	failed  bool // a template did not render
}

// Audit renders the folders in one process and audits them in their order. An error ends the sequence: that of the
// context, or of an interpreter that does not start. After an error a Renderer of the options is of no use.
func Audit(ctx context.Context, tree *Tree, folders []Folder, o Options) iter.Seq2[*Result, error] {
	return func(yield func(*Result, error) bool) {
		r := o.Renderer
		if r == nil {
			var err error
			if r, err = StartRenderer(ctx); err != nil {
				yield(nil, err)
				return
			}
			defer r.Close()
		}
		wanted := o.Wanted
		if wanted == nil {
			wanted = func(Variant) bool { return true }
		}
		done, tables, told := 0, map[sharedTable]bool{}, false
		var now *folder
		for c, err := range r.Configurations(tree, folders, wanted) {
			if err != nil {
				yield(nil, err)
				return
			}
			if now != nil && now.Folder.Path != c.Folder.Path {
				if done++; !yield(now.finish(), nil) {
					return
				}
				now = nil
			}
			if now == nil {
				if o.Progress != nil {
					o.Progress(done, len(folders))
				}
				now = begin(ctx, tree, c.Folder, o, tables)
			}
			now.audit(r, c)
			if now.missing && !told {
				now.add(withoutBuildTemplates(tree))
				told = true
			}
		}
		if now != nil {
			yield(now.finish(), nil)
		}
		if o.Progress != nil {
			o.Progress(len(folders), len(folders))
		}
	}
}

// folder is a folder that is being audited.
type folder struct {
	Result
	table    *table.Table
	none     bool // it has no headroom table
	included unit.Optional[bool]
	seen     map[string]bool
	// bare says that the tree has no folder of the templates that others include, and missing that one was looked for.
	bare, missing bool
}

// withoutBuildTemplates says once of a tree that the templates which others include are not there. It is no mistake of
// the files.
func withoutBuildTemplates(t *Tree) finding.Finding {
	f := audit.Codes().New("render-error", finding.Place{File: buildTemplates}, buildTemplates,
		"templates include files of "+buildTemplates+", and "+t.Path+" has no such folder: what includes them is not audited")
	f.Suspect("nothing is wrong with the templates")
	f.Repair = "give a checkout of sonic-buildimage, with " + buildTemplates + " beside device"
	return f
}

// begin reads what all configurations of a folder share.
func begin(ctx context.Context, tree *Tree, f Folder, o Options, tables map[sharedTable]bool) *folder {
	out := &folder{Result: Result{Folder: f, Chip: o.Chip}, included: o.SizeIncludesHeadroom, none: f.Lookup == "",
		seen: map[string]bool{}, bare: !tree.holds(buildTemplates)}
	if f.Above != "" {
		out.add(elsewhere(f))
	}
	if o.Chip.How == "" {
		out.Chip = Identify(f)
	}
	if !out.included.IsGiven() {
		out.included = out.sizesSaid(ctx, tree)
	}
	if f.Lookup == "" {
		return out
	}
	data, err := tree.Read(ctx, f.Lookup)
	if err != nil {
		out.add(table.Codes().New("row-unreadable", finding.Place{File: f.Lookup}, "headroom table", err.Error()))
		return out
	}
	name := f.Lookup
	if real, err := tree.Real(name); err == nil {
		name = real // many folders link to one table
	}
	rows, bad := table.Scan(name, bytes.NewReader(data))
	out.table = rows
	cell := out.Chip.Cell()
	if out.Chip.Spectrum() {
		cell = 0 // the switch rounds KiB to cells itself
	}
	out.addTable(tables, cell, bad)
	return out
}

// elsewhere says that a switch does not find the templates of the folder: `config qos reload` of sonic-utilities
// (config/main.py) opens those in the folder of the hwsku alone.
func elsewhere(f Folder) finding.Finding {
	out := audit.Codes().New("render-error", finding.Place{File: f.Above + "/" + f.Templates[0]}, f.Templates[0],
		"the templates are in the folder of the platform, and a switch reads those in the folder of the hwsku")
	out.SuspectAs(finding.Note, "they are audited as if they were there")
	out.Repair = "put links to them into the folder of the hwsku"
	return out
}

// Identify finds the chip of a folder: by its platform and HwSKU, else by what its files say.
func Identify(f Folder) audit.Chip {
	chip := sonic.Identify(f.Platform, f.SKU)
	for _, hint := range f.Hints {
		if chip.Known() || strings.Contains(f.Platform, "kvm") {
			return chip
		}
		if by := sonic.IdentifyBySDK(hint.Text, hint.Source); by.Known() {
			return by
		}
	}
	return chip
}

// add adds the findings that are not listed yet.
func (f *folder) add(findings ...finding.Finding) {
	for _, n := range findings {
		if key := findingKey(&n); !f.seen[key] {
			f.seen[key] = true
			n.Folder = f.Folder.Path
			f.Findings = append(f.Findings, n)
		}
	}
}

// addTable adds the findings about the headroom table alone, unless another folder with a link to it did.
func (f *folder) addTable(tables map[sharedTable]bool, cell cells.Size, bad []fielderr.Located) {
	shared := sharedTable{f.table.Name, cell}
	if !tables[shared] {
		tables[shared] = true
		f.Findings = append(f.Findings, table.Lint(f.table, bad, cell)...)
	}
}

// sharedTable is a headroom table, and the cell that its rows were compared with.
type sharedTable struct {
	name string
	cell cells.Size
}

// findingKey is what two findings of two variants have in common if they are one: all but the ports.
func findingKey(f *finding.Finding) string {
	object, message := f.Object, f.Message
	if strings.HasPrefix(object, "ports ") {
		object = ""
	}
	if cut := strings.LastIndex(message, ": "); cut >= 0 && len(f.Bytes) == 0 {
		message = message[:cut]
	}
	if len(f.Bytes) > 0 {
		message = f.Numbers()
	}
	if f.Code == "chip-unknown" {
		return fmt.Sprint(f.Code, f.Topology == everyTopology) // it is about the folder
	}
	return fmt.Sprint(f.Code, "\t", f.File, "\t", f.Topology, "\t", object, "\t", message)
}

// audit audits one configuration of the folder.
func (f *folder) audit(r *Renderer, c Rendering) {
	s := audit.Source{File: f.Folder.Path, Topology: c.Variant.Topology.Name, Chip: f.Chip, Table: f.table,
		NoTable: f.none, DropOverMax: f.Folder.DropOverMax, SizeIncludesHeadroom: f.included}
	documents := []*configdb.Database{facts(c)}
	out := Configuration{Variant: c.Variant, Dynamic: c.Dynamic}
	for _, d := range c.Documents {
		db, finding := readRendered(d, s.Topology)
		if finding != nil && f.bare && d.Err != nil && d.Err.Kind == Missing &&
			d.Err.Message != noTemplate+d.Request.Template {
			f.missing, out.failed = true, true
			continue
		}
		if finding != nil {
			s.Unreadable = append(s.Unreadable, *finding)
			out.failed = true
			continue
		}
		documents = append(documents, db)
	}
	if c.PortsErr != nil {
		unread := audit.Codes().New("number-format", finding.Place{File: f.Folder.Path}, "ports of the folder",
			strings.ReplaceAll(c.PortsErr.Error(), "\n", "; "))
		unread.Repair = "write the value that is wanted"
		s.Unreadable = append(s.Unreadable, unread)
	}
	// A folder with templates for one half alone has the other half elsewhere, or not at all: nobody knows.
	s.Part = out.failed || len(c.Documents) < 2
	out.Tables = configdb.Merge(documents...)
	s.Reading = sonic.ReadDatabase(s.File, out.Tables, f.Chip)
	out.Result = audit.Run(s)
	found := f.judged(c.Variant, out.Result.Findings)
	f.locate(r, c.Documents, found)
	f.add(found...)
	f.Rest += out.Result.Rest
	f.Configurations = append(f.Configurations, out)
}

// locate adds the lines of templates that printed what findings are about, to those that are not listed yet.
func (f *folder) locate(r *Renderer, documents []Document, found []finding.Finding) {
	for i := range documents {
		d := &documents[i]
		if d.Err != nil && d.Err.Kind != NotJSON {
			continue // the finding has the line of the template
		}
		for n := range found {
			about := &found[n]
			if about.File != d.Request.File() || about.Line == 0 || f.seen[findingKey(about)] {
				continue
			}
			if d.Origins == nil {
				var err error
				if d.Origins, err = r.Origins(*d); err != nil || d.Origins == nil {
					break
				}
			}
			if place, known := d.Origin(about.Line); known {
				about.Template, about.TemplateLine = place.File, place.Line
			}
		}
	}
}

// judged returns the findings of a variant that say something of the folder. Neighbours and their cables are made up,
// and ports without a neighbour have the cable of ports that are not used, often 0m. The default variant mostly is one
// of the topologies again.
func (f *folder) judged(v Variant, all []finding.Finding) []finding.Finding {
	var out []finding.Finding
	for _, n := range all {
		switch {
		case n.Code == "pfc-pg-missing" && !v.Neighbours:
			continue
		case n.Code == "render-error" && f.isProfile() && strings.Contains(n.Message, noTemplate):
			n.Severity, n.Certain = finding.Note, false
			n.Message += "; the folder is a profile that hwskus have links to: they may have the template"
		case n.Code == "lossless-no-row" && v.Neighbours && f.table != nil:
			n.Severity, n.Certain = finding.Warning, false
			n.Message += fmt.Sprintf("; the cable is that of neighbours of the types %s and %s", v.Topology.Up, v.Topology.Down)
		}
		if v.Topology == Default && f.seen[anyTopology(n)] {
			continue
		}
		f.seen[anyTopology(n)] = true
		out = append(out, n)
	}
	return out
}

// noTemplate begins the message of an error about a template that is missing (render.py).
const noTemplate = "no template "

// isProfile tells whether the folder is no hwsku of its own: it is a profile, such as BALANCED, and not one of the
// chips of a switch, which are numbers.
func (f *folder) isProfile() bool {
	_, err := strconv.Atoi(f.Folder.Part)
	return f.Folder.Part != "" && err != nil
}

// everyTopology stands for the topology of a finding where it does not matter.
const everyTopology = "*"

// anyTopology is same without the topology.
func anyTopology(f finding.Finding) string {
	f.Topology = everyTopology
	return findingKey(&f)
}

// finish returns the folder's result.
func (f *folder) finish() *Result {
	finding.Sort(f.Findings)
	return &f.Result
}

// facts is what a switch of the folder has in CONFIG_DB beside the rendered tables: what it is, and its ports.
func facts(c Rendering) *configdb.Database {
	model := ""
	if c.Dynamic {
		model = "dynamic"
	}
	text := fmt.Sprintf(`{"DEVICE_METADATA": {"localhost": {"hwsku": %q, "platform": %q, "buffer_model": %q}}`,
		c.Folder.SKU, c.Folder.Platform, model)
	if len(c.Ports.Ports) > 0 {
		text += fmt.Sprintf(`, "PORT": %s`, c.Ports.JSON())
	}
	db, err := configdb.Read(cmp.Or(c.Ports.File, c.Folder.Path), []byte(text+"}"), sonic.AuditTables()...)
	if err != nil {
		return nil // a port with a name that is no text of JSON; the ports' own error says so
	}
	db.WithoutLines() // of the ports' file they are not
	return db
}

// readRendered reads a rendered document, or returns the finding that says why it cannot be read.
func readRendered(d Document, topology string) (*configdb.Database, *finding.Finding) {
	name := d.Request.File()
	fail := func(code finding.Code, at finding.Place, message string) *finding.Finding {
		f := audit.Codes().New(code, at, d.Request.Template, message)
		f.Topology = topology
		return &f
	}
	if e := d.Err; e != nil {
		at := finding.Place{File: cmp.Or(e.File, name), Line: e.Line}
		if e.Kind == NotJSON {
			return nil, fail("render-not-json", at, "the rendered text is not JSON: "+e.Message)
		}
		f := fail("render-error", at, e.Message)
		if slices.Contains([]ErrorKind{Time, Memory, Long, Refused}, e.Kind) {
			f.Suspect("that is a bound of this audit and not of a switch: the file is not audited")
		}
		if topology == Default.Name && (e.Kind == Missing || e.Kind == Failed) {
			f.Severity, f.Certain = finding.Note, false
			f.Message += "; only a switch without a type needs it"
		}
		return nil, f
	}
	db, err := configdb.Read(name, []byte(d.Text), sonic.AuditTables()...)
	if err != nil {
		return nil, fail("render-not-json", finding.Place{File: name}, err.Error())
	}
	return db, nil
}
