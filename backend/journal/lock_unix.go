//go:build unix && !solaris && !aix

package journal

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a file for this process, for as long as it is open: the system lets go of it when the process dies,
// however it does. If another has it, it waits or is refused. A file system without locks lets everybody have it.
func lockFile(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	if err := syscall.Flock(int(f.Fd()), how); errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrUnderWay
	}
	return nil
}
