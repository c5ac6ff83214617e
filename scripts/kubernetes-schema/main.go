// Prints what the Go types of Kubernetes say of themselves: the fields of each built-in kind, one line each, as
// src/apiserver/schema/read-schema-table.ts reads them. Run by generate.ts beside it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	storagev1beta1 "k8s.io/api/storage/v1beta1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var kinds = []struct {
	group, version string
	objects        []any
}{
	{"", "v1", []any{
		corev1.Binding{}, corev1.ConfigMap{}, corev1.Endpoints{}, corev1.Event{}, corev1.LimitRange{}, corev1.Namespace{},
		corev1.Node{}, corev1.PersistentVolume{}, corev1.PersistentVolumeClaim{}, corev1.Pod{}, corev1.PodTemplate{},
		corev1.ReplicationController{}, corev1.ResourceQuota{}, corev1.Secret{}, corev1.Service{}, corev1.ServiceAccount{},
		metav1.DeleteOptions{}, metav1.Status{},
	}},
	{"admissionregistration.k8s.io", "v1", []any{
		admissionregistrationv1.MutatingAdmissionPolicy{}, admissionregistrationv1.MutatingAdmissionPolicyBinding{},
		admissionregistrationv1.MutatingWebhookConfiguration{}, admissionregistrationv1.ValidatingAdmissionPolicy{},
		admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, admissionregistrationv1.ValidatingWebhookConfiguration{},
	}},
	{"apiregistration.k8s.io", "v1", []any{apiregistrationv1.APIService{}}},
	{"apps", "v1", []any{
		appsv1.ControllerRevision{}, appsv1.DaemonSet{}, appsv1.Deployment{}, appsv1.ReplicaSet{}, appsv1.StatefulSet{},
	}},
	{"authentication.k8s.io", "v1", []any{
		authenticationv1.SelfSubjectReview{}, authenticationv1.TokenRequest{}, authenticationv1.TokenReview{},
	}},
	{"authorization.k8s.io", "v1", []any{
		authorizationv1.LocalSubjectAccessReview{}, authorizationv1.SelfSubjectAccessReview{},
		authorizationv1.SelfSubjectRulesReview{}, authorizationv1.SubjectAccessReview{},
	}},
	{"autoscaling", "v1", []any{autoscalingv1.HorizontalPodAutoscaler{}, autoscalingv1.Scale{}}},
	{"autoscaling", "v2", []any{autoscalingv2.HorizontalPodAutoscaler{}}},
	{"batch", "v1", []any{batchv1.CronJob{}, batchv1.Job{}}},
	{"certificates.k8s.io", "v1", []any{certificatesv1.CertificateSigningRequest{}}},
	{"coordination.k8s.io", "v1", []any{coordinationv1.Lease{}}},
	{"discovery.k8s.io", "v1", []any{discoveryv1.EndpointSlice{}}},
	{"events.k8s.io", "v1", []any{eventsv1.Event{}}},
	{"flowcontrol.apiserver.k8s.io", "v1", []any{flowcontrolv1.FlowSchema{}, flowcontrolv1.PriorityLevelConfiguration{}}},
	{"networking.k8s.io", "v1", []any{
		networkingv1.IPAddress{}, networkingv1.Ingress{}, networkingv1.IngressClass{}, networkingv1.NetworkPolicy{},
		networkingv1.ServiceCIDR{},
	}},
	{"node.k8s.io", "v1", []any{nodev1.RuntimeClass{}}},
	{"policy", "v1", []any{policyv1.Eviction{}, policyv1.PodDisruptionBudget{}}},
	{"rbac.authorization.k8s.io", "v1", []any{
		rbacv1.ClusterRole{}, rbacv1.ClusterRoleBinding{}, rbacv1.Role{}, rbacv1.RoleBinding{},
	}},
	{"resource.k8s.io", "v1", []any{
		resourcev1.DeviceClass{}, resourcev1.ResourceClaim{}, resourcev1.ResourceClaimTemplate{}, resourcev1.ResourceSlice{},
	}},
	{"scheduling.k8s.io", "v1", []any{schedulingv1.PriorityClass{}}},
	{"storage.k8s.io", "v1", []any{
		storagev1.CSIDriver{}, storagev1.CSINode{}, storagev1.CSIStorageCapacity{}, storagev1.StorageClass{},
		storagev1.VolumeAttachment{}, storagev1.VolumeAttributesClass{},
	}},
	{"storage.k8s.io", "v1beta1", []any{storagev1beta1.VolumeAttributesClass{}}},
	{"apiextensions.k8s.io", "v1", []any{apiextensionsv1.CustomResourceDefinition{}}},
}

// Types whose JSON is not their fields.
var special = map[string]string{
	"k8s.io/apimachinery/pkg/api/resource.Quantity":                                         "quantity",
	"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                                             "time",
	"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                                        "micro-time",
	"k8s.io/apimachinery/pkg/util/intstr.IntOrString":                                       "int-or-string",
	"k8s.io/apimachinery/pkg/runtime.RawExtension":                                          "raw",
	"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                                         "fields",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON":                         "json",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool":        "schema-or-bool",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray":       "schema-or-schemas",
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray": "schema-or-strings",
	"k8s.io/api/authentication/v1.ExtraValue":                                               "string-list",
	"k8s.io/api/authorization/v1.ExtraValue":                                                "string-list",
	"k8s.io/api/certificates/v1.ExtraValue":                                                 "string-list",
}

type table struct {
	markers *markers
	structs map[reflect.Type][]string
	heads   map[reflect.Type]string
}

func main() {
	t := &table{markers: newMarkers(), structs: map[reflect.Type][]string{}, heads: map[reflect.Type]string{}}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, entry := range kinds {
		for _, object := range entry.objects {
			typ := reflect.TypeOf(object)
			t.addStruct(typ)
			group := entry.group
			if group == "" {
				group = "-"
			}
			fmt.Fprintf(out, "kind %s %s %s %s\n", group, entry.version, typ.Name(), definitionName(typ))
		}
	}
	// Nothing names it as a field type: the special types refer to it.
	t.addStruct(reflect.TypeOf(apiextensionsv1.JSONSchemaProps{}))
	types := make([]reflect.Type, 0, len(t.structs))
	for typ := range t.structs {
		types = append(types, typ)
	}
	sort.Slice(types, func(i, j int) bool { return definitionName(types[i]) < definitionName(types[j]) })
	for _, typ := range types {
		fmt.Fprintf(out, "\n%s\n", t.heads[typ])
		for _, line := range t.structs[typ] {
			fmt.Fprintln(out, line)
		}
	}
}

func (t *table) addStruct(typ reflect.Type) {
	if _, seen := t.structs[typ]; seen {
		return
	}
	t.structs[typ] = nil
	t.heads[typ] = definitionName(typ)
	if t.markers.ofType(typ)["structType"] == "atomic" {
		t.heads[typ] += " atomic"
	}
	var lines []string
	for i := 0; i < typ.NumField(); i++ {
		if line := t.describeField(typ, typ.Field(i)); line != "" {
			lines = append(lines, line)
		}
	}
	t.structs[typ] = lines
}

// NAME NUMBER TYPE FLAG...; the name is ~ for a struct whose fields stand among those of its parent, the number 0 for what
// protobuf does not carry.
func (t *table) describeField(parent reflect.Type, field reflect.StructField) string {
	tag, tagged := field.Tag.Lookup("json")
	if tag == "-" || !field.IsExported() {
		return ""
	}
	name, options, _ := strings.Cut(tag, ",")
	isInline := field.Anonymous && name == ""
	if !tagged || (name == "" && !isInline) {
		fail("%s.%s has no JSON name", parent, field.Name)
	}
	if isInline {
		t.addStruct(field.Type)
		return fmt.Sprintf("~ %s %s", protobufNumber(field), definitionName(field.Type))
	}
	marked := t.markers.ofField(parent, field.Name)
	flags := []string{name, protobufNumber(field), t.describeType(field.Type, definitionPackage(parent))}
	omitsEmpty := hasOption(options, "omitempty")
	if hasOption(options, "omitzero") {
		flags = append(flags, "omitzero")
	} else if !omitsEmpty {
		flags = append(flags, "always")
	}
	if _, optional := marked["optional"]; optional && !omitsEmpty {
		flags = append(flags, "optional")
	}
	if strategy := field.Tag.Get("patchStrategy"); strategy != "" {
		flags = append(flags, "patch="+strategy)
	}
	if key := field.Tag.Get("patchMergeKey"); key != "" {
		flags = append(flags, "key="+key)
	}
	if listType := marked["listType"]; listType == "map" {
		flags = append(flags, "list=map:"+marked["listMapKey"])
	} else if listType != "" {
		flags = append(flags, "list="+listType)
	}
	if marked["structType"] == "granular" {
		flags = append(flags, "granular")
	}
	if marked["mapType"] == "atomic" || marked["structType"] == "atomic" {
		flags = append(flags, "atomic")
	}
	return strings.Join(flags, " ")
}

func hasOption(options, wanted string) bool {
	for _, option := range strings.Split(options, ",") {
		if option == wanted {
			return true
		}
	}
	return false
}

func protobufNumber(field reflect.StructField) string {
	parts := strings.Split(field.Tag.Get("protobuf"), ",")
	if len(parts) < 2 {
		return "0"
	}
	return parts[1]
}

// Types of the same package are named without it.
func (t *table) describeType(typ reflect.Type, from string) string {
	if name, known := special[typ.PkgPath()+"."+typ.Name()]; known {
		return name
	}
	if typ.Kind() != reflect.Struct && typ.Kind() != reflect.Pointer {
		if _, custom := typ.MethodByName("MarshalJSON"); custom {
			fail("%s has JSON of its own", typ)
		}
		if _, custom := typ.MethodByName("MarshalToSizedBuffer"); custom {
			fail("%s has protobuf of its own", typ)
		}
	}
	switch typ.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64, reflect.Float64:
		return typ.Kind().String()
	case reflect.Pointer:
		return "*" + t.describeType(typ.Elem(), from)
	case reflect.Slice:
		if typ.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + t.describeType(typ.Elem(), from)
	case reflect.Map:
		if typ.Key().Kind() != reflect.String {
			fail("%s has keys that are no strings", typ)
		}
		return "{}" + t.describeType(typ.Elem(), from)
	case reflect.Struct:
		if _, custom := reflect.PointerTo(typ).MethodByName("UnmarshalJSON"); custom {
			fail("%s has JSON of its own", typ)
		}
		t.addStruct(typ)
		return strings.TrimPrefix(definitionName(typ), from+".")
	}
	fail("%s is of a kind that the table does not know", typ)
	return ""
}

func definitionName(typ reflect.Type) string {
	return definitionPackage(typ) + "." + typ.Name()
}

// As OpenAPI names packages: the host turned round, then the path.
func definitionPackage(typ reflect.Type) string {
	host, path, _ := strings.Cut(typ.PkgPath(), "/")
	words := strings.Split(host, ".")
	for i, j := 0, len(words)-1; i < j; i, j = i+1, j-1 {
		words[i], words[j] = words[j], words[i]
	}
	return strings.Join(words, ".") + "." + strings.ReplaceAll(path, "/", ".")
}

func fail(format string, arguments ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", arguments...)
	os.Exit(1)
}
