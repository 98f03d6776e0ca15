package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/audit/hwsku"
	"github.com/cellwarden/cellwarden/audit/revision"
)

// compared audits hwsku folders in the work tree and at a revision of git, and keeps the findings that the work tree
// brings in. Findings are compared by what they are about, and not by their lines, which move.
func (a *auditor) compared(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return exit{exitUsage, fmt.Errorf("--since: %s: accepted: a folder of hwskus in a work tree of git", path)}
	}
	tree, below, err := hwsku.Open(path)
	if err != nil {
		return exit{exitUsage, err}
	}
	defer tree.Close()
	old, err := revision.Open(a.cmd.Context(), tree.Path, a.since)
	if err != nil {
		return exit{exitUsage, fmt.Errorf("--since: %w", err)}
	}
	defer old.Close()
	before := auditor{auditFlags: a.auditFlags, cmd: a.cmd, chip: a.chip}
	if there := filepath.Join(old.Path, filepath.FromSlash(below)); isFolder(there) {
		if err := before.revision(there); err != nil {
			return err
		}
	}
	if err := a.folder(path); err != nil {
		return err
	}
	a.out.since = a.since
	a.out.keepNew(before.out.Findings)
	return nil
}

// revision audits the folders of a revision. One without hwsku folders has no findings.
func (a *auditor) revision(path string) error {
	tree, below, err := hwsku.Open(path)
	if err != nil {
		return exit{exitFailure, err}
	}
	defer tree.Close()
	folders, _, err := tree.Folders(a.cmd.Context(), below)
	if err != nil {
		return exit{exitFailure, err}
	}
	if len(folders) == 0 {
		return nil
	}
	return a.folders(a.cmd.Context(), tree, folders, a.options())
}

// keepNew keeps the findings that were not there before, and counts those that were.
func (r *auditReport) keepNew(before []audit.Finding) {
	known := map[string]bool{}
	for i := range before {
		known[before[i].Key()] = true
	}
	left := map[string]bool{}
	for i := range r.Findings {
		left[r.Findings[i].Key()] = true
	}
	r.Before = len(known)
	for key := range known {
		if !left[key] {
			r.Mended++
		}
	}
	r.Findings = slices.DeleteFunc(r.Findings, func(f audit.Finding) bool { return known[f.Key()] })
}
