package devicetree

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cellwarden/cellwarden/finding"
)

// Request is one template of a folder in one context. The interpreter gets it as JSON.
type Request struct {
	Root     string          `json:"root"`            // the tree, absolute
	Folder   string          `json:"folder"`          // the folder of the hwsku, below the tree
	Above    string          `json:"above,omitempty"` // the folder that has the templates, if it is another one; else ""
	Template string          `json:"template"`        // the name of the template in it
	Context  json.RawMessage `json:"context"`         // the variables, a JSON object
	// SmartSwitch is what the switch says of itself (is_smartswitch).
	SmartSwitch bool `json:"smartswitch,omitempty"`
	// Origins asks for the place that printed each line. It costs about as much as the rendering.
	Origins bool `json:"lines,omitempty"`
}

// File returns the template's name below the tree.
func (r *Request) File() string { return cmp.Or(r.Above, r.Folder) + "/" + r.Template }

// Document is what a request gave: a text that is a JSON object, or an error.
type Document struct {
	Request Request
	Text    string
	Err     *Error
	// Origins has the line of a template for each line of the text, where the request asked for it. The file is named
	// below the tree, without symbolic links: a change is made in that file. The zero Place is not known.
	Origins []finding.Place
}

// Origin returns the place of a template that printed a line of the text; 1 is the first line. It is false where it is
// not known.
func (r *Document) Origin(line int) (finding.Place, bool) {
	if line < 1 || line > len(r.Origins) || r.Origins[line-1].File == "" {
		return finding.Place{}, false
	}
	return r.Origins[line-1], true
}

// ErrorKind says why a template gave no JSON.
type ErrorKind string

// The kinds. All but NotJSON are errors of the rendering.
const (
	NotJSON  ErrorKind = "not-json"  // it renders, and the text is no JSON object
	Missing  ErrorKind = "missing"   // it names a template that is not there
	Syntax   ErrorKind = "syntax"    // it is no template
	Failed   ErrorKind = "failed"    // an expression has no value: an attribute of what is undefined
	Outside  ErrorKind = "outside"   // a symbolic link leaves the tree
	Refused  ErrorKind = "refused"   // the sandbox refuses an expression
	Time     ErrorKind = "time"      // more than Bounds.CPU or Bounds.Wall
	Memory   ErrorKind = "memory"    // more than Bounds.Memory
	Long     ErrorKind = "long"      // more than Bounds.Text or Bounds.Template
	Deep     ErrorKind = "recursion" // templates or macros that call each other too deep
	Crashed  ErrorKind = "crashed"   // the interpreter ended
	Protocol ErrorKind = "protocol"  // the interpreter gave another answer than the script does
)

// Error says why a template gave no JSON, and where.
type Error struct {
	Kind ErrorKind
	// File and Line are the place in a template, or for NotJSON in the rendered text of File. Line 0 is not known.
	File    string
	Line    int
	Message string
}

// Error returns file:line: message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	if e.Kind == NotJSON {
		return fmt.Sprintf("%s: line %d of the rendered text: %s", e.File, e.Line, e.Message)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Renderer renders templates in one process after the other: it starts the next when one ends on a template. A template
// that was stopped by a bound is not tried again, however many folders link to it. It is for one goroutine.
type Renderer struct {
	python  string
	bounds  Bounds
	ctx     context.Context
	now     *process
	sent    []queued          // those without an answer
	ready   []Document        // answers that came before the one that a caller of Render waits for
	waited  time.Duration     // for answers, and for interpreters after the first
	stopped map[string]*Error // templates that a bound has stopped, by their names with links followed
}

// queued is a request without an answer.
type queued struct {
	Request
	running bool // the interpreter has it
}

// StartRenderer starts an interpreter, python3 of the PATH, with DefaultBounds. The error is an ErrNoPython
// without a python3 with jinja2. The context ends it, and so does Close.
func StartRenderer(ctx context.Context) (*Renderer, error) {
	return StartRendererWith(ctx, "python3", DefaultBounds())
}

// StartRendererWith is StartRenderer with another interpreter and other bounds.
func StartRendererWith(ctx context.Context, python string, b Bounds) (*Renderer, error) {
	r := &Renderer{python: python, bounds: b, ctx: ctx, stopped: map[string]*Error{}}
	return r, r.restart()
}

func (r *Renderer) restart() (err error) {
	r.now, err = start(r.ctx, r.python, r.bounds)
	return err
}

// Close ends the interpreter.
func (r *Renderer) Close() {
	if r.now != nil {
		r.now.end()
		r.now = nil
	}
}

// Render renders one template, also inside a loop over All. The error is that of the context or of an interpreter that
// does not start; an error of the template is in the result.
func (r *Renderer) Render(request Request) (Document, error) {
	r.send(request)
	for len(r.sent) > 1 {
		result, err := r.next()
		if err != nil {
			return result, err
		}
		r.ready = append(r.ready, result)
	}
	return r.next()
}

// Origins returns the place that printed each line of a rendered text, and nothing where that cannot be found: a
// template that looks at its own text has another one when its lines are marked. It renders the template again.
func (r *Renderer) Origins(of Document) ([]finding.Place, error) {
	request := of.Request
	request.Origins = true
	marked, err := r.Render(request)
	if err != nil || marked.Text != of.Text {
		return nil, err
	}
	return marked.Origins, nil
}

// All renders templates in their order. The next ones are at work while the caller looks at a result. An error ends the
// sequence.
func (r *Renderer) All(requests iter.Seq[Request]) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		next, stop := iter.Pull(requests)
		defer stop()
		defer r.drain()
		for more := true; ; {
			for more && len(r.sent)+len(r.ready) < window {
				var request Request
				if request, more = next(); more {
					r.send(request)
				}
			}
			var result Document
			var err error
			switch {
			case len(r.ready) > 0:
				result, r.ready = r.ready[0], r.ready[1:]
			case len(r.sent) > 0:
				result, err = r.next()
			default:
				return
			}
			if !yield(result, err) || err != nil {
				return
			}
		}
	}
}

// drain drops what nobody waits for.
func (r *Renderer) drain() {
	for len(r.sent) > 0 {
		if _, err := r.next(); err != nil {
			break
		}
	}
	r.sent, r.ready = nil, nil
}

func (r *Renderer) send(request Request) {
	r.sent = append(r.sent, queued{Request: request})
	r.pass(&r.sent[len(r.sent)-1])
}

// next waits for the answer to the first request that was sent. If the interpreter ends, this request is the reason,
// and the next interpreter gets the others.
func (r *Renderer) next() (Document, error) {
	first := r.sent[0]
	request := first.Request
	r.sent = r.sent[1:]
	if why := r.untried(request); why != nil {
		if first.running { // the next interpreter does not get it
			return Document{Request: request, Err: why}, r.again()
		}
		return Document{Request: request, Err: why}, nil
	}
	if r.now == nil {
		return Document{Request: request}, errEnded
	}
	began, longest := time.Now(), min(r.bounds.Wall, r.bounds.Run-r.waited)
	line, err := r.now.answer(r.ctx, longest)
	r.waited += time.Since(began)
	if err == nil {
		result := readAnswer(request, line)
		if result.Err != nil && slices.Contains([]ErrorKind{Time, Memory, Long}, result.Err.Kind) {
			r.stopped[request.real()] = result.Err
		}
		if result.Err == nil || result.Err.Kind != Protocol {
			return result, nil
		}
		return result, r.again()
	}
	if r.ctx.Err() != nil {
		return Document{Request: request}, r.ctx.Err()
	}
	said := r.now.end()
	why := &Error{Kind: Crashed, File: request.File(), Message: "the interpreter ended"}
	if errors.Is(err, errLate) {
		why = &Error{Kind: Time, File: request.File(),
			Message: fmt.Sprintf("no answer in %v", longest.Round(time.Millisecond))}
	} else if said != "" {
		why.Message += ": " + said[strings.LastIndexByte(said, '\n')+1:] // its last line
	}
	r.stopped[request.real()] = why
	return Document{Request: request, Err: why}, r.again()
}

// untried is why a template is not rendered: it was stopped before, or the run has taken too long; nil: it is rendered.
func (r *Renderer) untried(request Request) *Error {
	why := func(kind ErrorKind, reason string) *Error {
		return &Error{Kind: kind, File: request.File(), Message: "not rendered: " + reason}
	}
	if r.waited >= r.bounds.Run {
		return why(Time, fmt.Sprintf("the templates of this run have taken %v", r.bounds.Run))
	}
	if before := r.stopped[request.real()]; before != nil {
		return why(before.Kind, "it was stopped before: "+before.Error())
	}
	return nil
}

// real is the file of the template with links followed, or its name where they lead nowhere.
func (r *Request) real() string {
	name := filepath.Join(r.Root, r.File())
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	return name
}

// again starts the next interpreter and sends it what has no answer. A run that has taken too long has no next one.
func (r *Renderer) again() error {
	r.Close()
	if r.waited >= r.bounds.Run {
		return nil
	}
	began := time.Now()
	err := r.restart()
	if r.waited += time.Since(began); err != nil {
		return err
	}
	for i := range r.sent {
		r.pass(&r.sent[i])
	}
	return nil
}

// pass gives the interpreter a request, unless it is not to be tried. An interpreter that ended has no answer either.
func (r *Renderer) pass(q *queued) {
	if q.running = r.now != nil && r.untried(q.Request) == nil; q.running {
		_ = r.now.send(q.line())
	}
}

// line is the request as a line of JSON.
func (r *Request) line() []byte {
	text, err := json.Marshal(r)
	if err != nil { // the context is no JSON: the script says so
		return []byte("{}")
	}
	return text
}

// readAnswer reads an answer of the script.
func readAnswer(request Request, line []byte) Document {
	result := Document{Request: request}
	var a struct {
		Text    *string
		Error   *Error
		Origins [][]int
		Files   []string
	}
	if err := json.Unmarshal(line, &a); err != nil || (a.Text == nil) == (a.Error == nil) {
		result.Err = &Error{Kind: Protocol, File: request.File(), Message: "the interpreter's answer is not of the script"}
		return result
	}
	if a.Error != nil {
		result.Err = a.Error
		result.Err.File = cmp.Or(result.Err.File, request.File())
		return result
	}
	result.Text = *a.Text
	for _, place := range a.Origins {
		p := finding.Place{}
		if len(place) == 2 && place[0] >= 0 && place[0] < len(a.Files) && place[1] > 0 {
			p = finding.Place{File: a.Files[place[0]], Line: place[1]}
		}
		result.Origins = append(result.Origins, p)
	}
	result.Err = checkJSON(request.File(), result.Text)
	return result
}

// checkJSON tells where a text is no JSON object.
func checkJSON(file, text string) *Error {
	var object map[string]json.RawMessage
	err := json.Unmarshal([]byte(text), &object)
	if err == nil && object != nil {
		return nil
	}
	e := &Error{Kind: NotJSON, File: file, Message: "want a JSON object"}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		before := text[:min(int(syntax.Offset), len(text))]
		e.Line, e.Message = strings.Count(before, "\n")+1, syntax.Error()
	}
	return e
}

// Rendering is what a switch of a folder has in CONFIG_DB for one variant: documents that together are the tables.
type Rendering struct {
	Folder  Folder
	Variant Variant
	Dynamic bool // of buffers_dynamic.json.j2, for a switch whose buffer_model is dynamic

	Ports    Ports
	PortsErr error // what is wrong in the files of the ports

	// Documents are the rendered templates of the folder, buffers before QoS. Each is the JSON of some tables, or an
	// error.
	Documents []Document
}

// Configurations renders all templates of folders for the wanted ones of their variants (nil: all), in their order:
// one configuration for each variant with the buffers of the traditional model, and one with those of the dynamic
// model where the folder has them. A template is rendered once for each variant, and may be a document of two
// configurations. An error ends the sequence: that of the context, or of an interpreter that does not start.
func (r *Renderer) Configurations(tree *Tree, folders []Folder, wanted func(Variant) bool) iter.Seq2[Rendering, error] {
	return func(yield func(Rendering, error) bool) {
		var waiting []Rendering // those whose requests are on the way, without documents
		requests := func(yield func(Request) bool) {
			for i := range folders {
				f := &folders[i]
				ports, err := tree.Ports(r.ctx, f)
				for _, v := range f.Variants(ports) {
					if wanted != nil && !wanted(v) {
						continue
					}
					waiting = append(waiting, Rendering{Folder: *f, Variant: v, Ports: ports, PortsErr: err})
					text := f.Context(ports, v)
					for _, template := range f.Templates {
						if !yield(Request{Root: tree.Path, Folder: f.Path, Above: f.Above, Template: template, Context: text}) {
							return
						}
					}
				}
			}
		}
		var documents []Document
		for result, err := range r.All(requests) {
			if err != nil {
				yield(Rendering{}, err)
				return
			}
			documents = append(documents, result)
			c := waiting[0]
			if len(documents) < len(c.Folder.Templates) {
				continue
			}
			waiting = waiting[1:]
			for _, whole := range c.with(documents) {
				if !yield(whole, nil) {
					return
				}
			}
			documents = nil
		}
	}
}

// with returns the configurations that the documents of a variant make.
func (c Rendering) with(documents []Document) []Rendering {
	but := func(template string) []Document {
		return slices.DeleteFunc(slices.Clone(documents), func(d Document) bool { return d.Request.Template == template })
	}
	static, dynamic := c, c
	static.Documents, dynamic.Documents, dynamic.Dynamic = but(BuffersDynamic), but(Buffers), true
	switch {
	case !c.Folder.Has(BuffersDynamic):
		return []Rendering{static}
	case !c.Folder.Has(Buffers):
		return []Rendering{dynamic}
	}
	return []Rendering{static, dynamic}
}
