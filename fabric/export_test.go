package fabric

// AllPaths is the scenario of all paths of a file, of which none passes a switch twice, whether they make a circle or
// not.
func (f *File) AllPaths() []byte {
	s := &scene{File: f, priority: 3}
	for _, r := range f.routes {
		for i := range r.paths {
			s.add(f.names(r.paths[i].nodes))
		}
	}
	return s.text()
}
