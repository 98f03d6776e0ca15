package server

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// sender sends to one subscriber. Options.Patience bounds each wait. One message at a time
// waits to be accepted; what changes meanwhile is sent together afterwards, so that a slow
// subscriber needs no memory. It delays no other, because no lock is held here.
type sender struct {
	ctx  context.Context
	opt  Options
	todo chan *gpb.SubscribeResponse
	done chan error // it has a place, so that a send ends even if its result is not read
}

// newSender starts a sender. Its goroutine ends after close, when the stream has ended.
func newSender(stream gpb.GNMI_SubscribeServer, opt Options) *sender {
	s := &sender{ctx: stream.Context(), opt: opt, todo: make(chan *gpb.SubscribeResponse), done: make(chan error, 1)}
	go func() {
		for m := range s.todo {
			s.done <- stream.Send(m)
		}
	}()
	return s
}

// send returns when gRPC has accepted the message, or when the time is over. After an error
// the sender must not be used any more. A Send that still waits then ends with the stream, which ends when the caller
// returns the error.
func (s *sender) send(m *gpb.SubscribeResponse) error {
	s.todo <- m
	late := make(chan struct{})
	timer := s.opt.Clock.AfterFunc(s.opt.Patience, func() { close(late) })
	defer timer.Stop()
	select {
	case err := <-s.done:
		return err
	case <-s.ctx.Done():
		return ended(s.ctx)
	case <-late:
		s.opt.Log.Warn("slow subscriber cut off", "patience", s.opt.Patience)
		return status.Errorf(codes.ResourceExhausted,
			"slow subscriber: a message waited %v to be taken; the subscription is cut off", s.opt.Patience)
	}
}

// close ends the sender.
func (s *sender) close() { close(s.todo) }
