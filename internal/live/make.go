//go:build ignore

// This program builds the page that needs no server, or its module: go run ./internal/live/make.go [FILE.html |
// FOLDER]... It compiles folder worker for js/wasm, packs it, and adds the script of Go that runs it. For FILE.html it
// writes the page. For a folder, by default folder module, it writes the module, which programs that are built
// afterwards embed from there. It needs Go, and nothing else.
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
	source := output("go", "list", "-f", "{{.Dir}}", "github.com/cellwarden/cellwarden/internal/live")
	m, targets := build(source), os.Args[1:]
	if len(targets) == 0 {
		targets = []string{filepath.Join(source, "module")}
	}
	fmt.Printf("the module has %d bytes, packed\n", len(m.Wasm))
	for _, to := range targets {
		write(m, to)
	}
}

// write writes a page with the module, or the module into a folder.
func write(m live.Module, to string) {
	if filepath.Ext(to) == ".html" {
		page := m.Page(nil)
		fail(os.WriteFile(to, page, 0o644))
		fmt.Printf("%s has %d bytes\n", to, len(page))
		return
	}
	for name, data := range map[string][]byte{live.WasmFile: m.Wasm, live.RunFile: []byte(m.Run),
		live.CommitFile: []byte(m.Commit)} {
		fail(os.WriteFile(filepath.Join(to, name), data, 0o644))
	}
}

// build compiles and packs the module. The same sources and the same Go give the same bytes.
func build(folder string) live.Module {
	scratch, err := os.MkdirTemp("", "cellwarden")
	fail(err)
	defer os.RemoveAll(scratch)
	wasm := filepath.Join(scratch, "worker.wasm")
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", wasm, "./worker")
	c.Dir, c.Stderr = folder, os.Stderr
	c.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	fail(c.Run())
	data, err := os.ReadFile(wasm)
	fail(err)
	run, err := os.ReadFile(filepath.Join(output("go", "env", "GOROOT"), "lib", "wasm", "wasm_exec.js"))
	fail(err)
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	fail(err)
	_, err = w.Write(data)
	fail(err)
	fail(w.Close())
	return live.Module{Wasm: packed.Bytes(), Run: string(run), Commit: commit(folder)}
}

// commit returns the commit of the checkout; "" if it is not known, or has changes.
func commit(folder string) string {
	status := exec.Command("git", "-C", folder, "status", "--porcelain")
	if changes, err := status.Output(); err != nil || len(changes) > 0 {
		return ""
	}
	name, err := exec.Command("git", "-C", folder, "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}

// output returns what a command prints.
func output(name string, args ...string) string {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	fail(err)
	return strings.TrimSpace(string(out))
}

// fail ends the program if there is an error.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}
