package journal

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Lock keeps the pushes of one user of this machine to one device apart: the first has the lock until it ends, however
// it does, and the others are refused. It is a file beside the directory of the journals, which stays. Two names of one
// device have two locks. On systems without flock, such as Windows, it locks nothing.
type Lock struct {
	file   *os.File
	holder holder // what is written in it
}

// HeldError says that another process has the lock of a device.
type HeldError struct {
	Target string
	Holder holder // the zero Holder: not known
}

// holder is the process that has a lock.
type holder struct {
	PID   int       `json:"pid"`
	Who   string    `json:"who"`
	Since time.Time `json:"since"`
	// Journals are those of pushes to the device that did not end, as far as it is known.
	Journals []string `json:"journals,omitempty"`
}

// Error names the process.
func (e *HeldError) Error() string {
	if e.Holder.PID == 0 {
		return fmt.Sprintf("another process is pushing to %s", e.Target)
	}
	return fmt.Sprintf("another process is pushing to %s: process %d of %s, since %s", e.Target, e.Holder.PID,
		e.Holder.Who,
		e.Holder.Since.UTC().Format("2006-01-02 15:04:05Z"))
}

// LockTarget takes the lock of a device, whose address should have one form. If another process
// has it, the error is a *HeldError. Any other error says that there is no place for the lock.
func LockTarget(address string, now time.Time) (*Lock, error) {
	home, err := Home()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(filepath.Dir(home), "locks")
	if err := MakeDirectory(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, lockName(address)), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lockFile(f, false); err != nil {
		defer f.Close()
		// The holder may not have written its name yet.
		return nil, &HeldError{Target: address, Holder: readHolder(f)}
	}
	l := &Lock{file: f, holder: holder{PID: os.Getpid(), Who: whoAmI(), Since: now.UTC().Truncate(time.Second),
		Journals: stillOpen(readHolder(f).Journals)}}
	l.write(l.holder)
	return l, nil
}

// write writes who has the lock. What is in the file is for people and for later pushes: the lock is the lock without
// it, on a full disk too.
func (l *Lock) write(h holder) {
	text, _ := json.Marshal(h)
	_ = l.file.Truncate(0)
	_, _ = l.file.WriteAt(append(text, '\n'), 0)
}

// lockName is the name of a device's file: the address as far as a name may have it, and what tells it from others.
func lockName(address string) string {
	address = strings.ToLower(address)
	return fmt.Sprintf("%s-%.8x.lock", cleanName(address), sha256.Sum256([]byte(address)))
}

// Release lets the next push have the device. A nil Lock has nothing to release.
func (l *Lock) Release() {
	if l == nil {
		return
	}
	_ = l.file.Truncate(0)
	if left := stillOpen(l.holder.Journals); len(left) > 0 {
		l.write(holder{Journals: left})
	}
	_ = l.file.Close()
}
