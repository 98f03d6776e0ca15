//go:build ignore

// This program builds the page that needs no server, or its module: go run ./internal/live/make.go FILE.html|FOLDER...
// It compiles folder worker for js/wasm, packs it, and adds the script of Go that runs it. For FILE.html it writes the
// page. For a folder it writes the module, which programs that are built afterwards embed from folder module. It needs
// Go, and nothing else.
package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/cellwarden/cellwarden/internal/live"
)

func main() {
	m := build()
	fmt.Printf("the module has %d bytes, packed\n", len(m.Wasm))
	for _, to := range os.Args[1:] {
		files := map[string][]byte{filepath.Join(to, live.WasmFile): m.Wasm, filepath.Join(to, live.RunFile): []byte(m.Run),
			filepath.Join(to, live.CommitFile): []byte(m.Commit)}
		if filepath.Ext(to) == ".html" {
			files = map[string][]byte{to: m.Page(nil)}
			fmt.Printf("%s has %d bytes\n", to, len(files[to]))
		}
		for name, data := range files {
			fail(os.WriteFile(name, data, 0o644))
		}
	}
}

// build compiles and packs the module. The same sources and the same Go give the same bytes.
func build() live.Module {
	scratch, err := os.MkdirTemp("", "cellwarden")
	fail(err)
	defer os.RemoveAll(scratch)
	wasm := filepath.Join(scratch, "worker.wasm")
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", wasm,
		"github.com/cellwarden/cellwarden/internal/live/worker")
	c.Stderr, c.Env = os.Stderr, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	fail(c.Run())
	data, err := os.ReadFile(wasm)
	fail(err)
	root, err := exec.Command("go", "env", "GOROOT").Output()
	fail(err)
	run, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	fail(err)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	fail(err)
	_, err = w.Write(data)
	fail(err)
	fail(w.Close())
	return live.Module{Wasm: packed.Bytes(), Run: string(run), Commit: commit()}
}

// commit returns the commit of the checkout; "" if it is not known, or has changes.
func commit() string {
	changes, err := exec.Command("git", "status", "--porcelain").Output()
	if err != nil || len(changes) > 0 {
		return ""
	}
	name, _ := exec.Command("git", "rev-parse", "HEAD").Output() // a checkout without a commit has none
	return strings.TrimSpace(string(name))
}

// fail ends the program if there is an error.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}
