package journal

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cellwarden/cellwarden/backend"
	"github.com/cellwarden/cellwarden/internal/files"
)

// Unfinished is a push whose journal does not say that it ended, or says that the device was left with neither state. A
// push that was killed before its first line sent nothing and is not one.
type Unfinished struct {
	Journal string `json:"journal"`
	Target  string `json:"target,omitempty"` // none: it was killed in the first line
	// PrefixTarget is the name of the device behind a gateway.
	PrefixTarget string    `json:"prefix_target,omitempty"`
	Who          string    `json:"who,omitempty"`
	Begun        time.Time `json:"begun"`
	State        string    `json:"state"` // how far it came
}

// List reads the journals of a directory and returns the pushes that did not end,
// the newest first. A directory that is not there has none.
func (r Reader) List(dir string) ([]Unfinished, error) {
	all, err := journalsIn(dir)
	var out []Unfinished
	for _, file := range all {
		if u, open := r.unended(file); open {
			out = append(out, u)
		}
	}
	slices.SortStableFunc(out, func(a, b Unfinished) int { return b.Begun.Compare(a.Begun) })
	return out, err
}

// journalsIn are the files of a directory that may be journals. A directory that is not there has none.
func journalsIn(dir string) (out []string, err error) {
	all, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, file := range all {
		if strings.HasSuffix(file.Name(), ".jsonl") && file.Type().IsRegular() {
			out = append(out, filepath.Join(dir, file.Name()))
		}
	}
	return out, err
}

// endedFile is a journal that this process has read as ended. One that is resumed has another size.
type endedFile struct {
	name    string
	checked bool // by Reader.Values
	size    int64
	changed int64 // in ns
}

// The journals that ended, each an endedFile, and how many they are.
var (
	ended      sync.Map
	endedCount atomic.Int64
)

// unended is Unfinished, and does not read a journal again that has ended and was not written to since: each push of
// many looks for earlier ones in all journals of a directory.
func (r Reader) unended(file string) (Unfinished, bool) {
	info, err := os.Stat(file)
	if err == nil && info.Mode().IsRegular() {
		var f *os.File
		if f, err = os.Open(file); err == nil { // a file system of the network has the size that it has now
			info, err = f.Stat()
			f.Close()
		}
	}
	// What is written after this makes it another one. A push that begins may not have locked its journal yet.
	if err != nil || info.Size() == 0 {
		return r.Unfinished(file)
	}
	key := endedFile{file, r.Values != nil, info.Size(), info.ModTime().UnixNano()}
	if _, known := ended.Load(key); known {
		return Unfinished{Journal: file}, false
	}
	u, open := r.Unfinished(file)
	if !open {
		if endedCount.Add(1) > 1<<14 { // in some 4 MB
			ended.Clear()
			endedCount.Store(1)
		}
		ended.Store(key, true)
	}
	return u, open
}

// Unfinished reads one journal, and tells whether its push did not end. A file that
// cannot be read may be of such a push.
func (r Reader) Unfinished(file string) (u Unfinished, open bool) {
	u.Journal = file
	data, err := readInput(context.Background(), file)
	var p *Push
	if errors.Is(err, files.ErrKind) {
		return u, false // a pipe or a device is no journal, and opening it below could block
	}
	if err == nil {
		p, err = r.Read(data)
	}
	if err != nil {
		if info, bad := os.Stat(file); bad == nil {
			u.Begun = info.ModTime().UTC().Truncate(time.Second)
		}
		u.State, open = err.Error(), !errors.Is(err, ErrNothingSent) || errors.Is(underWay(file), ErrUnderWay)
	} else {
		u.Target, u.Who, u.Begun, u.State, open = p.Start.Target, p.Start.Who, p.Start.Time, p.Progress(), p.Open()
		u.PrefixTarget = p.Start.PrefixTarget
	}
	if open && errors.Is(underWay(file), ErrUnderWay) {
		u.State = stateUnderWay
	}
	return u, open
}

// UnderWay tells whether another process is still writing the journal.
func (u Unfinished) UnderWay() bool { return u.State == stateUnderWay }

const stateUnderWay = "under way"

// underWay returns ErrUnderWay for a journal that is being written.
func underWay(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return lockFile(f, false)
}

// later returns the journal of a push to the same device that began after this one, in the same
// directory, and that has changed the device as far as its journal tells, or "".
func (p *Push) later() string {
	all, err := journalsIn(filepath.Dir(p.File))
	if err != nil {
		return ""
	}
	for _, name := range all {
		if name == p.File {
			continue
		}
		if other, err := (Reader{}).ReadFile(name); err == nil && other.Replaces(p) {
			return name
		}
	}
	return ""
}

// Replaced tells whether a push to the same device that began after this one may have changed it, by the journals in
// the same directory. Of a push in the future, because the clock was set back, it is not known which came after it.
func (p *Push) Replaced(now time.Time) bool { return p.Start.Time.After(now) || p.later() != "" }

// Replaces tells whether a push has begun after another of the same device and has changed it, as far as its journal
// tells.
func (p *Push) Replaces(earlier *Push) bool {
	mine, its := &p.Start, &earlier.Start
	return mine.Target == its.Target && mine.PrefixTarget == its.PrefixTarget && mine.Time.After(its.Time) && p.changed()
}

// changed tells whether a push may have left the device with other values than before.
func (p *Push) changed() bool {
	switch backend.State(p.Last.State) {
	case backend.Unchanged, backend.Refused, backend.RolledBack:
		return p.Resumed
	}
	return p.Last.Kind != kindStart
}

// OfDevice lists the pushes to a device that did not end, the newest first: those whose journals are in Home, in other
// directories, or where the locks of the device say. locks are the names by which the device is locked; same tells
// whether a journal is about the device. What cannot be read is left out.
func (r Reader) OfDevice(locks []string, same func(Unfinished) bool, dirs ...string) []Unfinished {
	if home, err := Home(); err == nil {
		dirs = append([]string{home}, dirs...)
	}
	var out []Unfinished
	add := func(u Unfinished) {
		known := func(other Unfinished) bool { return sameFile(other.Journal, u.Journal) }
		if same(u) && !slices.ContainsFunc(out, known) {
			out = append(out, u)
		}
	}
	for _, dir := range dirs {
		all, _ := r.List(dir)
		for _, u := range all {
			add(u)
		}
	}
	for _, name := range locks {
		for _, file := range journalsOf(name) {
			if u, open := r.unended(file); open {
				add(u)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Unfinished) int { return b.Begun.Compare(a.Begun) })
	return out
}

// sameFile tells whether two names are of one file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	other, bad := os.Stat(b)
	return a == b || err == nil && bad == nil && os.SameFile(one, other)
}

// mostNoted is the largest number of journals that a lock names: a device has few pushes that did not end.
const mostNoted = 64

// journalsOf are the journals that the lock of a device names.
func journalsOf(address string) []string {
	home, err := Home()
	if err != nil {
		return nil
	}
	f, err := os.Open(filepath.Join(filepath.Dir(home), "locks", lockName(address)))
	if err != nil {
		return nil
	}
	defer f.Close()
	return readHolder(f).Journals
}

// readHolder reads what a lock says; the zero holder if it says nothing.
func readHolder(f io.Reader) (h holder) {
	if text, err := io.ReadAll(io.LimitReader(f, 1<<20)); err == nil {
		_ = json.Unmarshal(text, &h)
	}
	return h
}

// Notes writes the journal of a push into the lock, so that a later push finds it wherever it is. A nil Lock notes
// nothing.
func (l *Lock) Notes(file string) {
	if l == nil {
		return
	}
	if whole, err := filepath.Abs(file); err == nil {
		file = whole
	}
	l.holder.Journals = append(l.holder.Journals, file)
	l.write(l.holder)
}

// stillOpen keeps of journals those whose push did not end, the newest of them.
func stillOpen(all []string) []string {
	var out []string
	for _, file := range all {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if _, open := (Reader{}).Unfinished(file); open {
			out = append(out, file)
		}
	}
	return out[max(0, len(out)-mostNoted):]
}
