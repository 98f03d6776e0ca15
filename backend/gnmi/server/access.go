package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Users are checked at the beginning of every RPC. Passwords stay in memory as they were
// given; they are neither logged nor printed.

// User is a user of the switch. A client sends name and password as gNMI's metadata
// "username" and "password".
type User struct {
	Name, Password string
	Writes         bool // the user may send Set, beside Capabilities, Get and Subscribe
}

// String returns the name and the role, without the password.
func (u User) String() string {
	if u.Writes {
		return u.Name + ":read-write"
	}
	return u.Name + ":read-only"
}

// GoString returns the name and the role, without the password.
func (u User) GoString() string { return "server.User(" + u.String() + ")" }

// checkUsers complains about users without a name or a password, and about
// those that are there twice. It never names a password.
func checkUsers(users []User, bad *fielderr.List) {
	seen := map[string]bool{}
	for i, u := range users {
		path := fmt.Sprintf("users[%d]", i)
		switch {
		case u.Name == "":
			bad.Add(path+".name", "none", "a name")
		case seen[u.Name]:
			bad.Add(path+".name", u.Name+" a second time", "each user once")
		}
		if u.Password == "" {
			bad.Add(path+".password", "none", "a password")
		}
		seen[u.Name] = true
	}
}

// allow checks that the sender of a request is a user, and one who may write if the request writes. Without users
// everyone may do everything. A name and a password come with every call (gnmi-authentication.md of
// openconfig/reference): gNMI has no login. An unknown name and a wrong password get the same answer, after the same
// comparisons, so that neither can be guessed by itself.
func (s *Server) allow(ctx context.Context, writes bool) error {
	if len(s.opt.Users) == 0 {
		return nil
	}
	err := s.authorize(ctx, writes)
	if err != nil {
		md, _ := metadata.FromIncomingContext(ctx)
		s.opt.Log.Warn("access denied", "username", md.Get("username"),
			"code", status.Code(err).String(), "message", status.Convert(err).Message())
	}
	return err
}

// authorize is allow without the log. Some clients, such as those of gnxi, send name and
// password twice.
func (s *Server) authorize(ctx context.Context, writes bool) error {
	md, _ := metadata.FromIncomingContext(ctx)
	name, password := slices.Compact(md.Get("username")), slices.Compact(md.Get("password"))
	if len(name) != 1 || len(password) != 1 {
		return status.Error(codes.Unauthenticated,
			"the request names no user: want one username and one password in the metadata")
	}
	// All users are compared, also after one matched, so that the time does not tell the place of a user in the list.
	var known, mayWrite bool
	for _, u := range s.opt.Users {
		if equalSecret(name[0], u.Name)&equalSecret(password[0], u.Password) == 1 {
			known, mayWrite = true, u.Writes
		}
	}
	switch {
	case !known:
		return status.Error(codes.Unauthenticated, "this username and password are not accepted")
	case writes && !mayWrite:
		return status.Errorf(codes.PermissionDenied, "user %s is read-only: Set needs read-write", name[0])
	}
	return nil
}

// equalSecret returns 1 if two texts are equal, else 0. It takes the same time for all
// texts, so that the time of an answer does not give a password away.
func equalSecret(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
