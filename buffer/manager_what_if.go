package buffer

// WhatIfAdmit answers what [Manager.Admit] would: nil if the ports fit, else the same error. Nothing changes. It costs
// a copy of the Manager, so that it may be called beside readers, as they may.
func (m *Manager) WhatIfAdmit(ports ...Port) error { return m.Clone().Admit(ports...) }
