package gnmi

import (
	"context"

	"github.com/cellwarden/cellwarden/backend"
)

var _ backend.Confirmer = (*Client)(nil)

// NextCommit is the id that the next Apply gives its commit; empty: it makes
// none. Who writes it down can have it cancelled later: see CancelCommit.
func (c *Client) NextCommit() string {
	if !c.Commits() {
		return ""
	}
	return c.commits.nextID()
}

// Commits tells whether Sets are sent as commits, which the switch undoes unless
// they are confirmed: with Options.Rollback, unless the switch's profile says that
// it does not know commits.
func (c *Client) Commits() bool {
	return c.opt.Rollback > 0 && (c.profile == nil || !c.profile.NoCommit)
}

// CommitText says in few words whether the switch undoes by itself what is not
// confirmed.
func (c *Client) CommitText() string {
	switch {
	case c.opt.Rollback == 0:
		return "commit-confirmed is not asked for"
	case c.commits.support == supported:
		return "commit-confirmed is proved"
	case c.commits.support == unsupported:
		return "it has no commit-confirmed, or ignores it: steps are undone one by one"
	default:
		return "commit-confirmed is not proved yet"
	}
}

// Confirm lets the commit that waits be lasting. If none does any more, because
// an answer was lost or the time ran out, the switch is read: it has to hold what
// was committed.
func (c *Client) Confirm(ctx context.Context) error { return c.commits.confirm(ctx) }

// Cancel has the switch undo the commit that waits, and tells whether it did.
func (c *Client) Cancel(ctx context.Context) (bool, error) {
	if c.commits.waiting == "" {
		return false, nil
	}
	c.seen = nil
	return c.commits.cancel(ctx)
}

// CancelCommit has the switch undo a commit of an earlier client, and tells
// whether it did: it does not if that does not wait, or if another one does.
func (c *Client) CancelCommit(ctx context.Context, id string) (bool, error) {
	c.seen = nil
	return c.commits.cancelID(ctx, id)
}
