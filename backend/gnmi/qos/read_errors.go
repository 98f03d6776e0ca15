package qos

import (
	"encoding/json"
	"fmt"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/ygot/ygot"
)

// readError is a value that cannot be read, and its path. The path grows at its front while the readers return.
type readError struct {
	path string
	text string
}

// Error prints the path and what is wrong.
func (e *readError) Error() string {
	if e.path == "" {
		return "/: " + e.text
	}
	return e.path + ": " + e.text
}

// unreadable makes a readError of another error, such as one of JSON.
func unreadable(err error) error {
	if err == nil {
		return nil
	}
	return &readError{text: err.Error()}
}

// notAccepted names the value that was found in place of an accepted one. Long values are cut.
func notAccepted(have, accepted string) error {
	const most = 40
	if len(have) > most {
		have = have[:most] + "..."
	}
	return &readError{text: fmt.Sprintf("%s: want %s", have, accepted)}
}

// jsonText prints a tree as JSON.
func jsonText(tree any) string {
	text, _ := json.Marshal(tree) // it was read from JSON
	return string(text)
}

// below puts an element in front of the path of an error.
func below(e *gpb.PathElem, err error) error {
	read, ok := err.(*readError)
	if !ok {
		return err
	}
	step, bad := ygot.PathToString(&gpb.Path{Elem: []*gpb.PathElem{e}})
	if bad != nil { // a key that is empty, which YANG allows
		step = "/" + e.GetName()
	}
	return &readError{step + read.path, read.text}
}
