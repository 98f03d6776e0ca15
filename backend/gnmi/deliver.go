package gnmi

import (
	"cmp"
	"context"
	"errors"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"

	"github.com/cellwarden/cellwarden/backend"
)

// Deliver sends a SetRequest until it is known whether the Set was made, or cannot be known. With Commits the Set is a
// commit, which the switch undoes unless it is confirmed: see Confirm and Cancel. longest is the deadline of one
// attempt; 0: Options.SetTimeout. read reads the switch, and tells whether it has all that the Set makes (holds),
// whether the Set would change nothing if the switch made it then (whole: also what is beside that is as the Set leaves
// it), and whether all of it is as it was before.
//
// If the answer does not come, the switch is read until it shows that it made the Set, or until the time that a Set may
// take is over once more: Deliver has succeeded if the Set was made. If nothing of it was made by then and the
// connection was lost, the Set is sent once more, because it cannot be under way any longer. After a deadline it is not
// sent again: the switch has taken longer than it may, and no read can rule out that it is still at work. The error is
// an *RPCError. Unless that is a backend.ErrRefused, the caller has to read the switch.
func (c *Client) Deliver(ctx context.Context, request *gpb.SetRequest, longest time.Duration,
	read func(context.Context) (holds, whole, untouched bool, err error)) error {
	look := func(ctx context.Context) (e effect, err error) {
		e.holds, e.whole, e.untouched, err = read(ctx)
		return e, err
	}
	send := func(ctx context.Context) error {
		return c.setAsCommit(ctx, request, c.setWithin(longest), look)
	}
	return c.deliver(ctx, cmp.Or(longest, c.opt.longestSet()), send, look)
}

// effect is what a switch holds of a Set, as read. All is false if it holds a part. That others have given what the Set
// makes its values does not show that the switch has made it: it has if nothing is left that the Set would change.
type effect struct {
	holds     bool // all that the Set makes
	whole     bool // it would change nothing if it came now
	untouched bool // all that was there before
}

// readEffect reads the switch, and tells what it holds of a Set.
type readEffect func(context.Context) (effect, error)

// setAsCommit sends a Set, as a commit if Commits.
func (c *Client) setAsCommit(ctx context.Context, request *gpb.SetRequest, send sendingSet, read readEffect) error {
	if sent, _ := c.Commits(); !sent {
		return c.failure("Set", send(ctx, request))
	}
	return c.commits.set(ctx, request, send, read)
}

// deliver is Deliver of a Set that send makes and sends.
func (c *Client) deliver(ctx context.Context, longest time.Duration, send func(context.Context) error,
	read readEffect) error {
	c.answer = awaited{}
	for failed, lost := 1, false; ; failed++ {
		err := send(ctx)
		switch {
		case err == nil:
			c.answer, c.unsaved, c.presumed = awaited{}, false, false
			return nil
		case !errors.Is(err, backend.ErrUnanswered):
			switch {
			case (c.answer.late || unsaved(err)) && c.made(ctx, read, !unsaved(err)): // by the attempt before, or but for the saving
				c.unsaved, c.presumed = c.unsaved || unsaved(err), true
				return nil
			case notSent(err) && ctx.Err() == nil && c.opt.Retry.again(ctx, failed):
				continue
			}
			return err
		}
		c.answer = awaitedAfter(codeOf(err), longest)
		e := c.awaitEffect(ctx, read)
		switch {
		case e.whole:
			c.answer, c.unsaved, c.presumed = awaited{}, unsaved(err), true
			c.commits.prove(ctx)
			return nil
		case codeOf(err) != codes.Unavailable || !e.untouched || lost || ctx.Err() != nil:
			return err
		}
		lost = true
	}
}

// made reads the switch and tells whether the Set was made: the switch holds it or, if whole, all that it leaves.
func (c *Client) made(ctx context.Context, read readEffect, whole bool) bool {
	e, err := read(ctx)
	if err != nil || !e.holds || whole && !e.whole {
		return false
	}
	c.answer = awaited{}
	c.commits.prove(ctx)
	return true
}

// awaitEffect reads the switch until it has made a Set that it did not answer, or until the time
// is over. A switch that cannot be read may be restarting, and is read again.
func (c *Client) awaitEffect(ctx context.Context, read readEffect) effect {
	for {
		e, err := read(ctx)
		if err != nil {
			e = effect{} // not known
		}
		if e.whole || !c.WaitForAnswer(ctx) {
			return e
		}
	}
}

// awaited is how a Set is waited for whose answer did not come.
type awaited struct {
	late    bool          // the switch may still be at work on it
	overdue bool          // it may take longer than it is waited for
	left    time.Duration // for which it is still waited
	next    time.Duration // the next pause; 0: the first
}

// stoppedPatience is how long a switch is waited for when the caller stopped the push.
const stoppedPatience = 10 * time.Second

// awaitedAfter says how a Set is waited for that may take so long. When the connection was lost, it
// is given the time that a Set may take. After a deadline, also one within the switch, it is given that time once more.
// A caller who stops a push does not wait so long, and may not learn the state.
func awaitedAfter(code codes.Code, longest time.Duration) awaited {
	a := awaited{late: true, left: longest, overdue: code == codes.DeadlineExceeded || code == codes.Unknown}
	if code == codes.Canceled {
		a.left, a.overdue = min(longest, stoppedPatience), true
	}
	return a
}

// The pauses grow, so that a Set that is over soon is found soon, and a switch that is at work is not asked too often.
const (
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

// Late tells whether the switch may still be at work on the last Set: it did not answer, and
// either the time that a Set may take is not over, or the switch has taken longer.
func (c *Client) Late() bool { return c.answer.late }

// WaitForAnswer waits before the switch is read once more. It returns false when the time is over
// in which a switch that did not answer a Set may show that it was at work.
func (c *Client) WaitForAnswer(ctx context.Context) bool {
	a := &c.answer
	if !a.late || a.left <= 0 {
		a.late = a.late && a.overdue
		return false
	}
	if a.next == 0 {
		a.next = firstPause
		if c.opt.Waiting != nil {
			c.opt.Waiting(a.left)
		}
	}
	pause := min(a.next, a.left)
	a.next, a.left = min(2*a.next, longestPause), a.left-pause
	return c.opt.Retry.wait(ctx, pause) == nil
}

// Presumed tells whether the last Set counts as made because the switch holds it, and not because the switch said so:
// another client may have written the same, in a commit that waits.
func (c *Client) Presumed() bool { return c.presumed }

// Unsaved tells whether the switch made the last Set without saying that it has saved it: a reboot may undo it.
func (c *Client) Unsaved() bool { return c.unsaved }

// LongestSet is how long one Set may take: Options.SetTimeout or its default.
func (c *Client) LongestSet() time.Duration { return c.opt.longestSet() }

// Recovery is long enough to undo a push in several Sets that each take as long as they may.
func (c *Client) Recovery() time.Duration { return time.Minute + 4*c.opt.longestSet() + c.opt.Rollback }
