package sonicfake

import "errors"

// sonic-gnmi hands a patch to a host service over D-Bus, and then has it save (sonic-gnmi 5ec1c20b,
// SetIncrementalConfig of sonic_data_client/mixed_db_client.go; sonic_service_client/dbus_client.go): it waits 600 s
// for the patch and 60 s for the saving and for a checkpoint. What the service has begun goes on when that time is
// over. A patch that was not answered is not saved, and the deletion of its checkpoint waits behind it and is given up
// after 60 s.
var (
	//lint:ignore ST1005 the text is that of the server
	errPatch = errors.New("Timeout 600")
	//lint:ignore ST1005 the text is that of the server
	errSave = errors.New("Timeout 60")
	//lint:ignore ST1005 the text is that of D-Bus
	errReply = errors.New("Message recipient disconnected from message bus without replying") // NoReply
)

// PatchTimesOut is the answer to a Set whose patch takes longer than 600 s: Finish ends it.
func (a *Arrived) PatchTimesOut() error {
	a.goesOn()
	return errPatch
}

// ReplyIsLost is the answer to a Set whose patch the service was at work on when the bus lost it: Finish ends it.
func (a *Arrived) ReplyIsLost() error {
	a.goesOn()
	return errReply
}

func (a *Arrived) goesOn() {
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.busy, a.s.check = append(a.s.busy, a.req), clone(a.s.db)
}

// Checkpoint leaves a checkpoint of the present configuration behind, as a Set does whose server was killed.
func (s *Switch) Checkpoint() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.check = clone(s.db)
}

// SaveTimesOut makes the Set, and the saving takes longer than 60 s.
func (a *Arrived) SaveTimesOut() error {
	if err := a.s.make(a.req); err != nil {
		return err
	}
	return errSave
}

// KeepsCheckpoint makes the Set, and the removal of its checkpoint fails, which the server does not say.
func (a *Arrived) KeepsCheckpoint() error {
	before := a.s.Config()
	err := a.Make()
	a.s.mu.Lock()
	defer a.s.mu.Unlock()
	a.s.check = before
	return err
}

// CheckpointTimesOut is the answer to a Set whose checkpoint takes longer than 60 s: the patch is not begun.
func (a *Arrived) CheckpointTimesOut() error { return errSave }

// Finish makes the patches that the host service went on with. It does not save them.
func (s *Switch) Finish() error {
	s.mu.Lock()
	busy := s.busy
	s.busy = nil
	s.mu.Unlock()
	for _, req := range busy {
		if err := s.make(req); err != nil {
			return err
		}
	}
	return nil
}

// Saved is config_db.json.
func (s *Switch) Saved() DB {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.saved)
}
