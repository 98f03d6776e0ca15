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

	"github.com/cellwarden/cellwarden/internal/complain"
)

// Role is what a user may do.
type Role int

// The roles. The zero Role is the lesser one.
const (
	ReadOnly  Role = iota // Capabilities, Get and Subscribe
	ReadWrite             // Set, too
)

// String is the role as it is written on the command line.
func (r Role) String() string {
	if r == ReadWrite {
		return "read-write"
	}
	return "read-only"
}

// User may use the switch with a password. Both are sent as gNMI's metadata
// "username" and "password".
type User struct {
	Name, Password string
	Role           Role
}

// String is the user without the password.
func (u User) String() string { return u.Name + ":" + u.Role.String() }

// GoString is the user without the password.
func (u User) GoString() string { return "server.User(" + u.String() + ")" }

// checkUsers complains about users without a name, a password or a role, and about
// those that are there twice. It never names a password.
func checkUsers(users []User, bad *complain.List) {
	told := map[string]bool{}
	for i, u := range users {
		path := fmt.Sprintf("users[%d]", i)
		switch {
		case u.Name == "":
			bad.Add(path+".name", "none", "a name")
		case told[u.Name]:
			bad.Add(path+".name", u.Name+" a second time", "each user once")
		}
		if u.Password == "" {
			bad.Add(path+".password", "none", "a password")
		}
		bad.Check(u.Role == ReadOnly || u.Role == ReadWrite, path+".role", int(u.Role), "0 (read-only) or 1 (read-write)")
		told[u.Name] = true
	}
}

// allow checks who asks. The same answer is given for a name that is not known
// and for a password that is wrong, after the same comparison.
func (s *Server) allow(ctx context.Context, need Role) error {
	if len(s.opt.Users) == 0 {
		return nil
	}
	err := s.authorize(ctx, need)
	if err != nil {
		md, _ := metadata.FromIncomingContext(ctx)
		s.opt.Log.Warn("access denied", "username", md.Get("username"), "code", status.Code(err).String(), "message", status.Convert(err).Message())
	}
	return err
}

// authorize tells whether who asks may do what needs a role. Some clients, gnxi's
// among them, send each of the two twice.
func (s *Server) authorize(ctx context.Context, need Role) error {
	md, _ := metadata.FromIncomingContext(ctx)
	name, password := slices.Compact(md.Get("username")), slices.Compact(md.Get("password"))
	if len(name) != 1 || len(password) != 1 {
		return status.Error(codes.Unauthenticated, "who asks is not said: accepted: one username and one password in the metadata")
	}
	role, known := Role(-1), 0
	for _, u := range s.opt.Users {
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

// equalSecret compares in a time that tells nothing of either text: 1 if they are
// equal.
func equalSecret(a, b string) int {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:])
}
