package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"runtime/debug"
)

// component is a component of CycloneDX 1.6.
type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// sbom writes what the Go toolchain wrote into a program: its modules, each with its version, and the standard library.
func sbom(program, to string) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	main := module("application", &info.Main)
	main.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	parts := []component{{Type: "library", Ref: "pkg:golang/std@" + info.GoVersion, Name: "std", Version: info.GoVersion,
		PURL: "pkg:golang/std@" + info.GoVersion}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		parts = append(parts, module("library", d))
	}
	text, err := json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
		"metadata": map[string]any{"component": main}, "components": parts}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(to, append(text, '\n'), 0o644)
}

// module is a module as a component. Its address is a package URL of type golang.
func module(kind string, m *debug.Module) component {
	address := fmt.Sprintf("pkg:golang/%s@%s", m.Path, url.QueryEscape(m.Version))
	return component{Type: kind, Ref: address, Name: m.Path, Version: m.Version, PURL: address}
}
