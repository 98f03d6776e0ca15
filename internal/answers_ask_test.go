package internal_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/cellwarden/cellwarden/internal/answers"
)

// The length of a cable is asked about as a program asks the server.
func Example_answers() {
	r := answers.Ask(context.Background(), "/v1/headroom", []byte(`{"chip": "tomahawk", "speed": "100G", "cable": "40km"}`))
	fmt.Println(r.Status, r.Type, len(r.Body) > 1000)
	// Output: 200 application/json true
}

// FuzzAsk: whatever is asked, the answer has a status of a client's fault or none, and no fault of the program.
func FuzzAnswersAsk(f *testing.F) {
	small := `"chip: tomahawk\nheadroom: {method: ieee802.1qbb}\nclasses: [{name: a, priorities: [3], lossless: true}]\n` +
		`ports: [{name: e1, speed: 100G, cable: 5m}]\n"`
	for path, body := range map[string]string{
		"/page/answer":  `{"topology":` + small + `,"set":["ports[0].cable=2km"],"full":true}`,
		"/page/report":  `{"topology":` + small + `,"set":["=5","classes[0].alpha=x"]}`,
		"/v1/burst":     `{"topology":` + small + `,"incast":[2]}`,
		"/v1/explain":   `{"topology":` + small + `,"port":"e1"}`,
		"/v1/diff":      `{"from":{"topology":` + small + `},"to":{"topology":` + small + `,"files":{"a":"b"}}}`,
		"/v1/headroom":  `{"chip":"tomahawk","speed":"100G","cable":"300m"}`,
		"/v1/capacity":  `{"topology":` + small + `,"only":["cable"]}`,
		"/v1/examples/": "", "/v1/choices": "{", "": "\x00\xff",
	} {
		f.Add(path, body)
	}
	f.Fuzz(func(t *testing.T, path, body string) {
		r := answers.Ask(t.Context(), path, []byte(body))
		require.Contains(t, []int{200, 400, 404, 422}, r.Status, "%s", r.Body)
		require.NotEmpty(t, r.Type)
	})
}

// What is not understood is refused with its place and what is wanted; the bounds are those that the tags of the
// questions state, which the description of the API has too.
func TestAnswersRefusedQuestions(t *testing.T) {
	many := strings.Repeat(`"a=b",`, 256) + `"a=b"`
	for question, want := range map[string]string{
		"plan {\"topology\":\"x\",\"set\":[" + many + "]}":                      "set: 257 values (want at most 256)",
		`plan {"topology":"x","set":"a=b"}`:                                     "set: string (want a list)",
		`plan {"topology":"x","files":{"a":5}}`:                                 "files: number (want a text)",
		`verify {"topology":"x","alone":"yes"}`:                                 "alone: string (want true or false)",
		`burst {"topology":"x","incast":[1.5]}`:                                 "incast: number 1.5 (want an integer)",
		`explain {"topology":"x"}`:                                              "port: 0 characters (want at least 1)",
		`sweep {"topology":"x","vary":[]}`:                                      "vary: 0 values (want at least 1)",
		`diff {"from":{"topology":"x","set":[` + many + `]},"to":{}}`:           "from.set: 257 values (want at most 256)",
		`link {"a":{"topology":"x","port":"` + strings.Repeat("p", 201) + `"}}`: "a.port: 201 characters (want at most 200)",
		`headroom {"chip":"tomahawk","speeds":"100G"}`:                          `\"speeds\": this question has no such key`,
	} {
		name, body, _ := strings.Cut(question, " ")
		r := answers.Ask(t.Context(), "/v1/"+name, []byte(body))
		require.Equal(t, 422, r.Status, "%s", r.Body)
		require.Contains(t, string(r.Body), want)
	}
}
