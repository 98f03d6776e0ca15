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

// confirmedCommits are the Sets that the switch undoes by itself unless they are confirmed in time
// (gnmi-commit-confirmed.md). In this package a commit is such a Set, and nothing else.
//
// Some switches ignore the extension and answer OK, and some answer every Set without changes with the same error. So
// the client proves that the switch implements the extension before it relies on it. The proof is two answers that the
// specification documents for a pending commit: INVALID_ARGUMENT to a confirmation with another id (3.2.2), and
// FAILED_PRECONDITION to a second commit (3.2.1).
//
// A commit counts as confirmed if the switch says so, or if the switch still has it after the time
// in which it would have undone it.
type confirmedCommits struct {
	*session
	support  commitSupport
	idPrefix string     // random, so that no other client has the same ids
	count    int        // how many ids were used
	pending  string     // the id of the commit that may be pending; empty: none is
	answered time.Time  // when its Set was answered, or was sent
	unsure   bool       // whether a commit of others waits could not be learned
	watched  bool       // a confirmation was refused, and the switch was watched instead
	lost     bool       // the answer to a request of the last sendExtension was lost, and it was sent again
	doubtful bool       // a cancellation was lost in this way, and refused when it was sent again
	refusal  codes.Code // of the last cancellation; OK: it was made
	prefixOf *gpb.Path  // the prefix of its Set; nil: OpenConfig's
	read     readEffect // whether the switch has what was committed
}

// sendingSet sends a Set once.
type sendingSet func(context.Context, *gpb.SetRequest) error

// commitSupport is whether a switch implements Commit-confirmed.
type commitSupport int

const (
	supportUnknown commitSupport = iota
	supported
	unsupported // the switch has no such extension, or ignores it
	unproved    // it does not answer as the specification says: it may have the extension
)

func newConfirmedCommits(s *session) confirmedCommits {
	var random [6]byte
	_, _ = rand.Read(random[:]) // it never fails
	return confirmedCommits{session: s, idPrefix: "cellwarden-" + hex.EncodeToString(random[:])}
}

// nextID is the id of the next commit; empty if the next Set makes none.
func (c *confirmedCommits) nextID() string {
	if c.opt.Rollback == 0 || c.support == unsupported {
		return ""
	}
	return fmt.Sprintf("%s-%d", c.idPrefix, c.count+1)
}

// attach makes a Set a commit, and tells whether it is a new one. A Set that is sent
// again keeps the id of the first, which may have arrived.
func (c *confirmedCommits) attach(request *gpb.SetRequest) (fresh bool) {
	id := c.nextID()
	if fresh = c.pending == ""; !fresh {
		id = c.pending
	}
	if id == "" {
		return fresh
	}
	if fresh {
		c.count++
		c.pending, c.answered = id, time.Now()
	}
	c.prefixOf = request.Prefix
	request.Extension = extension(c.begin(id))
	return fresh
}

// begin is the extension's message that begins a commit. A client that sends none otherwise begins
// one to ask whether another waits.
func (c *confirmedCommits) begin(id string) *gnmi_ext.Commit {
	request := &gnmi_ext.CommitRequest{RollbackDuration: durationpb.New(cmp.Or(c.opt.Rollback, time.Minute))}
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Commit{Commit: request}}
}

// confirmation is the extension's message that confirms a commit.
func confirmation(id string) *gnmi_ext.Commit {
	return &gnmi_ext.Commit{Id: id, Action: &gnmi_ext.Commit_Confirm{Confirm: &gnmi_ext.CommitConfirm{}}}
}

func extension(commit *gnmi_ext.Commit) []*gnmi_ext.Extension {
	return []*gnmi_ext.Extension{{Ext: &gnmi_ext.Extension_Commit{Commit: commit}}}
}

// set sends a Set as a commit, if the switch may implement Commit-confirmed, and without the extension if it answers
// that it does not. send sends it once. read tells whether the switch has what the Set makes.
func (c *confirmedCommits) set(ctx context.Context, request *gpb.SetRequest, send sendingSet, read readEffect) error {
	c.read = read
	fresh := c.attach(request)
	err := send(ctx, request)
	if codeOf(err) == codes.Unimplemented && request.Extension != nil && c.support != supported {
		c.log.Info("the switch has no commit-confirmed", "target", c.name)
		c.support, c.pending, request.Extension = unsupported, "", nil
		err = send(ctx, request)
	}
	failed := c.failure("Set", err)
	if fresh && c.pending != "" && codeOf(err) == codes.FailedPrecondition {
		failed = c.sentTwice(ctx, failed)
	}
	if fresh && errors.Is(failed, backend.ErrRefused) {
		c.pending = "" // a Set that is refused begins no commit
	} else if failed == nil {
		c.prove(ctx)
	}
	return failed
}

// sentTwice has the switch undo the commit of a Set that it refused because a commit waits: a proxy that lost the
// answer may have sent the Set again, and the commit that waits is the Set's own.
func (c *confirmedCommits) sentTwice(ctx context.Context, refusal error) error {
	if _, err := c.cancelID(ctx, c.pending); err != nil {
		return err // it may wait
	}
	return refusal
}

// prove asks the switch for the two answers that only one with a pending commit gives. One that accepts either request
// ignores the extension, or does not look at the id. Both commits are confirmed then, so that a switch that implements
// it after all undoes neither. A request that is not answered proves nothing, and the next commit is proved.
func (c *confirmedCommits) prove(ctx context.Context) {
	c.answered = time.Now() // or read to be made, where the answer did not come
	if c.pending == "" || c.support != supportUnknown {
		return
	}
	other := c.pending + "-proof"
	err := c.sendExtension(ctx, confirmation(other), c.opt.shortest())
	documented := codeOf(err) == codes.InvalidArgument
	if documented {
		err = c.sendExtension(ctx, c.begin(other), c.opt.shortest())
		documented = codeOf(err) == codes.FailedPrecondition
		if unanswered(err) { // it may begin after all
			_, _ = c.cancelID(ctx, other)
		}
	}
	switch {
	case documented:
		c.support = supported
	case err == nil:
		for _, id := range []string{other, c.pending} {
			_ = c.sendExtension(ctx, confirmation(id), c.opt.shortest())
		}
		c.support, c.pending = unsupported, ""
	case !passing(err) && !unanswered(err):
		c.log.Info("commit-confirmed is not proved", "target", c.name, "code", codeOf(err).String())
		c.support = unproved
	}
}

// sendExtension sends a Set that has nothing but the extension, and again if the connection was
// lost: a switch has no more than one commit with this id.
func (c *confirmedCommits) sendExtension(ctx context.Context, commit *gnmi_ext.Commit, longest time.Duration) error {
	c.lost = false
	for failed := 1; ; failed++ {
		request := &gpb.SetRequest{Prefix: cmp.Or(c.prefixOf, c.prefix()), Extension: extension(commit)}
		_, err := c.setOnce(ctx, request, longest)
		if codeOf(err) != codes.Unavailable || !passing(err) || ctx.Err() != nil || !c.opt.Retry.again(ctx, failed) {
			return err
		}
		c.lost = c.lost || unanswered(err)
	}
}

// confirm makes the pending commit permanent. If the switch refuses that, an earlier confirmation may have arrived
// whose answer was lost, or the time may have run out, or may still run: the switch is watched until that is known.
func (c *confirmedCommits) confirm(ctx context.Context) error {
	if c.pending == "" {
		return nil
	}
	err := c.sendExtension(ctx, confirmation(c.pending), c.opt.longestSet())
	if unanswered(err) {
		return c.failure("Set", err)
	}
	if err != nil {
		if err := c.outlasts(ctx, c.failure("Set", err)); err != nil {
			return err
		}
	}
	c.log.Info("commit confirmed", "commit", c.pending)
	c.pending = ""
	return nil
}

// outlasts watches a switch that refused a confirmation until it says that no commit waits, or until the time is over
// in which it would have undone the commit: the time to confirm, and the time that the undoing may take.
func (c *confirmedCommits) outlasts(ctx context.Context, refusal error) error {
	c.watched = true
	left, asked := c.opt.Rollback+c.opt.longestSet()-time.Since(c.answered), false
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		e, err := c.read(ctx)
		switch {
		case err != nil:
			return err
		case !e.holds:
			return fmt.Errorf("%s undid the commit before it was confirmed: %w", c.name, refusal)
		case left <= 0 || c.support == supported && !asked && c.noneWaits(ctx, c.pending):
			return nil
		}
		if !asked && c.opt.Waiting != nil {
			c.opt.Waiting(left)
		}
		asked = true
		if err := c.opt.Retry.wait(ctx, min(pause, left)); err != nil {
			return fmt.Errorf("whether the commit is confirmed is unknown: %w", errors.Join(refusal, err))
		}
		left -= pause
	}
}

// noneWaits tells whether the switch says that no commit waits: it begins a new one, without changes, and confirms it.
func (c *confirmedCommits) noneWaits(ctx context.Context, id string) bool {
	id += "-check"
	return c.sendExtension(ctx, c.begin(id), c.opt.shortest()) == nil &&
		c.sendExtension(ctx, confirmation(id), c.opt.longestSet()) == nil
}

// othersWait tells whether the switch has a commit that waits, by the two answers that prove it: see prove. known is
// false if its answers say neither that one waits nor that none does, as those of a switch whose configuration is
// locked. With begins it is proved too that none waits, by a new commit that is ended at once.
func (c *confirmedCommits) othersWait(ctx context.Context, begins bool) (waits, known bool) {
	if c.support == unsupported {
		return false, true
	}
	id := c.idPrefix + "-check"
	first := codeOf(c.sendExtension(ctx, confirmation(id), c.opt.shortest()))
	switch {
	case first == codes.OK, first == codes.Unimplemented: // it ignores the extension, or does not have it
		return false, true
	case first == codes.FailedPrecondition && !begins:
		return false, true
	case first != codes.InvalidArgument && first != codes.FailedPrecondition:
		return false, false
	}
	err := c.sendExtension(ctx, c.begin(id), c.opt.shortest())
	switch {
	case err == nil: // none waited: the new one is ended
		return false, c.sendExtension(ctx, confirmation(id), c.opt.longestSet()) == nil
	case unanswered(err): // it may begin after all
		_, _ = c.cancelID(ctx, id)
		return false, false
	}
	waits = first == codes.InvalidArgument && codeOf(err) == codes.FailedPrecondition
	return waits, waits
}

// anyWaits is a backend.ErrCommitWaits if the switch says that a commit waits, whose id is not known: after a
// cancellation that was refused because another commit waits, or where a new commit is refused. A switch that refuses
// for another reason, such as a lock, is taken for one where a commit waits. If the question is not answered, the error
// says that it is not known.
func (c *confirmedCommits) anyWaits(ctx context.Context) error {
	switch c.refusal {
	case codes.InvalidArgument:
		return backend.ErrCommitWaits
	case codes.FailedPrecondition: // cancelEarlier has asked
		return nil
	}
	id := c.idPrefix + "-check"
	err := c.sendExtension(ctx, c.begin(id), c.opt.shortest())
	switch {
	case err == nil:
		_ = c.sendExtension(ctx, confirmation(id), c.opt.longestSet())
	case codeOf(err) == codes.FailedPrecondition:
		return backend.ErrCommitWaits
	case unanswered(err): // it may begin after all
		_, _ = c.cancelID(ctx, id)
		fallthrough
	case notSent(err):
		return fmt.Errorf("whether a commit waits is unknown: %w", c.failure("Set", err))
	}
	return nil
}

// cancel has the switch undo the pending commit, and tells whether it did.
func (c *confirmedCommits) cancel(ctx context.Context) (bool, error) {
	if c.pending == "" {
		return false, nil
	}
	undone, err := c.cancelID(ctx, c.pending)
	if err == nil {
		c.pending = ""
	}
	return undone && c.support == supported, err // one that ignores the extension answers OK, too
}

// cancelID has the switch undo the commit with this id, and tells whether it did. It
// did not if that commit is not pending, or if another one is.
func (c *confirmedCommits) cancelID(ctx context.Context, id string) (bool, error) {
	cancel := &gnmi_ext.Commit_Cancel{Cancel: &gnmi_ext.CommitCancel{}}
	err := c.sendExtension(ctx, &gnmi_ext.Commit{Id: id, Action: cancel}, c.opt.longestSet())
	switch c.refusal = codeOf(err); c.refusal {
	case codes.OK:
		c.log.Info("commit cancelled", "commit", id)
		return true, nil
	case codes.FailedPrecondition, codes.InvalidArgument, codes.Unimplemented:
		c.doubtful = c.doubtful || c.lost && c.refusal == codes.FailedPrecondition
		return false, nil
	}
	return false, c.failure("Set", err)
}

// confirmID makes the commit of an earlier client permanent. A switch that checks the id refuses it if that commit does
// not wait, or if another one does: see othersWait.
func (c *confirmedCommits) confirmID(ctx context.Context, id string) error {
	if err := c.failure("Set", c.sendExtension(ctx, confirmation(id), c.opt.longestSet())); err != nil {
		return err
	}
	c.log.Info("commit confirmed", "commit", id)
	return nil
}

// cancelEarlier is cancelID of the commit of an earlier client. A switch refuses for other reasons
// than that no commit waits, such as a lock, with the same code: then a new commit is refused as
// well, and whether the earlier one still waits is not known.
func (c *confirmedCommits) cancelEarlier(ctx context.Context, id string) (bool, error) {
	undone, err := c.cancelID(ctx, id)
	if err != nil || undone || c.refusal != codes.FailedPrecondition || c.noneWaits(ctx, id) {
		return undone, err
	}
	return false, fmt.Errorf("%w: whether the commit %s still waits on %s is unknown: its cancellation and a new commit "+
		"were refused", backend.ErrRefused, id, c.name)
}
