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

// confirmedCommits is what a client knows of Commit-confirmed on its switch
// (gnmi-commit-confirmed.md). Some switches ignore the extension and answer OK.
// So it is proved before anything relies on it: while a commit waits, a second
// one with another id has to be refused with FAILED_PRECONDITION.
type confirmedCommits struct {
	*session
	support  commitSupport
	idPrefix string                              // of the ids, so that nobody else has the same
	count    int                                 // of ids that were used
	waiting  string                              // id of the commit that may wait; empty: none does
	at       *gpb.Path                           // prefix of its Set; nil: OpenConfig's
	holds    func(context.Context) (bool, error) // whether the switch has what was committed
}

// commitSupport is whether a switch implements Commit-confirmed.
type commitSupport int

const (
	supportUnknown commitSupport = iota
	supported
	unsupported
)

func newConfirmedCommits(s *session) confirmedCommits {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	return confirmedCommits{session: s, idPrefix: "cellwarden-" + hex.EncodeToString(random[:])}
}

// nextID is the id that the next Set gives its commit; empty: it makes none.
func (c *confirmedCommits) nextID() string {
	if c.opt.Rollback == 0 || c.support == unsupported {
		return ""
	}
	return fmt.Sprintf("%s-%d", c.idPrefix, c.count+1)
}

// attach asks that a Set be undone unless it is confirmed. One that is sent again
// keeps its id: the first may have arrived.
func (c *confirmedCommits) attach(request *gpb.SetRequest) (fresh bool) {
	id := c.nextID()
	if fresh = c.waiting == ""; !fresh {
		id = c.waiting
	}
	if id == "" {
		return fresh
	}
	if fresh {
		c.count++
		c.waiting = id
	}
	c.at = request.Prefix
	request.Extension = extension(&gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(c.opt.Rollback)}}})
	return fresh
}

func extension(commit *gnmi_ext.Commit) []*gnmi_ext.Extension {
	return []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: commit}}}
}

// set sends a Set as a commit, where the switch may have Commit-confirmed. send sends
// it once. holds tells whether the switch has what the Set makes.
func (c *confirmedCommits) set(ctx context.Context, request *gpb.SetRequest, send func(context.Context, *gpb.SetRequest) error, holds func(context.Context) (bool, error)) error {
	c.holds = holds
	fresh := c.attach(request)
	err := send(ctx, request)
	if codeOf(err) == codes.Unimplemented && request.Extension != nil && c.support == supportUnknown {
		c.log.Info("the switch has no commit-confirmed", "target", c.name)
		c.support, request.Extension = unsupported, nil
		err = send(ctx, request)
	}
	failed := c.failure("Set", err)
	if fresh && errors.Is(failed, backend.ErrRefused) {
		c.waiting = ""
	} else if failed == nil {
		c.prove(ctx)
	}
	return failed
}

// prove tries a second commit, which is empty, while one waits. If it is taken,
// the switch ignores the extension; in case it does not, after all, both are
// confirmed.
func (c *confirmedCommits) prove(ctx context.Context) {
	if c.waiting == "" || c.support != supportUnknown {
		return
	}
	other := c.waiting + "-proof"
	err := c.extended(ctx, &gnmi_ext.Commit{Id: other, Action: &gnmi_ext.Commit_Commit{Commit: &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(c.opt.Rollback)}}})
	switch {
	case codeOf(err) == codes.FailedPrecondition:
		c.support = supported
		return
	case err != nil && passing(err):
		return // nobody knows: it is asked for again with the next commit
	}
	for _, id := range []string{other, c.waiting} {
		_ = c.extended(ctx, &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}})
	}
	c.support, c.waiting = unsupported, ""
}

// extended sends a Set that has nothing but the extension.
func (c *confirmedCommits) extended(ctx context.Context, commit *gnmi_ext.Commit) error {
	_, err := retried(ctx, c.session, func(ctx context.Context) (*gpb.SetResponse, error) {
		return c.stub.Set(ctx, &gpb.SetRequest{Prefix: cmp.Or(c.at, c.prefix()), Extension: extension(commit)}, c.opt.limits()...)
	})
	return err
}

// confirm lets the commit that waits be lasting. If none does any more, because
// an answer was lost or the time ran out, the switch is read: it has to hold what
// was committed.
func (c *confirmedCommits) confirm(ctx context.Context) error {
	if c.waiting == "" {
		return nil
	}
	err := c.extended(ctx, &gnmi_ext.Commit{Id: c.waiting, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}})
	if codeOf(err) == codes.FailedPrecondition {
		holds, look := c.holds(ctx)
		if look != nil {
			return look
		}
		if !holds {
			return fmt.Errorf("%s undid the commit before it was confirmed: %w", c.name, c.failure("Set", err))
		}
		err = nil
	}
	if err == nil {
		c.log.Info("commit confirmed", "commit", c.waiting)
		c.waiting = ""
	}
	return c.failure("Set", err)
}

// cancel has the switch undo the commit that waits, and tells whether it did.
func (c *confirmedCommits) cancel(ctx context.Context) (bool, error) {
	if c.waiting == "" {
		return false, nil
	}
	undone, err := c.cancelID(ctx, c.waiting)
	if err == nil {
		c.waiting = ""
	}
	return undone, err
}

// cancelID has the switch undo a commit of an earlier client, and tells
// whether it did: it does not if that does not wait, or if another one does.
func (c *confirmedCommits) cancelID(ctx context.Context, id string) (bool, error) {
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
