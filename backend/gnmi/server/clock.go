package server

import "time"

// Clock is the time of the server. The commit timer, the intervals of samples and the
// time limits for subscribers use it, so that a test can advance time by hand.
type Clock interface {
	// Now returns the present time, which is the timestamp of answers.
	Now() time.Time
	// AfterFunc calls f in its own goroutine when the duration has passed.
	AfterFunc(d time.Duration, f func()) Timer
}

// Timer is a call that is due later.
type Timer interface {
	// Stop cancels the call. It returns false if the call has begun already.
	Stop() bool
}

// machineClock is the real time.
type machineClock struct{}

func (machineClock) Now() time.Time                            { return time.Now() }
func (machineClock) AfterFunc(d time.Duration, f func()) Timer { return time.AfterFunc(d, f) }
