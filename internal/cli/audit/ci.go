package audit

import (
	"encoding/xml"
	"io"
	"slices"

	"github.com/cellwarden/cellwarden/audit"
	"github.com/cellwarden/cellwarden/internal/cli"
)

// This file writes findings for programs of continuous integration: SARIF 2.1.0, which code hosts show on the line, and
// JUnit's XML. Only the parts of SARIF that carry something are here: the library for it brings a validator of schemas.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID       string       `json:"id"`
	Short    sarifText    `json:"shortDescription"`
	Full     sarifText    `json:"fullDescription"`
	Help     sarifText    `json:"help"`
	Defaults sarifDefault `json:"defaultConfiguration"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifResult struct {
	Rule       string            `json:"ruleId"`
	Index      int               `json:"ruleIndex"`
	Level      string            `json:"level"`
	Message    sarifText         `json:"message"`
	Locations  []sarifLocation   `json:"locations"`
	Identities map[string]string `json:"partialFingerprints"`
	Properties sarifProperties   `json:"properties"`
}

type sarifLocation struct {
	Physical sarifPhysical  `json:"physicalLocation"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	Line int `json:"startLine"`
}

type sarifLogical struct {
	Name string `json:"fullyQualifiedName"`
}

type sarifProperties struct {
	Certain  bool             `json:"certain"`
	Topology string           `json:"topology,omitempty"`
	Bytes    map[string]int64 `json:"bytes,omitempty"`
}

// sarifOf is the findings as SARIF. Severities have the same names there.
func sarifOf(found []audit.Finding) sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "cellwarden", Version: cli.ReadVersion().Version, Rules: []sarifRule{}}},
		Results: []sarifResult{}}
	index := map[audit.Code]int{}
	for _, m := range audit.All() {
		if !slices.ContainsFunc(found, func(f audit.Finding) bool { return f.Code == m.Code }) {
			continue
		}
		index[m.Code] = len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{string(m.Code), sarifText{string(m.Code)},
			sarifText{m.Rule}, sarifText{m.Effect + " Repair: " + m.Repair + "."}, sarifDefault{string(m.Severity)}})
	}
	for i := range found {
		f := &found[i]
		r := sarifResult{Rule: string(f.Code), Index: index[f.Code], Level: string(f.Severity),
			Message: sarifText{f.Object + ": " + f.Message + " Repair: " + f.Repair + "."},
			Locations: []sarifLocation{{sarifPhysical{Artifact: sarifArtifact{f.File}},
				[]sarifLogical{{f.Object}}}},
			Identities: map[string]string{"finding/v1": f.Key()}, Properties: sarifProperties{f.Certain, f.Topology, f.Bytes}}
		switch at := &r.Locations[0]; {
		case f.Template != "": // the code host shows the template; the folder is part of the name
			at.Physical = sarifPhysical{sarifArtifact{f.Template}, &sarifRegion{f.TemplateLine}}
			at.Logical = []sarifLogical{{f.File + ": " + f.Object}}
		case f.Line > 0:
			at.Physical.Region = &sarifRegion{f.Line}
		}
		run.Results = append(run.Results, r)
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

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

// writeJUnit writes a suite for each file. A finding is a test that failed, a note one that was skipped; what was
// audited without a finding is one test that passed.
func writeJUnit(w io.Writer, r *auditReport) error {
	out := junitSuites{Name: "cellwarden audit"}
	suites := map[string]int{}
	for i := range r.Findings {
		f := &r.Findings[i]
		at, there := suites[f.File]
		if !there {
			at = len(out.Suites)
			suites[f.File] = at
			out.Suites = append(out.Suites, junitSuite{Name: f.File})
		}
		s := &out.Suites[at]
		c := junitCase{Name: placeOf(f) + " " + f.Topology + " " + f.Object, Class: string(f.Code)}
		why := &junitFailure{string(f.Severity), f.Message, f.Repair}
		if s.Tests, out.Tests = s.Tests+1, out.Tests+1; f.Severity == audit.Note {
			c.Skipped = why
		} else {
			c.Failure = why
			s.Failures, out.Failures = s.Failures+1, out.Failures+1
		}
		s.Cases = append(s.Cases, c)
	}
	if len(out.Suites) == 0 {
		out.Tests = 1
		out.Suites = []junitSuite{{Name: "audit", Tests: 1, Cases: []junitCase{{Name: r.checked(), Class: "audit"}}}}
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	return err
}
