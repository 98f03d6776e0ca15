package live

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"strings"

	"github.com/cellwarden/cellwarden/internal/once"
	"github.com/cellwarden/cellwarden/report/page"
)

//go:generate go run make.go module

// Script is the script of the page.
//
//go:embed page.js
var Script string

//go:embed page.html
var text string

//go:embed worker.js
var workerScript string

//go:embed all:module
var built embed.FS

// Names of the files of the folder module.
const (
	WasmFile   = "worker.wasm.gz"
	RunFile    = "wasm_exec.js"
	CommitFile = "commit"
)

// ErrNone says that a program has no module, and what to do.
var ErrNone = errors.New("this cellwarden was built without the module of its page (want a released binary; or, in a " +
	"checkout, go generate ./internal/live before go build ./cmd/cellwarden)")

// Module is what a page has that needs no server.
type Module struct {
	Wasm   []byte // folder worker, compiled for js/wasm, packed by gzip
	Run    string // Go's script that runs it, of the same version of Go
	Commit string // of the sources that it was built from; "": not known
}

// Embedded returns the module that this program was built with. The error is ErrNone.
func Embedded() (Module, error) {
	wasm, err := built.ReadFile("module/" + WasmFile)
	run, bad := built.ReadFile("module/" + RunFile)
	if errors.Join(err, bad) != nil {
		return Module{}, ErrNone
	}
	commit, err := built.ReadFile("module/" + CommitFile)
	return Module{wasm, string(run), strings.TrimSpace(string(commit))}, err
}

// Given is what a page has been given, as page.js keeps it.
type Given struct {
	Topology string            `json:"topology"`
	Set      []string          `json:"changes,omitempty"` // in place of values of the topology, PATH=VALUE
	Files    map[string]string `json:"files,omitempty"`   // texts of the files that the topology names
	Verify   bool              `json:"verify,omitempty"`
	Answer   template.HTML     `json:"-"` // what the page shows before its module runs: page.Report.Answer
	Title    string            `json:"-"`
}

var pages = once.Value(func() *template.Template { return template.Must(template.New("page").Parse(text)) })

// Served returns the page of a server, which loads /page.css and /page.js. The headers of the server have its policy.
// download: the server has the page without a server too, as /live.html.
func Served(download bool) []byte {
	return write(map[string]any{"Title": "cellwarden", "Downloads": download})
}

// Page returns the page that needs no server. It begins with a state; nil: with an example.
func (m Module) Page(s *Given) []byte {
	c := map[string]any{"Title": "cellwarden", "Alone": true, "Policy": Policy(), "Style": template.CSS(page.Style()),
		"Script": template.JS(Script), // the two below are no scripts that the browser runs by itself
		"Worker": template.HTML(m.Run + workerScript),
		"Packed": template.HTML(base64.StdEncoding.EncodeToString(m.Wasm))}
	if s != nil {
		c["Title"], c["Answer"], c["State"] = s.Title, s.Answer, s
	}
	return write(c)
}

// Policy is what the page without a server may load and run: its own script and style, its worker, and WebAssembly.
func Policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return "default-src 'none'; script-src " + hash(Script) + " 'wasm-unsafe-eval'; style-src " + hash(page.Style()) +
		"; img-src data:; worker-src blob:; base-uri 'none'; form-action 'none'"
}

// write fills the template. What is not given is not on the page.
func write(c map[string]any) []byte {
	var b bytes.Buffer
	if err := pages().Execute(&b, c); err != nil {
		panic(err) // the template is this package's, and a buffer takes every text
	}
	return b.Bytes()
}
