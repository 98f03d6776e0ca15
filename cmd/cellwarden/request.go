package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/cellwarden/cellwarden/thresholds"
	"github.com/cellwarden/cellwarden/thresholds/method"
)

// request is one question to the headroom command: text by key. The keys are
// the flags' names with _ for -.
type request struct {
	text  map[string]string
	flags bool // it came as flags, and complaints name them so
}

// name is how a complaint calls a key.
func (q request) name(key string) string {
	if q.flags {
		return "--" + strings.ReplaceAll(key, "_", "-")
	}
	return key
}

// flagValue parses the text of a flag and names the flag if it cannot.
func flagValue[T any](bad *[]error, flag, text string, parse func(string) (T, error)) T {
	v, err := parse(text)
	if err != nil {
		*bad = append(*bad, fmt.Errorf("--%s: %w", flag, err))
	}
	return v
}

// requestKey is a key of a request, and the flag of that name.
type requestKey struct {
	name, standard, help string
	boolean              bool
}

func (k requestKey) flag() string { return strings.ReplaceAll(k.name, "_", "-") }

var requestKeys = []requestKey{
	{name: "method", standard: thresholds.IEEE{}.Method(), help: "how to size it: " +
		strings.Join(method.Methods(), ", ")},
	{name: "speed", help: "speed of the port, such as 100G"},
	{name: "cable", help: "length of the cable, such as 300m"},
	{name: "medium", help: "what the cable is: fibre (default), copper, single-mode, fibre-nvidia"},
	{name: "delay", help: "measured one-way delay in place of a cable's, such as 1.5us"},
	{name: "extra_delay", help: "one-way delay beyond the cable, of FEC, a gearbox or a retimer, such as 1.5us"},
	{name: "macsec", help: "MACsec of unknown delay: 1us more each way, the limit of SONiC's MACsec design",
		boolean: true},
	{name: "response_delay", help: "response time of the sender, in place of that of its speed"},
	{name: "mtu", standard: "9216B", help: "longest frame of any class on the port"},
	{name: "lossless_mtu", help: "longest frame of the lossless class (default: the port's MTU)"},
	{name: "chip", help: "take cell size, overhead and what a method knows of it from this chip: a name or a " +
		"chip file"},
	{name: "cell", help: "size of a cell, such as 416B, in place of the chip's"},
	{name: "overhead", help: "bytes that the chip stores with each packet, with --cell"},
	{name: "frame", help: "size of the frames that fill the headroom, a mix (64B:50%,1500B:50%), or worst, the " +
		"size that wastes most cells (default of ieee802.1qbb and juniper: worst; of broadcom-th3: 64B)"},
	{name: "table", help: "pg_profile_lookup.ini of method table"},
	{name: "delays", help: "how the delays of both ends add up: texts (default), both-ends, larger"},
	{name: "interface_delay", help: "delay of an interface, transmit and receive, in place of the texts'"},
	{name: "pipeline_latency", help: "latency of the pipeline, such as 19KiB"},
	{name: "mac_phy_delay", help: "delay of MAC and PHY, such as 819.2B"},
	{name: "peer_response", help: "response of the peer where the speed is not known, such as 3.8KiB"},
	{name: "gearbox_delay", help: "delay of a gearbox, such as 400ns"},
	{name: "lanes", help: "lanes of the port, such as 8"},
	{name: "small_packets", help: "share of small packets, such as 50%"},
	{name: "shared_headroom", help: "the headroom is a shared pool", boolean: true},
	{name: "variant", help: "which formula of sonic-dynamic"},
	{name: "corrected", help: "correct the known slips of the formula; false: none, not even at a speed that it does " +
		"not know", boolean: true},
	{name: "user_delay", help: "delay of the link, both ways"},
	{name: "switch_delay", help: "delay of the switch"},
	{name: "max_packet", help: "longest packet of the switch"},
	{name: "pfc_delay", help: "delay that the operator gives the kernel, in bytes"},
	{name: "pause", help: "global PAUSE in place of PFC", boolean: true},
	{name: "mru", help: "longest frame that is received"},
	{name: "from", help: "length at which the thresholds are known"},
	{name: "buffer_size", help: "known buffer-size"},
	{name: "pause_threshold", help: "known pause-threshold"},
	{name: "resume_threshold", help: "known resume-threshold"},
}

// parseTruth reads a truth value as a flag has it.
func parseTruth(text string) (bool, error) {
	switch text {
	case "true", "":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fmt.Errorf("%q: accepted: true, false", text)
}

// linkKeys are the keys that belong to no method.
var linkKeys = []string{"method", "speed", "cable", "medium", "delay", "extra_delay", "macsec",
	"response_delay", "mtu", "lossless_mtu", "chip",
	"cell", "overhead", "table"}

// requestOf collects the flags that were given, and those with a standard.
func requestOf(cmd *cobra.Command) request {
	q := request{map[string]string{}, true}
	for _, k := range requestKeys {
		f := cmd.Flags().Lookup(k.flag())
		if f.Changed || k.standard != "" {
			q.text[k.name] = f.Value.String()
		}
	}
	return q
}

// has tells whether one of the keys is given.
func (q request) has(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { _, given := q.text[k]; return given })
}

// options returns the parameters of the method; if lenient, those of other
// methods are left out, else they are passed on to be refused.
func (q request) options(lenient bool) method.Options {
	o := method.Options{}
	own := method.MethodOptions(q.text["method"])
	for k, v := range q.text {
		if k == "response_delay" {
			continue // it is the link's, which comes before the method's
		}
		if slices.Contains(own, k) || !lenient && !slices.Contains(linkKeys, k) {
			o[k] = v
		}
	}
	return o
}

// runBatch answers JSON lines with JSON lines. What a line does not say is taken
// from the flags. A line that cannot be answered gets its complaint, and the
// others their answers.
func runBatch(cmd *cobra.Command, file string) error {
	_, data, err := readInput(cmd.InOrStdin(), file)
	if err != nil {
		return exit{exitUsage, err}
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	number, asked, failed := 0, 0, 0
	for line := range bytes.Lines(data) {
		number++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		asked++
		var answer any
		if answer, err = batchLine(line, requestOf(cmd)); err != nil {
			failed++
			answer = batchError{number, err.Error()}
		}
		if err := encoder.Encode(answer); err != nil {
			return exit{exitFailure, err}
		}
	}
	if err := out.Flush(); err != nil {
		return exit{exitFailure, err}
	}
	if failed > 0 {
		return exit{exitUsage, fmt.Errorf("%s: %d of %d lines cannot be answered", file, failed, asked)}
	}
	return nil
}

type batchError struct {
	Line  int    `json:"line"`
	Error string `json:"error"`
}

// batchLine answers one line. What it does not say stands in others.
func batchLine(line []byte, others request) (any, error) {
	q, err := parseRequest(line, others)
	if err != nil {
		return nil, err
	}
	j, err := q.job()
	if err != nil {
		return nil, err
	}
	e, err := j.sizer.Explain(j.link, j.memory)
	if err != nil {
		return nil, err
	}
	return headroomDocument(e, j), nil
}

// parseRequest reads one JSON object whose values are text, numbers or truth
// values.
func parseRequest(line []byte, others request) (request, error) {
	q := request{text: maps.Clone(others.text)}
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	var raw map[string]any
	if err := decoder.Decode(&raw); err != nil {
		return q, fmt.Errorf("not a JSON object: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return q, errors.New("more than one JSON object on the line")
	}
	var bad []error
	for _, key := range slices.Sorted(maps.Keys(raw)) {
		if !slices.ContainsFunc(requestKeys, func(k requestKey) bool { return k.name == key }) {
			bad = append(bad, fmt.Errorf("%s: unknown key (accepted: the flags' names with _ for -)", key))
			continue
		}
		switch v := raw[key].(type) {
		case string:
			q.text[key] = v
		case json.Number, bool:
			q.text[key] = fmt.Sprint(v)
		default:
			bad = append(bad, fmt.Errorf("%s: accepted: text, a number, true or false", key))
		}
	}
	return q, errors.Join(bad...)
}
