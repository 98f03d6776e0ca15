package interop

import (
	"strings"
	"testing"
	"time"

	"github.com/openconfig/gnmi/proto/gnmi"
	"github.com/openconfig/gnmic/pkg/api"
	gnmic "github.com/openconfig/gnmic/pkg/api/target"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
)

// dial is gnmic's client of our switch, over mutual TLS and with a password.
func dial(t *testing.T, l lab, user, password string) *gnmic.Target {
	t.Helper()
	c, err := api.NewTarget(api.Name("switch"), api.Address(l.address), api.TLSCA(l.ca), api.TLSCert(l.cert),
		api.TLSKey(l.key),
		api.Username(user), api.Password(password), api.Timeout(20*time.Second))
	require.NoError(t, err)
	require.NoError(t, c.CreateGNMIClient(t.Context()))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// set builds a SetRequest.
func set(t *testing.T, opts ...api.GNMIOption) *gnmi.SetRequest {
	t.Helper()
	req, err := api.NewSetRequest(opts...)
	require.NoError(t, err)
	return req
}

// TestGNMIC has gnmic's client library ask, set, commit and subscribe, as a user who may write and as one who may not.
func TestGNMIC(t *testing.T) {
	l := start(t, server.Options{Users: []server.User{{Name: "admin", Password: "open sesame", Writes: true},
		{Name: "monitor", Password: "look"}}})
	admin, monitor := dial(t, l, "admin", "open sesame"), dial(t, l, "monitor", "look")
	replace := set(t, api.Replace(api.Path("/qos"), api.Value(plan, "json_ietf")))

	caps, err := monitor.Capabilities(t.Context())
	require.NoError(t, err)
	require.Equal(t, "0.10.0", caps.GetGNMIVersion())

	_, err = monitor.Set(t.Context(), replace)
	require.Equal(t, codes.PermissionDenied, status.Code(err), "%v", err)
	_, err = dial(t, l, "admin", "look").Capabilities(t.Context())
	require.Equal(t, codes.Unauthenticated, status.Code(err), "%v", err)
	_, err = admin.Set(t.Context(), replace)
	require.NoError(t, err)
	require.Contains(t, l.asic.String(), inRegisters)

	const queue = "/qos/buffer-allocation-profiles/buffer-allocation-profile[name=p]/queues/queue[name=3]"
	get, err := api.NewGetRequest(api.Path(queue+"/state/dedicated-buffer"), api.EncodingJSON_IETF(), api.DataTypeSTATE())
	require.NoError(t, err)
	answer, err := monitor.Get(t.Context(), get)
	require.NoError(t, err)
	require.Equal(t, `"1040"`, string(answer.GetNotification()[0].GetUpdate()[0].GetVal().GetJsonIetfVal()))

	commit := func(opts ...api.GNMIOption) codes.Code {
		_, err := admin.Set(t.Context(), set(t, opts...))
		return status.Code(err)
	}
	larger := api.Update(api.Path(queue+"/config/dedicated-buffer"), api.Value("2080", "uint"))
	require.Equal(t, codes.OK, commit(larger, api.Extension_CommitRequest("one", time.Minute)))
	require.Equal(t, codes.FailedPrecondition, commit(larger, api.Extension_CommitRequest("two", time.Minute)))
	require.Equal(t, codes.InvalidArgument, commit(api.Extension_CommitConfirm("two")))
	require.Equal(t, codes.OK, commit(api.Extension_CommitSetRollbackDuration("one", time.Hour)))
	require.Contains(t, l.asic.String(), "reserved 10 cells")
	require.Equal(t, codes.OK, commit(api.Extension_CommitCancel("one")))
	require.Contains(t, l.asic.String(), inRegisters)
	require.Equal(t, codes.OK, commit(larger, api.Extension_CommitRequest("three", time.Minute)))
	require.Equal(t, codes.OK, commit(api.Extension_CommitConfirm("three")))

	once, err := api.NewSubscribeRequest(api.SubscriptionListModeONCE(), api.EncodingPROTO(),
		api.Subscription(api.Path("/qos/.../state/dedicated-buffer")))
	require.NoError(t, err)
	said, err := monitor.SubscribeOnce(t.Context(), once)
	require.NoError(t, err)
	var got []string
	for _, m := range said {
		for _, u := range m.GetUpdate().GetUpdate() {
			got = append(got, strings.Join(strings.Fields(u.GetVal().String()), " "))
		}
	}
	require.Equal(t, []string{"uint_val:2080"}, got)
}

// TestGNMICStream hears of a change as it happens.
func TestGNMICStream(t *testing.T) {
	l := start(t, server.Options{Users: []server.User{{Name: "admin", Password: "open sesame", Writes: true}}})
	c := dial(t, l, "admin", "open sesame")
	req, err := api.NewSubscribeRequest(api.SubscriptionListModeSTREAM(), api.EncodingJSON_IETF(),
		api.Subscription(api.Path("/qos/queues/queue[name=*]/config/queue-id"), api.SubscriptionModeON_CHANGE()))
	require.NoError(t, err)
	said, bad := c.SubscribeStreamChan(t.Context(), req, "queues")
	hear := func() *gnmi.SubscribeResponse {
		select {
		case m := <-said:
			return m
		case err := <-bad:
			require.NoError(t, err)
		case <-time.After(30 * time.Second):
			require.Fail(t, "nothing is heard")
		}
		return nil
	}
	require.True(t, hear().GetSyncResponse())
	_, err = c.Set(t.Context(), set(t, api.Update(api.Path("/qos/queues/queue[name=7]"),
		api.Value(`{"config":{"name":"7","queue-id":7}}`, "json_ietf"))))
	require.NoError(t, err)
	require.Equal(t, "7", string(hear().GetUpdate().GetUpdate()[0].GetVal().GetJsonIetfVal()))
}
