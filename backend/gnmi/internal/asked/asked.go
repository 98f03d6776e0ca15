// Package asked reads what a switch need not answer. A client of package gnmi sends such a request once, and that it
// fails is no warning in the log.
package asked

import (
	"context"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
)

type once struct{}

// Once tells whether a request is sent once.
func Once(ctx context.Context) bool { return ctx.Value(once{}) != nil }

// Get asks a client for one path: nil if the switch does not answer.
func Get(ctx context.Context, client interface {
	Get(context.Context, *gpb.GetRequest) (*gpb.GetResponse, error)
}, prefix *gpb.Path, kind gpb.GetRequest_DataType, path []*gpb.PathElem) *gpb.GetResponse {
	answer, err := client.Get(context.WithValue(ctx, once{}, true), &gpb.GetRequest{Prefix: prefix,
		Path: []*gpb.Path{{Elem: path}}, Type: kind, Encoding: gpb.Encoding_JSON_IETF})
	if err != nil {
		return nil
	}
	return answer
}
