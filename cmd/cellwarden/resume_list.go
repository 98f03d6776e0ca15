package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/backend"
)

// unfinished is a push whose journal does not say that it ended, or says that
// the switch was left with neither state.
type unfinished struct {
	Journal string    `json:"journal"`
	Target  string    `json:"target,omitempty"` // none: it was killed in the first line
	Who     string    `json:"who,omitempty"`
	Begun   time.Time `json:"begun"`
	State   string    `json:"state"`
}

// unfinishedJSON is a list of them.
type unfinishedJSON struct {
	Schema     string       `json:"schema"`
	Directory  string       `json:"directory"`
	Unfinished []unfinished `json:"unfinished"` // the newest first
}

// journalsIn returns the directory whose journals are to be listed; none for
// an argument that is a journal.
func journalsIn(args []string) (string, error) {
	if len(args) == 0 {
		dir, err := journalsHome()
		if err != nil {
			return "", exit{exitUsage, fmt.Errorf("there is no directory of journals: %w: accepted: a JOURNAL, or a directory of them", err)}
		}
		return dir, nil
	}
	if info, err := os.Stat(args[0]); err == nil && info.IsDir() {
		return args[0], nil
	}
	return "", nil
}

// list prints the pushes of a directory that did not end.
func (f *resumeFlags) list(cmd *cobra.Command, dir string) error {
	if f.undo || f.dryRun {
		return exit{exitUsage, fmt.Errorf("--undo and --dry-run are of one push: accepted: with a JOURNAL; %s alone lists them", cmd.CommandPath())}
	}
	all, err := findUnfinished(dir)
	if err != nil {
		return exit{exitFailure, err}
	}
	out := &report{}
	s := section{title: "Pushes that did not end", columns: []string{"begun", "target", "by", "state", "journal"}}
	for _, u := range all {
		s.row(u.Begun.Format("2006-01-02 15:04:05Z"), dash(u.Target), dash(u.Who), u.State, u.Journal)
	}
	if len(all) == 0 {
		out.head = []string{"nothing is unfinished in " + dir}
	} else {
		out.sections = []section{s}
		out.foot = []string{"cellwarden resume JOURNAL finishes one; with --undo it leads back. One that no longer matters is forgotten by removing its file"}
	}
	return failure(out.write(cmd.OutOrStdout(), f.format, unfinishedJSON{"cellwarden.journals/v1", dir, append([]unfinished{}, all...)}))
}

// findUnfinished reads the journals of a directory. One that is not there has
// none.
func findUnfinished(dir string) ([]unfinished, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []unfinished
	for _, file := range files {
		if !strings.HasSuffix(file.Name(), ".jsonl") || !file.Type().IsRegular() {
			continue
		}
		u, open := lookAt(filepath.Join(dir, file.Name()))
		if open {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, func(a, b unfinished) int { return b.Begun.Compare(a.Begun) })
	return out, err
}

// lookAt tells what a journal says of its push, and whether that did not end. A
// file that cannot be read may be one of them.
func lookAt(file string) (u unfinished, open bool) {
	u.Journal = file
	data, err := os.ReadFile(file)
	var s *story
	if err == nil {
		s, err = readJournal(data)
	}
	if err != nil {
		if info, bad := os.Stat(file); bad == nil {
			u.Begun = info.ModTime().UTC().Truncate(time.Second)
		}
		u.State, open = err.Error(), true
	} else {
		u.Target, u.Who, u.Begun, u.State, open = s.start.Target, s.start.Who, s.start.Time, s.stateText(), s.open()
	}
	if open && errors.Is(underWay(file), errUnderWay) {
		u.State = "under way"
	}
	return u, open
}

// underWay returns errUnderWay for a journal that is being written.
func underWay(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return lockFile(f, false)
}

// open tells whether there is something to finish or to undo. A push that was
// refused or undone has what it had; if it was resumed, what it had then may be
// half of the plan.
func (s *story) open() bool {
	switch backend.State(s.last.State) {
	case backend.Applied:
		return false
	case backend.Refused, backend.RolledBack:
		return s.resumed
	case backend.Unchanged:
		return s.last.Error != "" // it could not be told
	}
	return true
}

// stateText says how far a push came.
func (s *story) stateText() string {
	done := map[bool]string{false: "sent", true: "undone"}[s.last.Phase < 0]
	phase := max(s.last.Phase, -s.last.Phase)
	switch s.last.Kind {
	case "start":
		return "nothing was sent"
	case "send":
		return fmt.Sprintf("phase %d was being %s", phase, done)
	case "sent":
		return fmt.Sprintf("phase %d was %s", phase, done)
	case "confirm":
		return "it was being confirmed"
	case "cancel":
		return "it was being undone"
	case "resume":
		return "it was being resumed"
	default:
		return s.lastText()
	}
}
