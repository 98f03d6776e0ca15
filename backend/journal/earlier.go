package journal

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
)

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
