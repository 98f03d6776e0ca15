package sonicfake

import (
	"errors"
	"maps"
	"reflect"
)

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

// Unexplained is the answer to a Set that the host service refuses with an empty text: the error of a script that wrote
// nothing to its standard error.
func (*Arrived) Unexplained() error { return errors.New("") }

// MakeBeside makes the Set while another client changes the configuration in the midst of it. The updater's lock does
// nothing (generic_updater.py, ConfigLock): an entry is written as it was to become when the patch began, over what
// another client has written to it since (change_applier.py, ChangeApplier.apply). If CONFIG_DB is not what was
// expected at the end, the Set fails and is not saved, whatever it has written; BUFFER_PG and BUFFER_PROFILE are not
// compared (generic_updater.py, PatchApplier.apply; change_applier.py, remove_backend_tables_from_config).
func (a *Arrived) MakeBeside(other func(*Switch)) error {
	s := a.s
	s.mu.Lock()
	before := s.db
	target, err := s.simulated(a.req)
	s.mu.Unlock()
	if err != nil {
		return err
	}
	other(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.check = nil
	now := clone(s.db)
	var changes []difference
	compare(&changes, nil, reflect.ValueOf(before), reflect.ValueOf(target))
	for _, d := range changes {
		now.become(target, d.path[0], d.path[1:])
	}
	s.write(s.changed(s.db, now))
	expected, found := clone(target), clone(s.db)
	for _, table := range []string{"BUFFER_PG", "BUFFER_PROFILE"} {
		delete(expected, table)
		delete(found, table)
	}
	if !reflect.DeepEqual(expected, found) {
		return errors.New("after applying patch to config, there are still some parts not updated")
	}
	s.saved = clone(s.db)
	return nil
}

// become gives the entries at a path what another configuration has of them: those of a whole table if the path ends
// there.
func (db DB) become(target DB, table string, path []string) {
	keys := union(db[table], target[table])
	if len(path) > 0 {
		keys = map[string]bool{path[0]: true}
	}
	for key := range keys {
		if e := target[table][key]; e != nil {
			db.put(table, key, maps.Clone(e))
		} else {
			delete(db[table], key)
		}
	}
	if len(db[table]) == 0 {
		delete(db, table)
	}
}

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
