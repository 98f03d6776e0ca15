// Command pack writes the image of a release: the Linux programs beneath a folder as an OCI layout in a tar. Its
// arguments are FOLDER VERSION SECONDS FILE, with the time of the release since 1970. It has a module of its own, so
// that the registry library is no dependency of cellwarden. The image depends on the arguments and the programs alone,
// so that two runs give the same bytes.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing/fstest"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	if len(args) != 4 {
		return fmt.Errorf("arguments %q: want FOLDER VERSION SECONDS FILE", args)
	}
	seconds, err := strconv.ParseInt(args[2], 10, 64)
	if err != nil {
		return fmt.Errorf("seconds %q: want a number", args[2])
	}
	return image(args[0], args[1], time.Unix(seconds, 0).UTC(), args[3])
}

// image writes an index with an image for each architecture of Linux that is beneath the folder of the release.
func image(dist, version string, made time.Time, to string) error {
	var index v1.ImageIndex = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range []string{"amd64", "arm64"} {
		programs, err := filepath.Glob(filepath.Join(dist, "cellwarden_linux_"+arch+"*", "cellwarden"))
		if err != nil || len(programs) != 1 {
			return errors.Join(err, fmt.Errorf("%s: %d programs for linux and %s: want one", dist, len(programs), arch))
		}
		img, err := of(programs[0], version, arch, made)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{
			MediaType: types.OCIManifestSchema1, Platform: &v1.Platform{OS: "linux", Architecture: arch}}})
	}
	dir, err := os.MkdirTemp("", "oci")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	at, err := layout.Write(dir, empty.Index)
	if err != nil {
		return err
	}
	// The name by which "podman run oci-archive:FILE:VERSION" finds the image.
	name := map[string]string{"org.opencontainers.image.ref.name": version}
	if err := at.AppendIndex(index, layout.WithAnnotations(name)); err != nil {
		return err
	}
	return archive(dir, made, to)
}

// of is the image of one program: it, and an empty folder for temporary files. Nobody is root in it.
func of(program, version, arch string, made time.Time) (v1.Image, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	folder := &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: made}
	files, err := packed(fstest.MapFS{"usr": folder, "usr/bin": folder,
		"usr/bin/cellwarden": {Data: content, Mode: 0o755, ModTime: made},
		"tmp":                {Mode: fs.ModeDir | fs.ModeSticky | 0o777, ModTime: made}})
	if err != nil {
		return nil, err
	}
	opened := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil }
	layer, err := tarball.LayerFromOpener(opened,
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	base, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1),
		types.OCIConfigJSON), &v1.ConfigFile{OS: "linux", Architecture: arch, Created: v1.Time{Time: made},
		RootFS: v1.RootFS{Type: "layers"}, Config: v1.Config{User: "65532:65532",
			Entrypoint: []string{"/usr/bin/cellwarden"}, Env: []string{"PATH=/usr/bin", "HOME=/tmp"}, Labels: map[string]string{
				"org.opencontainers.image.title": "cellwarden", "org.opencontainers.image.version": version,
				"org.opencontainers.image.source":   "https://github.com/cellwarden/cellwarden",
				"org.opencontainers.image.licenses": "Apache-2.0"}}})
	if err != nil {
		return nil, err
	}
	return mutate.Append(base, mutate.Addendum{Layer: layer,
		History: v1.History{CreatedBy: "cellwarden " + version, Created: v1.Time{Time: made}}})
}

// packed is a tar of files, in the order of their names.
func packed(files fs.FS) ([]byte, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	err := errors.Join(t.AddFS(files), t.Close())
	return b.Bytes(), err
}

// archive writes the files of a folder into a tar.
func archive(dir string, made time.Time, to string) error {
	files, folder := fstest.MapFS{}, os.DirFS(dir)
	err := fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		files[path] = &fstest.MapFile{Mode: fs.ModeDir | 0o755, ModTime: made}
		if !d.IsDir() {
			files[path].Mode = 0o644
			files[path].Data, err = fs.ReadFile(folder, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	data, err := packed(files)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
