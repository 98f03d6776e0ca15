package gnmi

import (
	"context"
	"fmt"

	"github.com/cellwarden/cellwarden/backend"
)

var _ backend.Confirmer = (*Client)(nil)

// The Client as a backend.Confirmer: it passes the calls on to confirmedCommits, and
// forgets its readings from before a commit was undone.

// NextCommit returns the id of the commit that the next Apply makes; empty if it makes none. A journal that has the id
// can have the commit cancelled after the process has ended: see CancelCommit.
func (c *Client) NextCommit() string {
	if sent, _ := c.Commits(); !sent {
		return ""
	}
	return c.commits.nextID()
}

// Commits tells whether Sets are sent as commits, which the switch undoes unless they are confirmed: with
// Options.Rollback, unless the switch's profile says that it does not implement Commit-confirmed. known is, in a few
// words for a report, what the switch has shown of that.
func (c *Client) Commits() (sent bool, known string) {
	sent = c.opt.Rollback > 0 && (c.profile == nil || !c.profile.NoCommit)
	switch {
	case c.opt.Rollback == 0:
		return sent, "commit-confirmed is off"
	case c.commits.support == supported:
		return sent, "commit-confirmed works"
	case c.commits.support == unsupported:
		return sent, "the switch has no commit-confirmed, or ignores it: cellwarden undoes changes itself"
	case c.commits.support == unproved:
		return sent, "commit-confirmed is not proved: the switch does not answer as the specification says"
	default:
		return sent, "commit-confirmed is not verified yet"
	}
}

// Confirm makes the pending commit permanent. If the switch refuses that, it is watched until it
// says that no commit waits, or until the time of the commit is over, and has to hold what was
// committed. Whether it was so with this commit or one before it is waited.
func (c *Client) Confirm(ctx context.Context) (waited bool, err error) {
	err = c.commits.confirm(ctx)
	if err == nil && c.commits.support == supported { // the commit was this client's
		c.presumed = false
	}
	return c.commits.watched, err
}

// Cancel has the switch undo the pending commit, and tells whether it did: one that is
// not proved to implement Commit-confirmed may have.
func (c *Client) Cancel(ctx context.Context) (bool, error) {
	if c.commits.pending == "" {
		return false, nil
	}
	c.seen, c.held = nil, false
	undone, err := c.commits.cancel(ctx)
	if undone {
		c.answer = awaited{} // it is no longer at work
	}
	return undone, err
}

// Keeps asks the switch whether a commit waits, of whichever client: a backend.ErrCommitWaits. Switches that are known
// to ignore Commit-confirmed are not asked. A switch that does not answer as the specification says is taken for one
// that keeps what it holds, and Unsure tells so.
func (c *Client) Keeps(ctx context.Context) error { return c.keeps(ctx, true) }

// Stays is Keeps for a client that only reads: it begins no commit to ask with, unless the switch says that one waits.
func (c *Client) Stays(ctx context.Context) error { return c.keeps(ctx, false) }

func (c *Client) keeps(ctx context.Context, begins bool) error {
	if c.profile != nil && c.profile.NoCommit {
		return nil
	}
	waits, known := c.commits.othersWait(ctx, begins)
	c.commits.unsure = !known
	if waits {
		return fmt.Errorf("on %s %w", c.name, backend.ErrCommitWaits)
	}
	return nil
}

// Unsure tells whether Keeps could not learn whether a commit waits.
func (c *Client) Unsure() bool { return c.commits.unsure }

// CommitWaits asks the switch whether a commit waits to be confirmed: a backend.ErrCommitWaits. After a CancelCommit it
// is one with another id. Another error says that the switch did not answer. Switches that are known to ignore
// Commit-confirmed are not asked.
func (c *Client) CommitWaits(ctx context.Context) error {
	if c.profile != nil && c.profile.NoCommit {
		return nil
	}
	return c.commits.anyWaits(ctx)
}

// CancelCommit has the switch undo a commit of an earlier client, and tells
// whether it did. It did not if that commit is not pending, or if another one is.
func (c *Client) CancelCommit(ctx context.Context, id string) (bool, error) {
	c.seen, c.held = nil, false
	return c.commits.cancelEarlier(ctx, id)
}

// MayHaveCancelled tells whether a cancellation may have undone a commit although CancelCommit says no: its answer was
// lost, and when it was sent again no commit waited.
func (c *Client) MayHaveCancelled() bool { return c.commits.doubtful }

// ConfirmCommit has the switch keep the commit of an earlier client, after Keeps has told that one waits. It forgets
// the readings from before.
func (c *Client) ConfirmCommit(ctx context.Context, id string) error {
	c.seen, c.held = nil, false
	return c.commits.confirmID(ctx, id)
}
