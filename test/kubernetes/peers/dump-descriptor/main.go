// Prints, as JSON, what the published Go packages know of the CSI and of the plugin registration protocol:
// every message, field, enum value, service and method, with the markings that the CSI specification gives them.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type field struct {
	Name      string `json:"name"`
	JSONName  string `json:"jsonName"`
	Number    int    `json:"number"`
	Type      string `json:"type"`
	TypeName  string `json:"typeName,omitempty"`
	Repeated  bool   `json:"repeated,omitempty"`
	KeyType   string `json:"keyType,omitempty"`
	ValueType string `json:"valueType,omitempty"`
	Oneof     string `json:"oneof,omitempty"`
	Optional  bool   `json:"optional,omitempty"`
	Secret    bool   `json:"secret,omitempty"`
	Alpha     bool   `json:"alpha,omitempty"`
}

type method struct {
	Name            string `json:"name"`
	Request         string `json:"request"`
	Response        string `json:"response"`
	ClientStreaming bool   `json:"clientStreaming,omitempty"`
	ServerStreaming bool   `json:"serverStreaming,omitempty"`
	Alpha           bool   `json:"alpha,omitempty"`
}

type dump struct {
	Messages map[string][]field        `json:"messages"`
	Enums    map[string]map[int]string `json:"enums"`
	Services map[string][]method       `json:"services"`
}

func main() {
	out := dump{map[string][]field{}, map[string]map[int]string{}, map[string][]method{}}
	files := []protoreflect.FileDescriptor{
		csi.File_csi_proto,
		registration.File_staging_src_k8s_io_kubelet_pkg_apis_pluginregistration_v1_api_proto,
	}
	for _, file := range files {
		out.addMessages(file.Messages())
		out.addEnums(file.Enums())
		out.addServices(file.Services())
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (d dump) addMessages(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		message := messages.Get(i)
		if message.IsMapEntry() {
			continue
		}
		fields := make([]field, 0, message.Fields().Len())
		for j := range message.Fields().Len() {
			fields = append(fields, describe(message.Fields().Get(j)))
		}
		d.Messages[string(message.FullName())] = fields
		d.addMessages(message.Messages())
		d.addEnums(message.Enums())
	}
}

func (d dump) addEnums(enums protoreflect.EnumDescriptors) {
	for i := range enums.Len() {
		values := map[int]string{}
		for j := range enums.Get(i).Values().Len() {
			value := enums.Get(i).Values().Get(j)
			values[int(value.Number())] = string(value.Name())
		}
		d.Enums[string(enums.Get(i).FullName())] = values
	}
}

func (d dump) addServices(services protoreflect.ServiceDescriptors) {
	for i := range services.Len() {
		methods := []method{}
		for j := range services.Get(i).Methods().Len() {
			m := services.Get(i).Methods().Get(j)
			methods = append(methods, method{
				Name:            string(m.Name()),
				Request:         string(m.Input().FullName()),
				Response:        string(m.Output().FullName()),
				ClientStreaming: m.IsStreamingClient(),
				ServerStreaming: m.IsStreamingServer(),
				Alpha:           marked(m, csi.E_AlphaMethod),
			})
		}
		d.Services[string(services.Get(i).FullName())] = methods
	}
}

func describe(f protoreflect.FieldDescriptor) field {
	out := field{
		Name:     string(f.Name()),
		JSONName: f.JSONName(),
		Number:   int(f.Number()),
		Type:     f.Kind().String(),
		TypeName: typeName(f),
		Repeated: f.IsList(),
		Optional: f.HasOptionalKeyword(),
		Secret:   marked(f, csi.E_CsiSecret),
		Alpha:    marked(f, csi.E_AlphaField),
	}
	if f.IsMap() {
		out.Type = "map"
		out.TypeName = typeName(f.MapValue())
		out.KeyType = f.MapKey().Kind().String()
		out.ValueType = f.MapValue().Kind().String()
	}
	if oneof := f.ContainingOneof(); oneof != nil && !oneof.IsSynthetic() {
		out.Oneof = string(oneof.Name())
	}
	return out
}

func typeName(f protoreflect.FieldDescriptor) string {
	switch {
	case f.Message() != nil:
		return string(f.Message().FullName())
	case f.Enum() != nil:
		return string(f.Enum().FullName())
	}
	return ""
}

// Whether the boolean option is set on it.
func marked(d protoreflect.Descriptor, option protoreflect.ExtensionType) bool {
	value, ok := proto.GetExtension(d.Options(), option).(bool)
	return ok && value
}
