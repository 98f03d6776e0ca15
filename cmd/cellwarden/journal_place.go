package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"time"
)

// noJournal are the values of --journal that switch it off.
var noJournal = map[string]bool{"off": true, "none": true}

// journalsHome is where journals go unless --journal says otherwise: the user's
// own directory for what programs want to know next time. XDG_STATE_HOME is the
// XDG Base Directory Specification's, which ignores it if it is relative.
func journalsHome() (string, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		var err error
		switch runtime.GOOS {
		case "windows":
			state, err = os.UserCacheDir() // %LocalAppData%, which nothing empties
		case "darwin", "ios":
			state, err = os.UserConfigDir() // caches are emptied there
		default:
			state, err = os.UserHomeDir()
			state = filepath.Join(state, ".local", "state")
		}
		if err != nil {
			return "", err
		}
	}
	return filepath.Join(state, "cellwarden", "journals"), nil
}

// errUnderWay says that the process that writes a journal lives.
var errUnderWay = errors.New("its push is under way: another process has the journal")

// createJournal makes the file of a push, which nobody has yet, for its owner
// alone, and sees to it that it is found after a crash. It is the file of
// --journal; or, if that is a directory or nothing was said, one in there with
// a name of its own.
func createJournal(where, address string, now time.Time) (*os.File, error) {
	if info, err := os.Stat(where); where != "" && (err != nil || !info.IsDir()) {
		f, err := os.OpenFile(where, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		return taken(f, err)
	}
	if where == "" {
		var err error
		if where, err = journalsHome(); err != nil {
			return nil, err
		}
		if err := makeDirectory(where); err != nil {
			return nil, err
		}
	}
	f, err := os.CreateTemp(where, journalName(address, now)) // 0600, and never one that is there
	return taken(f, err)
}

// taken locks a file that was made, and has its name on the disk. Nobody but who
// lists it can have the lock already, and not for long.
func taken(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	return f, errors.Join(lockFile(f, true), syncDirectory(filepath.Dir(f.Name())))
}

// journalName is a pattern of names: the address, when, and what makes it unique.
func journalName(address string, now time.Time) string {
	const longest = 100
	clean := regexp.MustCompile(`[^A-Za-z0-9.-]+`).ReplaceAllString(address, "_")
	return clean[:min(len(clean), longest)] + now.UTC().Format("-20060102T150405Z") + "-*.jsonl"
}

// makeDirectory makes a directory and those above it, for its owner alone, each
// on the disk.
func makeDirectory(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is no directory", dir)
		}
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := makeDirectory(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err // another push may have made it meanwhile
	}
	return syncDirectory(filepath.Dir(dir))
}

// syncDirectory has the names in a directory on the disk. Windows cannot say so
// and keeps them by itself. A directory that may be written and not be read
// cannot be opened for it.
func syncDirectory(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
