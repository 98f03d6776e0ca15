//go:build unix

package files

import "syscall"

// atOnce opens a pipe without waiting for its writer, and a terminal without making it the one of this process.
const atOnce = syscall.O_NONBLOCK | syscall.O_NOCTTY
