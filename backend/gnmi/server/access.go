package server

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/internal/fielderr"
)

// Users are checked at the beginning of every RPC. Passwords stay in memory as they were
// given; they are neither logged nor printed.

// Role is what a user is allowed to do.
type Role int

// The roles. The zero Role allows less.
const (
	ReadOnly  Role = iota // Capabilities, Get and Subscribe
	ReadWrite             // and Set
)

// String returns the role as it is written on the command line.
func (r Role) String() string {
	if r == ReadWrite {
		return "read-write"
	}
	return "read-only"
}

// User is a user of the switch. A client sends name and password as gNMI's metadata
// "username" and "password".
type User struct {
	Name, Password string
	Role           Role
}

// String returns the name and the role, without the password.
func (u User) String() string { return u.Name + ":" + u.Role.String() }

// GoString returns the name and the role, without the password.
func (u User) GoString() string { return "server.User(" + u.String() + ")" }

// checkUsers complains about users without a name, a password or a role, and about
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
		bad.Check(u.Role == ReadOnly || u.Role == ReadWrite, path+".role", int(u.Role), "0 (read-only) or 1 (read-write)")
		seen[u.Name] = true
	}
}

// accessList checks who sends a request. Without users everyone may do everything.
type accessList struct {
	users []User
	log   *slog.Logger
}

// allow checks that the sender of a request is a user with a role. An unknown name and a
// wrong password get the same answer, after the same comparisons, so that neither can be
// guessed by itself.
func (a accessList) allow(ctx context.Context, need Role) error {
	if len(a.users) == 0 {
		return nil
	}
	err := a.authorize(ctx, need)
	if err != nil {
		md, _ := metadata.FromIncomingContext(ctx)
		a.log.Warn("access denied", "username", md.Get("username"),
			"code", status.Code(err).String(), "message", status.Convert(err).Message())
	}
	return err
}

// authorize is allow without the log. Some clients, such as those of gnxi, send name and
// password twice.
func (a accessList) authorize(ctx context.Context, need Role) error {
	md, _ := metadata.FromIncomingContext(ctx)
	name, password := slices.Compact(md.Get("username")), slices.Compact(md.Get("password"))
	if len(name) != 1 || len(password) != 1 {
		return status.Error(codes.Unauthenticated,
			"who asks is not said: accepted: one username and one password in the metadata")
	}
	role, known := Role(-1), 0
	for _, u := range a.users {
		if equalSecret(name[0], u.Name)&equalSecret(password[0], u.Password) == 1 {
			role, known = u.Role, 1
		}
	}
	switch {
	case known == 0:
		return status.Error(codes.Unauthenticated, "this username and password are not accepted")
	case role < need:
		return status.Errorf(codes.PermissionDenied, "user %s is %v: Set needs %v", name[0], role, need)
	}
	return nil
}

// equalSecret returns 1 if two texts are equal, else 0. It takes the same time for all
// texts, so that the time of an answer does not give a password away.
func equalSecret(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
