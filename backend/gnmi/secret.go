package gnmi

import (
	"log/slog"
	"strings"

	"google.golang.org/grpc/status"
)

// Secret is a text that is sent and never printed, such as a password. Every way of
// printing it gives three stars; string(s) gives the text.
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

// leastHidden is the length of the shortest password that is searched for in messages
// of others. Shorter ones occur in them by chance.
const leastHidden = 4

// hide removes the secret from a message of the switch, which may repeat a password that it does not accept.
func (s Secret) hide(in string) string {
	if len(s) < leastHidden {
		return in
	}
	return strings.ReplaceAll(in, string(s), hidden)
}

// hideError removes the secret from an error of gRPC. An error that does not contain it is returned unchanged.
func (s Secret) hideError(err error) error {
	if err == nil || s.hide(err.Error()) == err.Error() {
		return err
	}
	return status.Error(codeOf(err), s.hide(status.Convert(err).Message()))
}
