package server

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/buffer"
)

// violation is a path of a Set that stands in its way.
type violation struct {
	path string
	why  string // "" where the error's text says it
}

// The most violations that an error names in its text and in its details. Both
// travel in the trailer of the answer, of which some clients take 8 KiB.
const (
	mostInText    = 8
	mostInDetails = 16
)

// errorWithDetails makes an error whose details list the paths, as the field violations of
// a google.rpc.BadRequest, whatever the code.
func errorWithDetails(code codes.Code, text string, bad []violation) error {
	s := status.New(code, text)
	if len(bad) == 0 {
		return s.Err()
	}
	request := &errdetails.BadRequest{}
	for _, v := range bad[:min(len(bad), mostInDetails)] {
		request.FieldViolations = append(request.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: v.path, Description: v.why})
	}
	if detailed, err := s.WithDetails(request); err == nil {
		s = detailed
	}
	return s.Err()
}

// violationsError makes an error of violations that say why, one a line. There must be
// one.
func violationsError(code codes.Code, bad []violation) error {
	var lines []string
	for _, v := range bad[:min(len(bad), mostInText)] {
		lines = append(lines, v.path+": "+v.why)
	}
	return errorWithDetails(code, strings.Join(lines, "\n")+andMore(len(bad)), bad)
}

// refusalError makes an error whose text says why and ends with the paths.
func refusalError(code codes.Code, text string, bad []violation) error {
	if len(bad) == 0 {
		return status.Error(code, text)
	}
	var paths []string
	for _, v := range bad[:min(len(bad), mostInText)] {
		paths = append(paths, v.path)
	}
	return errorWithDetails(code, text+"; asked for by "+strings.Join(paths, ", ")+andMore(len(bad)), bad)
}

// andMore counts the violations that a text leaves out.
func andMore(n int) string {
	if n <= mostInText {
		return ""
	}
	return fmt.Sprintf(" and %d more", n-mostInText)
}

// complaintsError makes an error of complaints, whose paths are those of the models.
func complaintsError(code codes.Code, err error) error {
	var invalid *buffer.InvalidError
	if !errors.As(err, &invalid) {
		return status.Error(code, err.Error())
	}
	bad := make([]violation, len(invalid.Complaints))
	for i, c := range invalid.Complaints {
		bad[i] = violation{c.Path, c.Value + ": accepted: " + c.Accepted}
	}
	return violationsError(code, bad)
}

// errorf says that an operation at this path cannot be made.
func (n node) errorf(code codes.Code, format string, args ...any) error {
	return violationsError(code, []violation{{n.String(), fmt.Sprintf(format, args...)}})
}

// unique leaves each path in once.
func unique(bad []violation) []violation {
	seen := map[string]bool{}
	return slices.DeleteFunc(bad, func(v violation) bool {
		was := seen[v.path]
		seen[v.path] = true
		return was
	})
}
