package gnmi

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/cellwarden/cellwarden/backend"
)

// commits is what a client knows of Commit-confirmed on its switch
// (gnmi-commit-confirmed.md). Some switches ignore the extension and answer OK.
// So it is proved before anything relies on it: while a commit waits, a second
// one with another id has to be refused with FAILED_PRECONDITION.
type commits struct {
	proof   proof
	prefix  string                              // of the ids, so that nobody else has the same
	count   int                                 // of ids that were used
	waiting string                              // id of the commit that may wait; empty: none does
	at      *gpb.Path                           // the prefix of its Set
	holds   func(context.Context) (bool, error) // whether the switch has what was committed
}

// proof is whether a switch implements Commit-confirmed.
type proof int

const (
	unproved proof = iota
	proved
	lacking
)

func newCommits() commits {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	return commits{prefix: prefix + hex.EncodeToString(random[:])}
}

var _ backend.Confirmer = (*Client)(nil)

// NextCommit is the id that the next Apply gives its commit; empty: it makes
// none. Who writes it down can have it cancelled later: see CancelCommit.
func (c *Client) NextCommit() string {
	if !c.Commits() || c.commit.proof == lacking {
		return ""
	}
	return fmt.Sprintf("%s-%d", c.commit.prefix, c.commit.count+1)
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
	case c.commit.proof == proved:
		return "commit-confirmed is proved"
	case c.commit.proof == lacking:
		return "it has no commit-confirmed, or ignores it: steps are undone one by one"
	default:
		return "commit-confirmed is not proved yet"
	}
}

// begin asks that a Set be undone unless it is confirmed. One that is sent again
// keeps its id: the first may have arrived.
func (c *Client) begin(request *gpb.SetRequest) (fresh bool) {
	id := c.NextCommit()
	if fresh = c.commit.waiting == ""; !fresh {
		id = c.commit.waiting
	}
	if id == "" {
		return fresh
	}
	if fresh {
		c.commit.count++
		c.commit.waiting = id
	}
	c.commit.at = request.Prefix
	request.Extension = extension(&gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(c.opt.Rollback)}}})
	return fresh
}

func extension(commit *gnmi_ext.Commit) []*gnmi_ext.Extension {
	return []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: commit}}}
}

// prove tries a second commit, which is empty, while one waits. If it is taken,
// the switch ignores the extension; in case it does not, after all, both are
// confirmed.
func (c *Client) prove(ctx context.Context) {
	if c.commit.waiting == "" || c.commit.proof != unproved {
		return
	}
	other := c.commit.waiting + "-proof"
	err := c.extended(ctx, &gnmi_ext.Commit{Id: other, Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(c.opt.Rollback)}}})
	switch {
	case codeOf(err) == codes.FailedPrecondition:
		c.commit.proof = proved
		return
	case err != nil && passing(err):
		return // nobody knows: it is asked for again with the next commit
	}
	for _, id := range []string{other, c.commit.waiting} {
		_ = c.extended(ctx, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}})
	}
	c.commit.proof, c.commit.waiting = lacking, ""
}

// committed sends a Set as a commit, where the switch may have Commit-confirmed.
// send sends it once.
func (c *Client) committed(ctx context.Context, request *gpb.SetRequest, send func(context.Context, *gpb.SetRequest) error) error {
	fresh := c.begin(request)
	err := send(ctx, request)
	if err != nil && codeOf(err) == codes.Unimplemented && request.Extension != nil && c.commit.proof == unproved {
		c.log.Info("the switch has no commit-confirmed", "target", c.name)
		c.commit.proof, request.Extension = lacking, nil
		err = send(ctx, request)
	}
	failed := c.failure("Set", err)
	if fresh && errors.Is(failed, backend.ErrRefused) {
		c.commit.waiting = ""
	} else if failed == nil {
		c.prove(ctx)
	}
	return failed
}

// extended sends a Set that has nothing but the extension.
func (c *Client) extended(ctx context.Context, commit *gnmi_ext.Commit) error {
	_, err := ask(ctx, c, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, &gpb.SetRequest{Prefix: cmp.Or(c.commit.at, c.prefix()), Extension: extension(commit)}, c.opt.limits()...)
	})
	return err
}

// Confirm lets the commit that waits be lasting. If none does any more, because
// an answer was lost or the time ran out, the switch is read: it has to hold what
// was committed.
func (c *Client) Confirm(ctx context.Context) error {
	if c.commit.waiting == "" {
		return nil
	}
	err := c.extended(ctx, &gnmi_ext.Commit{Id: c.commit.waiting, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}})
	if codeOf(err) == codes.FailedPrecondition {
		holds, look := c.commit.holds(ctx)
		if look != nil {
			return look
		}
		if !holds {
			return fmt.Errorf("%s undid the commit before it was confirmed: %w", c.name, c.failure("Set", err))
		}
		err = nil
	}
	if err == nil {
		c.log.Info("commit confirmed", "commit", c.commit.waiting)
		c.commit.waiting = ""
	}
	return c.failure("Set", err)
}

// Cancel has the switch undo the commit that waits, and tells whether it did.
func (c *Client) Cancel(ctx context.Context) (bool, error) {
	if c.commit.waiting == "" {
		return false, nil
	}
	undone, err := c.CancelCommit(ctx, c.commit.waiting)
	if err == nil {
		c.commit.waiting = ""
	}
	return undone, err
}

// CancelCommit has the switch undo a commit of an earlier client, and tells
// whether it did: it does not if that does not wait, or if another one does.
func (c *Client) CancelCommit(ctx context.Context, id string) (bool, error) {
	c.seen = nil
	err := c.extended(ctx, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}})
	switch codeOf(err) {
	case codes.OK:
		c.log.Info("commit cancelled", "commit", id)
		return true, nil
	case codes.FailedPrecondition, codes.InvalidArgument, codes.Unimplemented:
		return false, nil
	}
	return false, c.failure("Set", err)
}

// leastRollback is the shortest time that a switch may be asked to wait: a read
// and a confirmation have to fit in it.
const leastRollback = time.Second
