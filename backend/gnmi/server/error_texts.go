package server

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// The status of an answer is in the trailer of HTTP/2. Clients accept trailers of 8 KiB to 16 MiB: a
// status that is longer ends the whole connection. What a client sends appears in texts, so
// that all texts are cut.

// The greatest lengths, in bytes.
const (
	maxText    = 4096 // of the text of an error
	maxDetail  = 512  // of a path or a reason in the details of an error
	maxDetails = 2048 // of the details together; they are also sent as base64
	maxQuoted  = 80   // of what is quoted from a request
)

// shortened cuts a text that a request brought.
func shortened(text string) string { return cut(text, maxQuoted) }

// cut shortens a text to at most this number of bytes, in UTF-8. A text that was cut ends in "...". Bytes that are
// not UTF-8 become question marks first: protobuf refuses to send them.
func cut(text string, most int) string {
	text = strings.ToValidUTF8(text, "?")
	if len(text) <= most {
		return text
	}
	end := most - len("...")
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// bounded returns an error whose text and details are cut. Field violations that do not fit in maxDetails together are
// left out, and so are details of other types: this switch writes none.
func bounded(err error) error {
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	out := status.New(s.Code(), cut(s.Message(), maxText))
	kept := &errdetails.BadRequest{}
	for _, d := range s.Details() {
		request, ok := d.(*errdetails.BadRequest)
		if !ok {
			continue
		}
		for _, v := range request.GetFieldViolations() {
			short := &errdetails.BadRequest_FieldViolation{Field: cut(v.GetField(), maxDetail),
				Description: cut(v.GetDescription(), maxDetail)}
			if proto.Size(kept)+proto.Size(short) <= maxDetails {
				kept.FieldViolations = append(kept.FieldViolations, short)
			}
		}
	}
	if len(kept.GetFieldViolations()) > 0 {
		if detailed, err := out.WithDetails(kept); err == nil {
			out = detailed
		}
	}
	return out.Err()
}
