package server

import "time"

// Clock is what the server knows of time. The commit timer, samples and the
// patience with slow subscribers run by it, so that a test can move it by hand.
type Clock interface {
	// Now is the time that answers are stamped with.
	Now() time.Time
	// AfterFunc calls f on a goroutine of its own when the duration has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a call that waits for its time.
type Timer interface {
	// Stop takes the call back. It returns false if it has begun already.
	Stop() bool
}

// machineClock is the clock of the machine.
type machineClock struct{}

func (machineClock) Now() time.Time                            { return time.Now() }
func (machineClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
