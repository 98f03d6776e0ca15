package server

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// sender sends to one subscriber, and does not wait for ever. One message at a
// time waits to be taken; what changes meanwhile is told together afterwards,
// so that a slow subscriber costs no memory. It costs nobody else's time
// either: no lock is held here.
type sender struct {
	ctx  context.Context
	opt  Options
	todo chan *gpb.SubscribeResponse
	done chan error // of one place, so that a send that was given up ends
}

// newSender starts a sender. It ends at close, once the stream has.
func newSender(stream gpb.GNMI_SubscribeServer, opt Options) *sender {
	s := &sender{ctx: stream.Context(), opt: opt, todo: make(chan *gpb.SubscribeResponse), done: make(chan error, 1)}
	go func() {
		for m := range s.todo {
			s.done <- stream.Send(m)
		}
	}()
	return s
}

// send returns when the message is on its way, or when the subscriber's time
// is up. After an error there is nothing more to be sent.
func (s *sender) send(m *gpb.SubscribeResponse) error {
	s.todo <- m
	late := make(chan struct{})
	timer := s.opt.Clock.AfterFunc(s.opt.Patience, func() { close(late) })
	defer timer.Stop()
	select {
	case err := <-s.done:
		return err
	case <-late:
		s.opt.Log.Warn("slow subscriber cut off", "patience", s.opt.Patience)
		return status.Errorf(codes.ResourceExhausted, "slow subscriber: a message waited %v to be taken; the subscription is cut off", s.opt.Patience)
	}
}

// close lets the sender end.
func (s *sender) close() { close(s.todo) }
