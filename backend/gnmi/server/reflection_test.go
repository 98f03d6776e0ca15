package server_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/cellwarden/cellwarden/backend/gnmi/server"
	"github.com/cellwarden/cellwarden/internal/smallswitch"
)

// A client that knows nothing of gNMI gets from reflection what protobuf's own packages say of it: all services, and
// all files with what they import, from which types can be built.
func TestReflection(t *testing.T) {
	g := grpc.NewServer()
	(&server.Server{}).Register(g)
	conn := smallswitch.Pipe(t, g, 1<<14)
	stream, err := rpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	require.NoError(t, err)
	ask := func(in *rpb.ServerReflectionRequest) *rpb.ServerReflectionResponse {
		require.NoError(t, stream.Send(in))
		out, err := stream.Recv()
		require.NoError(t, err)
		return out
	}
	var services []string
	for _, s := range ask(&rpb.ServerReflectionRequest{MessageRequest: &rpb.ServerReflectionRequest_ListServices{}}).
		GetListServicesResponse().GetService() {
		services = append(services, s.GetName())
	}
	require.Equal(t, []string{"gnmi.gNMI", "grpc.reflection.v1.ServerReflection",
		"grpc.reflection.v1alpha.ServerReflection"}, services)

	file := func(out *rpb.ServerReflectionResponse) *descriptorpb.FileDescriptorProto {
		f := &descriptorpb.FileDescriptorProto{}
		require.Len(t, out.GetFileDescriptorResponse().GetFileDescriptorProto(), 1, out)
		require.NoError(t, proto.Unmarshal(out.GetFileDescriptorResponse().GetFileDescriptorProto()[0], f))
		return f
	}
	set, have := &descriptorpb.FileDescriptorSet{}, map[string]bool{}
	var add func(f *descriptorpb.FileDescriptorProto)
	add = func(f *descriptorpb.FileDescriptorProto) {
		if have[f.GetName()] {
			return
		}
		have[f.GetName()] = true
		for _, name := range f.GetDependency() {
			add(file(ask(&rpb.ServerReflectionRequest{
				MessageRequest: &rpb.ServerReflectionRequest_FileByFilename{FileByFilename: name}})))
		}
		set.File = append(set.File, f)
	}
	for _, s := range services[:2] {
		add(file(ask(&rpb.ServerReflectionRequest{
			MessageRequest: &rpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: s}})))
	}
	require.Len(t, set.GetFile(), 6)
	files, err := protodesc.NewFiles(set)
	require.NoError(t, err)
	d, err := files.FindDescriptorByName("gnmi.gNMI")
	require.NoError(t, err)
	require.NotNil(t, d.(protoreflect.ServiceDescriptor).Methods().ByName("Subscribe"))

	const options = "google.protobuf.FileOptions"
	require.Equal(t, []int32{1001}, ask(&rpb.ServerReflectionRequest{
		MessageRequest: &rpb.ServerReflectionRequest_AllExtensionNumbersOfType{AllExtensionNumbersOfType: options}}).
		GetAllExtensionNumbersResponse().GetExtensionNumber())
	require.Equal(t, "github.com/openconfig/gnmi/proto/gnmi/gnmi.proto", file(ask(&rpb.ServerReflectionRequest{
		MessageRequest: &rpb.ServerReflectionRequest_FileContainingExtension{FileContainingExtension: &rpb.ExtensionRequest{
			ContainingType: options, ExtensionNumber: 1001}}})).GetName())
	for _, none := range []*rpb.ServerReflectionRequest{{},
		{MessageRequest: &rpb.ServerReflectionRequest_FileByFilename{FileByFilename: "/etc/passwd"}},
		{MessageRequest: &rpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: "no.Such"}},
		{MessageRequest: &rpb.ServerReflectionRequest_FileContainingExtension{}}} {
		require.NotEmpty(t, ask(none).GetErrorResponse().GetErrorMessage())
	}

	old, err := conn.NewStream(t.Context(), &rpb.ServerReflection_ServiceDesc.Streams[0],
		"/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo")
	require.NoError(t, err)
	require.NoError(t, old.SendMsg(&rpb.ServerReflectionRequest{
		MessageRequest: &rpb.ServerReflectionRequest_ListServices{}}))
	out := &rpb.ServerReflectionResponse{}
	require.NoError(t, old.RecvMsg(out))
	require.Len(t, out.GetListServicesResponse().GetService(), 3)
}
