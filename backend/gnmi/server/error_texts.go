package server

import (
	"strings"
	"unicode/utf8"

	"google.golang.org/grpc/status"
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

// bounded returns an error whose text is cut. Its details are bounded where they are made: see errorWithDetails.
func bounded(err error) error {
	if err == nil {
		return nil
	}
	s := status.Convert(err).Proto()
	s.Message = cut(s.GetMessage(), maxText)
	return status.FromProto(s).Err()
}
