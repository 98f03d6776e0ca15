package pushworld

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Rule is a rule of pushing that a history follows or breaks. Breaking one shows what the
// histories are worth: the model has to find it soon.
type Rule string

// The rules that can be broken. Each was broken once, and no test had seen it.
const (
	LateSetsLand     Rule = "a Set that ran out of time may still land"
	UndoOwn          Rule = "an undo takes back only what the push wrote and what is still there"
	ProofIsExact     Rule = "a commit that is refused for another reason is not confirmed"
	NoCommitNoAnswer Rule = "a switch without commit-confirmed is not asked to confirm"
	SyncedStreams    Rule = "a stream that ends before sync_response is not the whole"
	NothingWasSaid   Rule = "a Get without a notification says nothing"
	TextsCompare     Rule = "what a switch holds is said by comparing"
	ChipIsCompared   Rule = "the plan of another chip is not sent"
	LinesAreChecked  Rule = "a journal that was changed is not resumed"
	EndIsNoPush      Rule = "a disk that is full at the end does not fail the push"
	AllIsCompared    Rule = "what was as planned when a native push began is compared at its end"
	KeepsIsAsked     Rule = "a push that has nothing to send asks whether a commit waits"
	TwiceIsMade      Rule = "a Set that a proxy sent twice is not taken for refused"
	CurvesAreWhole   Rule = "a marking curve is undone as a whole or not at all"
	BusGoesOn        Rule = "a Set that SONiC's server gives up may still land"
	CheckpointIsRead Rule = "SONiC's database is read, and not its checkpoint"
	TargetsApart     Rule = "a journal of another switch replaces none of this one"
	EarlierSetsLand  Rule = "a Set of an earlier push that was not answered may still land"
	ProofIsThePlan   Rule = "a commit of an earlier push is confirmed only if all that it changed is the plan's"
	OthersCommits    Rule = "a commit that another client has begun is asked for as well"
	ClocksGoBack     Rule = "a Set that is in the future, by a clock that was set back, may still land"
	JournalIsFirst   Rule = "a Set is in the journal before it is sent"
	LastIsCompared   Rule = "what is read last of a switch is compared with the plan"
	PortsAreWhole    Rule = "a Set of an earlier push was made only if the whole port is as it leaves it"
	AccountIsTrue    Rule = "a push that has changed the switch does not say unchanged"
)

// Rules are all that can be broken.
func Rules() []Rule {
	return []Rule{LateSetsLand, UndoOwn, ProofIsExact, NoCommitNoAnswer, SyncedStreams, NothingWasSaid, TextsCompare,
		ChipIsCompared, LinesAreChecked, EndIsNoPush, AllIsCompared,
		CurvesAreWhole, KeepsIsAsked, TwiceIsMade, BusGoesOn, CheckpointIsRead, TargetsApart,
		EarlierSetsLand, ProofIsThePlan, OthersCommits, ClocksGoBack, JournalIsFirst, LastIsCompared,
		PortsAreWhole, AccountIsTrue}
}

// misled changes what a client is told, so that a client that follows the rules does what
// one would do that breaks a rule.
func (r *rpc) misled(broken Rule) {
	set, isSet := r.req.(*gpb.SetRequest)
	code := status.Code(r.err)
	switch broken {
	case LateSetsLand: // it takes a deadline for a refusal
		if isSet && (code == codes.DeadlineExceeded || code == codes.Canceled) {
			r.err = status.Error(codes.Aborted, "it is taken for refused")
		}
	case BusGoesOn: // it takes the answer for a refusal
		if isSet && code == codes.Unknown && strings.HasSuffix(r.err.Error(), busText) {
			r.err = status.Error(codes.Aborted, "it is taken for refused")
		}
	case ProofIsExact: // it takes a lock for the answer that it waits for
		if isSet && code == codes.FailedPrecondition && strings.Contains(r.err.Error(), "locked") && confirms(set) {
			r.err, r.reply = nil, &gpb.SetResponse{}
		}
	case SyncedStreams: // it believes what it has got
		synced := slices.ContainsFunc(r.stream, (*gpb.SubscribeResponse).GetSyncResponse)
		if r.err == nil && r.method == "Subscribe" && !synced {
			r.stream = append(slices.Clone(r.stream), &gpb.SubscribeResponse{
				Response: &gpb.SubscribeResponse_SyncResponse{SyncResponse: true}})
		}
	case NothingWasSaid: // it takes nothing for an empty configuration
		if reply, ok := r.reply.(*gpb.GetResponse); ok && len(reply.GetNotification()) == 0 {
			r.reply = &gpb.GetResponse{Notification: []*gpb.Notification{{Update: []*gpb.Update{{
				Path: r.req.(*gpb.GetRequest).GetPath()[0],
				Val:  &gpb.TypedValue{Value: &gpb.TypedValue_JsonIetfVal{JsonIetfVal: []byte("{}")}}}}}}}
		}
	}
}

// unasked answers a cancellation in the place of the switch, of a client that takes a Set for refused.
func (o *operation) unasked(request any) error {
	set, ok := request.(*gpb.SetRequest)
	if !ok || o.broken != TwiceIsMade || !o.refused || !cancels(set) {
		return nil
	}
	return status.Error(codes.FailedPrecondition, "it is taken for refused")
}

// unsealed is a journal without the checksums of its lines, as earlier versions wrote it.
func unsealed(data []byte) []byte {
	data = sums.ReplaceAll(data, []byte("}\n"))
	return regexp.MustCompile(`"cellwarden\.(journal|journal-native)/v2"`).ReplaceAll(data,
		[]byte(`"cellwarden.$1/v1"`))
}

var sums = regexp.MustCompile(`,"sum":"[0-9a-f]*"}\n`)

// confirms tells whether a Set confirms a commit.
func confirms(req *gpb.SetRequest) bool {
	for _, e := range req.GetExtension() {
		if _, ok := e.GetCommit().GetAction().(*gnmi_ext.Commit_Confirm); ok {
			return true
		}
	}
	return false
}

// cancels tells whether a Set cancels a commit.
func cancels(req *gpb.SetRequest) bool {
	for _, e := range req.GetExtension() {
		if _, ok := e.GetCommit().GetAction().(*gnmi_ext.Commit_Cancel); ok {
			return true
		}
	}
	return false
}

// rots changes a digit of a journal, as a disk does or a hand, and tells whether it has one.
func (n *inode) rots(s *scheduler) bool {
	whole := bytes.LastIndexByte(n.data, '\n') + 1
	if whole == 0 {
		return false
	}
	at := s.IntN(whole)
	for i := range whole {
		if c := &n.data[(at+i)%whole]; *c >= '0' && *c <= '9' {
			*c = '0' + (*c-'0'+1)%10
			if at = (at + i) % whole; n.rotten {
				at = min(at, n.rottenAt) // of what is cut off later, the first may stay
			}
			n.rotten, n.rottenAt = true, at
			return true
		}
	}
	return false
}
