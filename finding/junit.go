package finding

import (
	"encoding/xml"
	"io"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitFailure `xml:"skipped"`
}

type junitFailure struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the findings of a check as JUnit's XML, with a suite for each file. A finding is a test that
// failed, a note one that was skipped. Without findings, what was checked is one test that passed.
func WriteJUnit(w io.Writer, check, checked string, all []Finding) error {
	out := junitSuites{Name: "cellwarden " + check}
	suites := map[string]int{}
	for i := range all {
		f := &all[i]
		at, there := suites[f.File]
		if !there {
			at = len(out.Suites)
			suites[f.File] = at
			out.Suites = append(out.Suites, junitSuite{Name: f.File})
		}
		failed := out.Suites[at].add(f)
		out.Tests, out.Failures = out.Tests+1, out.Failures+failed
	}
	if len(out.Suites) == 0 {
		out.Tests = 1
		out.Suites = []junitSuite{{Name: check, Tests: 1, Cases: []junitCase{{Name: checked, Class: check}}}}
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	return err
}

// add adds a finding to a suite, and returns how many tests failed by it.
func (s *junitSuite) add(f *Finding) (failed int) {
	c := junitCase{Name: f.Place() + " " + f.Topology + " " + f.Object, Class: string(f.Code)}
	why := &junitFailure{string(f.Severity), f.Message, f.Repair}
	if f.Severity == Note {
		c.Skipped = why
	} else {
		c.Failure, failed = why, 1
	}
	s.Tests, s.Failures, s.Cases = s.Tests+1, s.Failures+failed, append(s.Cases, c)
	return failed
}
