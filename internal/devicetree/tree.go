// Package devicetree audits the hwsku folders of SONiC's device files.
//
// A source tree of sonic-buildimage has a folder for each kind of switch and use, its hwsku:
//
//	device/<vendor>/<platform>/<hwsku>
//
// In it are templates of CONFIG_DB (buffers.json.j2, buffers_dynamic.json.j2, qos.json.j2), with a file of definitions
// for each topology (buffers_defaults_t0.j2), and most of them are symbolic links. The package follows links inside
// the tree and refuses those that leave it. It finds the folders, renders their templates and joins the text with the
// checks of package audit:
//
//	tree, below, err := devicetree.Open("device/arista")
//	folders, outside, err := tree.Folders(ctx, below)
//	for result, err := range devicetree.Audit(ctx, tree, folders, devicetree.Options{}) {
//
// # Folders
//
// A [Folder] says which configurations it is made for, its ports, its headroom table, and what says which chip it has.
//
// # Templates
//
// A [Renderer] renders templates to the JSON of CONFIG_DB, as a switch does on its first boot and at config qos reload.
// They are rendered by Jinja itself, in a python3 of the user with jinja2, because they use so much of Jinja that no Go
// library renders them: of 2788 renderings the closest (gonja 2.9.1) has 68 right. A script of this package runs them
// in Jinja's sandbox, with the settings, filters and functions of sonic-cfggen. One process renders all, with bounds on
// the time, the memory and the text of each rendering; it can open no network, start no program and write no file. A
// template that breaks a bound is an [Error] in its result, and the next one is rendered.
//
// A [Rendering] is what a switch of a folder has in CONFIG_DB for one topology. It has no lossless groups for a switch
// of the traditional buffer model: its buffer manager makes them from the ports and the headroom table.
//
// # Findings
//
// A folder is audited for each of its topologies, with neighbours and without. The headroom table of a folder is
// checked once. A finding that several variants of a topology have is listed once. Findings about rendered text name
// the template of the folder and the line of the text, and the line of the template that printed it where that can be
// found.
package devicetree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cellwarden/cellwarden/internal/files"
)

// Tree is a source tree of sonic-buildimage, or a part of it.
type Tree struct {
	// Path is the folder of the tree, absolute and without symbolic links.
	Path string
	root *files.Folder
}

// buildTemplates is the folder with the templates that those of every hwsku include.
const buildTemplates = "files/build_templates"

// Open opens the tree that a path is in, and returns the path below it, with slashes. The tree is the nearest folder
// above with files/build_templates, else the one above device, else the path itself.
func Open(name string) (t *Tree, below string, err error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, "", err
	}
	top := rootOf(whole)
	below, err = filepath.Rel(top, whole)
	if err != nil {
		return nil, "", err
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return nil, "", err
	}
	root, err := files.OpenFolder(top)
	if err != nil {
		return nil, "", err
	}
	t = &Tree{Path: top, root: root}
	below = filepath.ToSlash(below)
	if is, err := root.HasFolder(below); !is {
		err = cmp.Or(err, files.ErrNotFolder)
		return nil, "", errors.Join(fmt.Errorf("%s: %w", name, err), t.Close())
	}
	return t, below, nil
}

// rootOf returns the folder of the tree that a path is in.
func rootOf(whole string) string {
	above := ""
	for at := whole; ; at = filepath.Dir(at) {
		if info, err := os.Stat(filepath.Join(at, filepath.FromSlash(buildTemplates))); err == nil && info.IsDir() {
			return at
		}
		if filepath.Base(at) == "device" && above == "" {
			above = filepath.Dir(at)
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if above != "" {
		return above
	}
	return whole
}

// Close closes the tree.
func (t *Tree) Close() error { return t.root.Close() }

// Read reads a regular file of the tree, of at most files.MaxBytes. The name is below the tree.
func (t *Tree) Read(ctx context.Context, name string) ([]byte, error) { return t.root.Read(ctx, name) }

// Bounds of a walk. The tree of 2026-08 has 7 thousand folders, of depth 7 with device.
const (
	mostFolders = 200_000
	mostDepth   = 8
)

// Folders returns the folders of hwskus below a folder of the tree, that one included, in the order of their names.
// The folders of device/common are parts of others, and are left out unless they are below. Links that leave the tree
// are not followed; outside lists them.
func (t *Tree) Folders(ctx context.Context, below string) (found []Folder, outside []error, err error) {
	w := walk{tree: t, ctx: ctx}
	start := path.Clean(below)
	if start == "." && t.holds("device") {
		start = "device"
	}
	err = w.into(start, 0)
	return w.found, w.outside, err
}

func (t *Tree) holds(name string) bool {
	is, _ := t.root.HasFolder(name)
	return is
}

// walk is a walk through the folders of a tree. It follows symbolic links to folders, but for those that lead to a
// folder above.
type walk struct {
	tree  *Tree
	ctx   context.Context
	seen  int
	found []Folder

	outside []error
}

func (w *walk) into(name string, depth int) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if w.seen++; w.seen > mostFolders {
		return fmt.Errorf("%s: want at most %d folders", w.tree.Path, mostFolders)
	}
	entries, err := w.tree.root.List(name)
	if err != nil {
		return err
	}
	if f, ok := w.tree.folder(w.ctx, name, entries); ok {
		w.found = append(w.found, f)
	}
	for _, e := range entries {
		inner := path.Join(name, e.Name())
		if depth >= mostDepth || inner == "device/common" || !e.IsDir() && e.Type()&fs.ModeSymlink == 0 {
			continue
		}
		is, err := w.tree.root.HasFolder(inner)
		if err != nil {
			w.outside = append(w.outside, err)
		}
		if !is || w.above(inner, e) {
			continue
		}
		if err := w.into(inner, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// above tells whether a link leads to a folder that it is in.
func (w *walk) above(name string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return false
	}
	to, err := w.tree.Real(name)
	from, worse := w.tree.Real(path.Dir(name))
	return err != nil || worse != nil || strings.HasPrefix(from+"/", to+"/")
}
