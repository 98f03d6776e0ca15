package identify

func (e *Identification) Spent_() int64 { return e.work }
