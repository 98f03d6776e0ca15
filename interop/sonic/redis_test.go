package sonic

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"
)

// The databases of a switch, by the numbers of SONiC's database_config.json.
const (
	applDB     = 0
	asicDB     = 1
	countersDB = 2
	configDB   = 4
)

// hashes are the hashes of a database by key.
type hashes map[string]map[string]string

// redis is a connection to a Redis server.
type redis struct {
	conn net.Conn
	in   *bufio.Reader
}

// connect opens a connection to an address: HOST:PORT, or the path of a socket.
func connect(address string) (*redis, error) {
	network := "tcp"
	if strings.HasPrefix(address, "/") {
		network = "unix"
	}
	conn, err := net.DialTimeout(network, address, 5*time.Second)
	if err != nil {
		return nil, err
	}
	return &redis{conn, bufio.NewReader(conn)}, nil
}

// do sends a command and returns its answer: a string, an int64, nil, or a []any of them.
func (r *redis) do(command ...string) (any, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(command))
	for _, word := range command {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(r.conn, b.String()); err != nil {
		return nil, err
	}
	return r.answer()
}

// answer reads an answer.
func (r *redis) answer() (any, error) {
	line, err := r.in.ReadString('\n')
	if err != nil {
		return nil, err
	}
	line = strings.TrimSuffix(line, "\r\n")
	switch kind, text := line[:1], line[1:]; kind {
	case "+":
		return text, nil
	case "-":
		return nil, fmt.Errorf("redis: %s", text)
	case ":":
		return strconv.ParseInt(text, 10, 64)
	case "$":
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, err
		}
		data := make([]byte, n+2)
		_, err = io.ReadFull(r.in, data)
		return string(data[:n]), err
	case "*":
		n, err := strconv.Atoi(text)
		var out []any
		for range max(n, 0) {
			v, failed := r.answer()
			if failed != nil {
				return nil, failed
			}
			out = append(out, v)
		}
		return out, err
	default:
		return nil, fmt.Errorf("redis answered %q", line)
	}
}

// hash returns the fields of a hash; none: it is not there, or is none.
func (r *redis) hash(key string) map[string]string {
	answer, _ := r.do("HGETALL", key)
	list, _ := answer.([]any)
	out := map[string]string{}
	for i := 0; i+1 < len(list); i += 2 {
		out[fmt.Sprint(list[i])] = fmt.Sprint(list[i+1])
	}
	return out
}

// read returns the hashes of a database whose keys match a pattern.
func (r *redis) read(db int, pattern string) (hashes, error) {
	if _, err := r.do("SELECT", strconv.Itoa(db)); err != nil {
		return nil, err
	}
	keys, err := r.do("KEYS", pattern)
	if err != nil {
		return nil, err
	}
	out := hashes{}
	list, _ := keys.([]any)
	for _, key := range list {
		if fields := r.hash(fmt.Sprint(key)); len(fields) > 0 {
			out[fmt.Sprint(key)] = fields
		}
	}
	return out, nil
}

// write changes a database from some hashes to others, at once.
func (r *redis) write(db int, before, after hashes) error {
	commands := [][]string{{"SELECT", strconv.Itoa(db)}, {"MULTI"}}
	for key := range before {
		if after[key] == nil {
			commands = append(commands, []string{"DEL", key})
		}
	}
	for key, fields := range after {
		for field := range before[key] {
			if _, stays := fields[field]; !stays {
				commands = append(commands, []string{"HDEL", key, field})
			}
		}
		for field, value := range fields {
			if was, there := before[key][field]; !there || was != value {
				commands = append(commands, []string{"HSET", key, field, value})
			}
		}
	}
	for _, c := range append(commands, []string{"EXEC"}) {
		if _, err := r.do(c...); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(c, " "), err)
		}
	}
	return nil
}
