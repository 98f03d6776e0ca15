package gnmi

import (
	"log/slog"
	"strings"

	"google.golang.org/grpc/status"
)

// Secret is a text that is sent and never shown. Every way of printing it that
// Go has gives three stars; string(s) gives the text.
type Secret string

const hidden = "***"

// String hides the text.
func (s Secret) String() string { return hidden }

// GoString hides the text from %#v.
func (s Secret) GoString() string { return hidden }

// MarshalText hides the text from JSON and from logs.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the text from slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// leastHidden is the shortest password that is looked for in other people's
// words. Shorter ones are in too many of them by chance.
const leastHidden = 4

// hide takes the text out of somebody else's words: a switch may repeat the
// password that it does not accept.
func (s Secret) hide(in string) string {
	if len(s) < leastHidden {
		return in
	}
	return strings.ReplaceAll(in, string(s), hidden)
}

// hideError takes the text out of what gRPC returned. An error without it is
// returned as it is.
func (s Secret) hideError(err error) error {
	if err == nil || s.hide(err.Error()) == err.Error() {
		return err
	}
	return status.Error(codeOf(err), s.hide(status.Convert(err).Message()))
}
