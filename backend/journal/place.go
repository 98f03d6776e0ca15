package journal

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

// Home is the directory of this user's journals: the directory for what programs want to know next time. XDG_STATE_HOME
// is the XDG Base Directory Specification's, which ignores it if it is relative.
func Home() (string, error) {
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

// ErrUnderWay says that the process that writes a journal is still running.
var ErrUnderWay = errors.New("the push is under way: another process has the journal open")

// Create makes the file of a push to a device, for its owner alone, locks it, and has its name on the disk, so that it
// is found after a crash. where is a file that is not there yet; or a directory, for a file in it with a name of its
// own; or empty, for Home, which is made if it is not there.
func Create(where, address string, now time.Time) (File, error) {
	f, err := create(where, address, now)
	if f == nil {
		return nil, err // and not a File that is nil
	}
	return f, err
}

func create(where, address string, now time.Time) (*os.File, error) {
	if info, err := os.Stat(where); where != "" && (err != nil || !info.IsDir()) {
		f, err := os.OpenFile(where, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
		return taken(f, err)
	}
	if where == "" {
		var err error
		if where, err = Home(); err != nil {
			return nil, err
		}
		if err := MakeDirectory(where); err != nil {
			return nil, err
		}
	}
	f, err := os.CreateTemp(where, fileName(address, now)) // 0600, and never an existing file
	return taken(f, err)
}

// taken locks a file that was made, and has its name on the disk. Only a process
// that lists journals can have the lock already, and not for long.
func taken(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	return f, errors.Join(lockFile(f, true), syncDirectory(filepath.Dir(f.Name())))
}

// fileName is a pattern of names: the address, when, and what makes it unique.
func fileName(address string, now time.Time) string {
	return cleanName(address) + now.UTC().Format("-20060102T150405Z") + "-*.jsonl"
}

// cleanName is an address as far as the name of a file may have it.
func cleanName(address string) string {
	const longest = 100
	clean := regexp.MustCompile(`[^A-Za-z0-9.-]+`).ReplaceAllString(address, "_")
	return clean[:min(len(clean), longest)]
}

// MakeDirectory makes a directory and those above it, for its owner alone, each on the disk.
func MakeDirectory(dir string) error {
	if info, err := os.Stat(dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%s is no directory", dir)
		}
		return nil
	}
	if up := filepath.Dir(dir); up != dir {
		if err := MakeDirectory(up); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err // another push may have made it meanwhile
	}
	return syncDirectory(filepath.Dir(dir))
}

// syncDirectory has the names in a directory on the disk. Windows cannot say so and keeps them by itself. A directory
// that may be written and not be read cannot be opened for it.
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
