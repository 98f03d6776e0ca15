package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/cellwarden/cellwarden/buffer"
	"github.com/cellwarden/cellwarden/internal/grouped"
)

// An error about a Set names the paths that are wrong, in its text for people and in its
// details for programs.

// violation is a path for which the switch refuses a Set, and the reason. The path is complete, so that
// the client finds the value whatever prefix the request has.
type violation struct {
	path string
	why  string // empty if the text of the error says it
}

// The greatest numbers of violations in the text of an error and in its details. Both are
// in the trailer of the answer: some clients accept 8 KiB only.
const (
	mostInText    = 8
	mostInDetails = 16
)

// errorWithDetails makes an error whose details list the paths, as field violations of a
// google.rpc.BadRequest, for any code. Those that do not fit in maxDetails together are left out. Without details, or
// with details that gRPC cannot attach, the text alone is the error.
func errorWithDetails(code codes.Code, text string, bad []violation) error {
	s := status.New(code, text)
	if len(bad) == 0 {
		return s.Err()
	}
	request := &errdetails.BadRequest{}
	for _, v := range bad[:min(len(bad), mostInDetails)] {
		short := &errdetails.BadRequest_FieldViolation{Field: cut(v.path, maxDetail), Description: cut(v.why, maxDetail)}
		if proto.Size(request)+proto.Size(short) <= maxDetails {
			request.FieldViolations = append(request.FieldViolations, short)
		}
	}
	if detailed, err := s.WithDetails(request); err == nil {
		s = detailed
	}
	return s.Err()
}

// violationsError makes an error of one or more violations that say why, one per line.
func violationsError(code codes.Code, bad []violation) error {
	lines := grouped.Each(bad[:min(len(bad), mostInText)], func(v violation) string { return v.path + ": " + v.why })
	return errorWithDetails(code, strings.Join(lines, "\n")+andMore(len(bad)), bad)
}

// refusalError makes an error of a text that says why, and the paths at its end.
func refusalError(code codes.Code, text string, bad []violation) error {
	if len(bad) == 0 {
		return status.Error(code, text)
	}
	paths := grouped.Each(bad[:min(len(bad), mostInText)], func(v violation) string { return v.path })
	return errorWithDetails(code, text+"; asked for by "+strings.Join(paths, ", ")+andMore(len(bad)), bad)
}

// andMore says how many violations a text leaves out. The number counts violations and not paths in the details,
// which have more of them.
func andMore(n int) string {
	if n <= mostInText {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-mostInText)
}

// complaintsError makes an error of a *buffer.InvalidError, whose paths are those of the
// models.
func complaintsError(code codes.Code, err error) error {
	var invalid *buffer.InvalidError
	if !errors.As(err, &invalid) {
		return status.Error(code, err.Error())
	}
	bad := make([]violation, len(invalid.Complaints))
	for i, c := range invalid.Complaints {
		bad[i] = violation{c.Path, c.Value + ": want " + c.Accepted}
	}
	return violationsError(code, bad)
}

// errorf is the error for an operation at this path that cannot be made.
func (n node) errorf(code codes.Code, format string, args ...any) error {
	return violationsError(code, []violation{{n.String(), fmt.Sprintf(format, args...)}})
}

// unique keeps the first violation of each path.
func unique(bad []violation) []violation {
	seen := map[string]bool{}
	return slices.DeleteFunc(bad, func(v violation) bool {
		was := seen[v.path]
		seen[v.path] = true
		return was
	})
}

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
