package server

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"slices"

	gpb "github.com/openconfig/gnmi/proto/gnmi"
	gnmiext "github.com/openconfig/gnmi/proto/gnmi_ext"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
)

// reflector answers what services there are, and the files that describe them, by gRPC's server reflection. The
// package reflection of gRPC does so for services of any file. For that it reads the defaults of every edition of
// protobuf whenever a program starts, which costs each command as much as a third of gRPC: here the files are known.
type reflector struct {
	rpb.UnimplementedServerReflectionServer
	services func() map[string]grpc.ServiceInfo
}

// described is a message with the compressed description of its file.
type described interface {
	protoreflect.ProtoMessage
	Descriptor() ([]byte, []int)
}

// files have a message of each file of gNMI and of reflection, and of those that they import.
var files = []described{&gpb.GetRequest{}, &gnmiext.Extension{}, &rpb.ServerReflectionRequest{}, &anypb.Any{},
	&durationpb.Duration{}, &descriptorpb.FileDescriptorProto{}}

// registerReflection adds reflection, also under its earlier name: its messages are the same.
func registerReflection(g *grpc.Server) {
	r := reflector{services: g.GetServiceInfo}
	earlier := rpb.ServerReflection_ServiceDesc
	earlier.ServiceName = "grpc.reflection.v1alpha.ServerReflection"
	g.RegisterService(&earlier, r)
	rpb.RegisterServerReflectionServer(g, r)
}

// ServerReflectionInfo answers one request after another.
func (r reflector) ServerReflectionInfo(stream rpb.ServerReflection_ServerReflectionInfoServer) error {
	for {
		in, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		out := &rpb.ServerReflectionResponse{ValidHost: in.GetHost(), OriginalRequest: in}
		if err := r.answer(in, out); err != nil {
			out.MessageResponse = &rpb.ServerReflectionResponse_ErrorResponse{ErrorResponse: &rpb.ErrorResponse{
				ErrorCode: int32(codes.NotFound), ErrorMessage: err.Error()}}
		}
		if err := stream.Send(out); err != nil {
			return err
		}
	}
}

// answer sets the answer of a request.
func (r reflector) answer(in *rpb.ServerReflectionRequest, out *rpb.ServerReflectionResponse) error {
	switch q := in.GetMessageRequest().(type) {
	case *rpb.ServerReflectionRequest_FileByFilename:
		return fileAnswer(q.FileByFilename, out)
	case *rpb.ServerReflectionRequest_FileContainingSymbol:
		d, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(q.FileContainingSymbol))
		if err != nil {
			return err
		}
		return fileAnswer(d.ParentFile().Path(), out)
	case *rpb.ServerReflectionRequest_FileContainingExtension:
		e, err := protoregistry.GlobalTypes.FindExtensionByNumber(
			protoreflect.FullName(q.FileContainingExtension.GetContainingType()),
			protoreflect.FieldNumber(q.FileContainingExtension.GetExtensionNumber()))
		if err != nil {
			return err
		}
		return fileAnswer(e.TypeDescriptor().ParentFile().Path(), out)
	case *rpb.ServerReflectionRequest_AllExtensionNumbersOfType:
		numbers := &rpb.ExtensionNumberResponse{BaseTypeName: q.AllExtensionNumbersOfType}
		protoregistry.GlobalTypes.RangeExtensionsByMessage(protoreflect.FullName(q.AllExtensionNumbersOfType),
			func(e protoreflect.ExtensionType) bool {
				numbers.ExtensionNumber = append(numbers.ExtensionNumber, int32(e.TypeDescriptor().Number()))
				return true
			})
		slices.Sort(numbers.ExtensionNumber)
		out.MessageResponse = &rpb.ServerReflectionResponse_AllExtensionNumbersResponse{AllExtensionNumbersResponse: numbers}
		return nil
	case *rpb.ServerReflectionRequest_ListServices:
		list := &rpb.ListServiceResponse{}
		for _, name := range slices.Sorted(maps.Keys(r.services())) {
			list.Service = append(list.Service, &rpb.ServiceResponse{Name: name})
		}
		out.MessageResponse = &rpb.ServerReflectionResponse_ListServicesResponse{ListServicesResponse: list}
		return nil
	}
	return errors.New("no request that is known")
}

// fileAnswer answers with the description of a file. A client asks for the files that it imports by their names.
func fileAnswer(path string, out *rpb.ServerReflectionResponse) error {
	for _, m := range files {
		if m.ProtoReflect().Descriptor().ParentFile().Path() != path {
			continue
		}
		packed, _ := m.Descriptor()
		r, err := gzip.NewReader(bytes.NewReader(packed))
		if err != nil {
			return err
		}
		text, err := io.ReadAll(r)
		out.MessageResponse = &rpb.ServerReflectionResponse_FileDescriptorResponse{
			FileDescriptorResponse: &rpb.FileDescriptorResponse{FileDescriptorProto: [][]byte{text}}}
		return err
	}
	return protoregistry.NotFound
}
