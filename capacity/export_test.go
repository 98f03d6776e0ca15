package capacity

import "github.com/cellwarden/cellwarden/buffer"

// What tests outside the package compare with.
const (
	Memory      = memory
	SharedFloor = sharedFloor
)

// AskSlowly is Ask with every step planned anew.
func AskSlowly(in buffer.Intent, entries []Entry, only ...Question) ([]Answer, error) {
	a, err := buffer.NewAdmission(in)
	if err != nil {
		return nil, err
	}
	k := newAsker(in, a)
	k.slow = true
	return k.ask(entries, only), nil
}
