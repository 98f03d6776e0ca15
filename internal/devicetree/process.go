package devicetree

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

//go:embed render.py
var script string

// Bounds are the limits of one rendering, and of all together.
type Bounds struct {
	Run      time.Duration // waiting for all renderings of a Renderer: later ones are not tried
	CPU      time.Duration // CPU time of the interpreter
	Wall     time.Duration // time until the process is ended, if it does not answer
	Memory   int64         // bytes of the process
	Text     int64         // characters of a rendered text
	Template int64         // bytes of a template
}

// The bounds of a rendering. The templates of 2026-08 need 0.3 s of CPU time, 60 MiB, 0.4 MB of text and 50 kB, and all
// 2788 of them a minute.
const (
	mostSeconds  = 10
	mostMemory   = 512 << 20
	mostText     = 8 << 20
	mostTemplate = 1 << 20
)

// DefaultBounds are the bounds of StartRenderer.
func DefaultBounds() Bounds {
	return Bounds{Run: 10 * time.Minute, CPU: mostSeconds * time.Second, Wall: time.Minute, Memory: mostMemory,
		Text: mostText, Template: mostTemplate}
}

// ErrNoPython says that the templates cannot be rendered on this machine.
var ErrNoPython = errors.New("SONiC's templates are rendered by python3 with jinja2: install both " +
	"(Debian, Ubuntu: apt install python3-jinja2; Fedora: dnf install python3-jinja2; else pip install jinja2), " +
	"or audit the rendered JSON or a config_db.json")

// process is a running interpreter. It answers requests in their order.
type process struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan []byte // closed at the end of its output
	errors  tail
	stop    context.CancelFunc
}

// longestAnswer bounds an answer: each character of a text takes at most 6 bytes in JSON, and each line a place.
func (b Bounds) longestAnswer() int { return int(b.Text)*12 + 1<<20 }

// window is the largest number of requests of a loop without an answer. Two keep the interpreter at work while an
// answer is read.
const window = 4

// start starts the interpreter and reads its first line, which says whether it has Jinja.
func start(ctx context.Context, python string, b Bounds) (*process, error) {
	whole, err := exec.LookPath(python)
	if err != nil {
		return nil, fmt.Errorf("%s: not found: %w", python, ErrNoPython)
	}
	limits, err := json.Marshal(map[string]any{"seconds": b.CPU.Seconds(), "memory": b.Memory, "text": b.Text,
		"template": b.Template})
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	p := &process{answers: make(chan []byte, window+1), stop: stop}
	// -I: no variable of the environment, no folder of the user, no current folder. -B: no compiled files are written.
	p.cmd = exec.CommandContext(ctx, whole, "-I", "-B", "-X", "utf8", "-c", script, string(limits))
	p.cmd.Env = []string{"LC_ALL=C.UTF-8"}
	p.cmd.Dir = "/"
	p.cmd.Stderr = &p.errors
	p.cmd.WaitDelay = time.Second
	in, err := p.cmd.StdinPipe()
	if err != nil {
		stop()
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		stop()
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		stop()
		return nil, fmt.Errorf("%s: %w: %w", whole, err, ErrNoPython)
	}
	p.in = in
	go p.read(out, b.longestAnswer())
	if err := p.greeting(ctx); err != nil {
		p.end()
		return nil, fmt.Errorf("%s: %w", whole, err)
	}
	return p, nil
}

// longestStart bounds the start of an interpreter, which takes 0.1 s.
const longestStart = time.Minute

// greeting reads the first line.
func (p *process) greeting(ctx context.Context) error {
	line, err := p.answer(ctx, longestStart)
	if errors.Is(err, errLate) { // it is there, so that nothing is to be installed
		return fmt.Errorf("it did not start within %v (want a machine that is less busy)", longestStart)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", err, ErrNoPython)
	}
	var first struct{ Missing, Jinja2 string }
	if err := json.Unmarshal(line, &first); err != nil {
		return fmt.Errorf("its first line is not of the script: %w: %w", err, ErrNoPython)
	}
	if first.Missing != "" {
		return fmt.Errorf("%s: %w", first.Missing, ErrNoPython)
	}
	return nil
}

// read takes the lines of the process. A line that is too long ends it.
func (p *process) read(out io.Reader, longest int) {
	defer close(p.answers)
	lines := bufio.NewScanner(out)
	lines.Buffer(make([]byte, 0, 1<<16), longest)
	for lines.Scan() {
		p.answers <- bytes.Clone(lines.Bytes())
	}
	p.stop()
}

// send writes a request.
func (p *process) send(line []byte) error {
	_, err := p.in.Write(append(line, '\n'))
	return err
}

var (
	errEnded = errors.New("the interpreter ended")
	errLate  = errors.New("no answer in time")
)

// answer waits for the next answer.
func (p *process) answer(ctx context.Context, wall time.Duration) ([]byte, error) {
	late := time.NewTimer(wall)
	defer late.Stop()
	select {
	case line, open := <-p.answers:
		if !open {
			return nil, errEnded
		}
		return line, nil
	case <-late.C:
		return nil, errLate
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// end ends the process and takes what is left of its output. It returns what the process wrote to standard error.
func (p *process) end() string {
	p.stop()
	p.in.Close()
	for range p.answers {
	}
	_ = p.cmd.Wait() // it was killed
	return p.errors.String()
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

const longestTail = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if over := len(t.text) - longestTail; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string { return string(bytes.TrimSpace(t.text)) }
