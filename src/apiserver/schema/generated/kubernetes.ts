// Made by `node scripts/kubernetes-schema/generate.ts` from the Go types of Kubernetes. Do not edit.

/**
 * The built-in kinds and, after them, the structs they are made of: a line with the name of the definition, then one line a field.
 * `read-schema-table.ts` says what the words mean.
 */
export const KUBERNETES_TABLE: string = `kind - v1 Binding io.k8s.api.core.v1.Binding
kind - v1 ConfigMap io.k8s.api.core.v1.ConfigMap
kind - v1 Endpoints io.k8s.api.core.v1.Endpoints
kind - v1 Event io.k8s.api.core.v1.Event
kind - v1 LimitRange io.k8s.api.core.v1.LimitRange
kind - v1 Namespace io.k8s.api.core.v1.Namespace
kind - v1 Node io.k8s.api.core.v1.Node
kind - v1 PersistentVolume io.k8s.api.core.v1.PersistentVolume
kind - v1 PersistentVolumeClaim io.k8s.api.core.v1.PersistentVolumeClaim
kind - v1 Pod io.k8s.api.core.v1.Pod
kind - v1 PodTemplate io.k8s.api.core.v1.PodTemplate
kind - v1 ReplicationController io.k8s.api.core.v1.ReplicationController
kind - v1 ResourceQuota io.k8s.api.core.v1.ResourceQuota
kind - v1 Secret io.k8s.api.core.v1.Secret
kind - v1 Service io.k8s.api.core.v1.Service
kind - v1 ServiceAccount io.k8s.api.core.v1.ServiceAccount
kind - v1 DeleteOptions io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions
kind - v1 Status io.k8s.apimachinery.pkg.apis.meta.v1.Status
kind admissionregistration.k8s.io v1 MutatingAdmissionPolicy io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy
kind admissionregistration.k8s.io v1 MutatingAdmissionPolicyBinding io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding
kind admissionregistration.k8s.io v1 MutatingWebhookConfiguration io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration
kind admissionregistration.k8s.io v1 ValidatingAdmissionPolicy io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy
kind admissionregistration.k8s.io v1 ValidatingAdmissionPolicyBinding io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding
kind admissionregistration.k8s.io v1 ValidatingWebhookConfiguration io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration
kind apiregistration.k8s.io v1 APIService io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService
kind apps v1 ControllerRevision io.k8s.api.apps.v1.ControllerRevision
kind apps v1 DaemonSet io.k8s.api.apps.v1.DaemonSet
kind apps v1 Deployment io.k8s.api.apps.v1.Deployment
kind apps v1 ReplicaSet io.k8s.api.apps.v1.ReplicaSet
kind apps v1 StatefulSet io.k8s.api.apps.v1.StatefulSet
kind authentication.k8s.io v1 SelfSubjectReview io.k8s.api.authentication.v1.SelfSubjectReview
kind authentication.k8s.io v1 TokenRequest io.k8s.api.authentication.v1.TokenRequest
kind authentication.k8s.io v1 TokenReview io.k8s.api.authentication.v1.TokenReview
kind authorization.k8s.io v1 LocalSubjectAccessReview io.k8s.api.authorization.v1.LocalSubjectAccessReview
kind authorization.k8s.io v1 SelfSubjectAccessReview io.k8s.api.authorization.v1.SelfSubjectAccessReview
kind authorization.k8s.io v1 SelfSubjectRulesReview io.k8s.api.authorization.v1.SelfSubjectRulesReview
kind authorization.k8s.io v1 SubjectAccessReview io.k8s.api.authorization.v1.SubjectAccessReview
kind autoscaling v1 HorizontalPodAutoscaler io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler
kind autoscaling v1 Scale io.k8s.api.autoscaling.v1.Scale
kind autoscaling v2 HorizontalPodAutoscaler io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler
kind batch v1 CronJob io.k8s.api.batch.v1.CronJob
kind batch v1 Job io.k8s.api.batch.v1.Job
kind certificates.k8s.io v1 CertificateSigningRequest io.k8s.api.certificates.v1.CertificateSigningRequest
kind coordination.k8s.io v1 Lease io.k8s.api.coordination.v1.Lease
kind discovery.k8s.io v1 EndpointSlice io.k8s.api.discovery.v1.EndpointSlice
kind events.k8s.io v1 Event io.k8s.api.events.v1.Event
kind flowcontrol.apiserver.k8s.io v1 FlowSchema io.k8s.api.flowcontrol.v1.FlowSchema
kind flowcontrol.apiserver.k8s.io v1 PriorityLevelConfiguration io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration
kind networking.k8s.io v1 IPAddress io.k8s.api.networking.v1.IPAddress
kind networking.k8s.io v1 Ingress io.k8s.api.networking.v1.Ingress
kind networking.k8s.io v1 IngressClass io.k8s.api.networking.v1.IngressClass
kind networking.k8s.io v1 NetworkPolicy io.k8s.api.networking.v1.NetworkPolicy
kind networking.k8s.io v1 ServiceCIDR io.k8s.api.networking.v1.ServiceCIDR
kind node.k8s.io v1 RuntimeClass io.k8s.api.node.v1.RuntimeClass
kind policy v1 Eviction io.k8s.api.policy.v1.Eviction
kind policy v1 PodDisruptionBudget io.k8s.api.policy.v1.PodDisruptionBudget
kind rbac.authorization.k8s.io v1 ClusterRole io.k8s.api.rbac.v1.ClusterRole
kind rbac.authorization.k8s.io v1 ClusterRoleBinding io.k8s.api.rbac.v1.ClusterRoleBinding
kind rbac.authorization.k8s.io v1 Role io.k8s.api.rbac.v1.Role
kind rbac.authorization.k8s.io v1 RoleBinding io.k8s.api.rbac.v1.RoleBinding
kind resource.k8s.io v1 DeviceClass io.k8s.api.resource.v1.DeviceClass
kind resource.k8s.io v1 ResourceClaim io.k8s.api.resource.v1.ResourceClaim
kind resource.k8s.io v1 ResourceClaimTemplate io.k8s.api.resource.v1.ResourceClaimTemplate
kind resource.k8s.io v1 ResourceSlice io.k8s.api.resource.v1.ResourceSlice
kind scheduling.k8s.io v1 PriorityClass io.k8s.api.scheduling.v1.PriorityClass
kind storage.k8s.io v1 CSIDriver io.k8s.api.storage.v1.CSIDriver
kind storage.k8s.io v1 CSINode io.k8s.api.storage.v1.CSINode
kind storage.k8s.io v1 CSIStorageCapacity io.k8s.api.storage.v1.CSIStorageCapacity
kind storage.k8s.io v1 StorageClass io.k8s.api.storage.v1.StorageClass
kind storage.k8s.io v1 VolumeAttachment io.k8s.api.storage.v1.VolumeAttachment
kind storage.k8s.io v1 VolumeAttributesClass io.k8s.api.storage.v1.VolumeAttributesClass
kind storage.k8s.io v1beta1 VolumeAttributesClass io.k8s.api.storage.v1beta1.VolumeAttributesClass
kind apiextensions.k8s.io v1 CustomResourceDefinition io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition

io.k8s.api.admissionregistration.v1.ApplyConfiguration
expression 1 string

io.k8s.api.admissionregistration.v1.AuditAnnotation
key 1 string always
valueExpression 2 string always

io.k8s.api.admissionregistration.v1.ExpressionWarning
fieldRef 2 string always
warning 3 string always

io.k8s.api.admissionregistration.v1.JSONPatch
expression 1 string

io.k8s.api.admissionregistration.v1.MatchCondition
name 1 string always
expression 2 string always

io.k8s.api.admissionregistration.v1.MatchResources atomic
namespaceSelector 1 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
objectSelector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
resourceRules 3 []NamedRuleWithOperations list=atomic
excludeResourceRules 4 []NamedRuleWithOperations list=atomic
matchPolicy 7 *string

io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicy
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 MutatingAdmissionPolicySpec

io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBinding
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 MutatingAdmissionPolicyBindingSpec

io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec
policyName 1 string
paramRef 2 *ParamRef
matchResources 3 *MatchResources

io.k8s.api.admissionregistration.v1.MutatingAdmissionPolicySpec
paramKind 1 *ParamKind
matchConstraints 2 *MatchResources
variables 3 []Variable list=atomic
mutations 4 []Mutation list=atomic
failurePolicy 5 *string
matchConditions 6 []MatchCondition patch=merge key=name list=map:name
reinvocationPolicy 7 string

io.k8s.api.admissionregistration.v1.MutatingWebhook
name 1 string always
clientConfig 2 WebhookClientConfig always
rules 3 []RuleWithOperations list=atomic
failurePolicy 4 *string
matchPolicy 9 *string
namespaceSelector 5 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
objectSelector 11 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
sideEffects 6 *string always
timeoutSeconds 7 *int32
admissionReviewVersions 8 []string always list=atomic
reinvocationPolicy 10 *string
matchConditions 12 []MatchCondition patch=merge key=name list=map:name

io.k8s.api.admissionregistration.v1.MutatingWebhookConfiguration
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
webhooks 2 []MutatingWebhook patch=merge key=name list=map:name

io.k8s.api.admissionregistration.v1.Mutation
patchType 2 string always
applyConfiguration 3 *ApplyConfiguration
jsonPatch 4 *JSONPatch

io.k8s.api.admissionregistration.v1.NamedRuleWithOperations atomic
resourceNames 1 []string list=atomic
~ 2 io.k8s.api.admissionregistration.v1.RuleWithOperations

io.k8s.api.admissionregistration.v1.ParamKind atomic
apiVersion 1 string
kind 2 string

io.k8s.api.admissionregistration.v1.ParamRef atomic
name 1 string
namespace 2 string
selector 3 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
parameterNotFoundAction 4 *string

io.k8s.api.admissionregistration.v1.Rule
apiGroups 1 []string list=atomic
apiVersions 2 []string list=atomic
resources 3 []string list=atomic
scope 4 *string

io.k8s.api.admissionregistration.v1.RuleWithOperations
operations 1 []string list=atomic
~ 2 io.k8s.api.admissionregistration.v1.Rule

io.k8s.api.admissionregistration.v1.ServiceReference
namespace 1 string always
name 2 string always
path 3 *string
port 4 *int32

io.k8s.api.admissionregistration.v1.TypeChecking
expressionWarnings 1 []ExpressionWarning list=atomic

io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicy
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ValidatingAdmissionPolicySpec
status 3 ValidatingAdmissionPolicyStatus

io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ValidatingAdmissionPolicyBindingSpec

io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec
policyName 1 string
paramRef 2 *ParamRef
matchResources 3 *MatchResources
validationActions 4 []string list=set

io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicySpec
paramKind 1 *ParamKind
matchConstraints 2 *MatchResources
validations 3 []Validation list=atomic
failurePolicy 4 *string
auditAnnotations 5 []AuditAnnotation list=atomic
matchConditions 6 []MatchCondition patch=merge key=name list=map:name
variables 7 []Variable patch=merge key=name list=map:name

io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus
observedGeneration 1 int64
typeChecking 2 *TypeChecking
conditions 3 []io.k8s.apimachinery.pkg.apis.meta.v1.Condition list=map:type

io.k8s.api.admissionregistration.v1.ValidatingWebhook
name 1 string always
clientConfig 2 WebhookClientConfig always
rules 3 []RuleWithOperations list=atomic
failurePolicy 4 *string
matchPolicy 9 *string
namespaceSelector 5 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
objectSelector 10 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
sideEffects 6 *string always
timeoutSeconds 7 *int32
admissionReviewVersions 8 []string always list=atomic
matchConditions 11 []MatchCondition patch=merge key=name list=map:name

io.k8s.api.admissionregistration.v1.ValidatingWebhookConfiguration
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
webhooks 2 []ValidatingWebhook patch=merge key=name list=map:name

io.k8s.api.admissionregistration.v1.Validation
expression 1 string always
message 2 string
reason 3 *string
messageExpression 4 string

io.k8s.api.admissionregistration.v1.Variable atomic
name 1 string always
expression 2 string always

io.k8s.api.admissionregistration.v1.WebhookClientConfig
url 3 *string
service 1 *ServiceReference
caBundle 2 bytes

io.k8s.api.apps.v1.ControllerRevision
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
data 2 raw
revision 3 int64 always

io.k8s.api.apps.v1.DaemonSet
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 DaemonSetSpec
status 3 DaemonSetStatus

io.k8s.api.apps.v1.DaemonSetCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.apps.v1.DaemonSetSpec
selector 1 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector always
template 2 io.k8s.api.core.v1.PodTemplateSpec always
updateStrategy 3 DaemonSetUpdateStrategy
minReadySeconds 4 int32
revisionHistoryLimit 6 *int32

io.k8s.api.apps.v1.DaemonSetStatus
currentNumberScheduled 1 int32 always
numberMisscheduled 2 int32 always
desiredNumberScheduled 3 int32 always
numberReady 4 int32 always
observedGeneration 5 int64
updatedNumberScheduled 6 int32
numberAvailable 7 int32
numberUnavailable 8 int32
collisionCount 9 *int32
conditions 10 []DaemonSetCondition patch=merge key=type list=map:type

io.k8s.api.apps.v1.DaemonSetUpdateStrategy
type 1 string
rollingUpdate 2 *RollingUpdateDaemonSet

io.k8s.api.apps.v1.Deployment
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 DeploymentSpec
status 3 DeploymentStatus

io.k8s.api.apps.v1.DeploymentCondition
type 1 string always
status 2 string always
lastUpdateTime 6 time
lastTransitionTime 7 time
reason 4 string
message 5 string

io.k8s.api.apps.v1.DeploymentSpec
replicas 1 *int32
selector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector always
template 3 io.k8s.api.core.v1.PodTemplateSpec always
strategy 4 DeploymentStrategy patch=retainKeys
minReadySeconds 5 int32
revisionHistoryLimit 6 *int32
paused 7 bool
progressDeadlineSeconds 9 *int32

io.k8s.api.apps.v1.DeploymentStatus
observedGeneration 1 int64
replicas 2 int32
updatedReplicas 3 int32
readyReplicas 7 int32
availableReplicas 4 int32
unavailableReplicas 5 int32
terminatingReplicas 9 *int32
conditions 6 []DeploymentCondition patch=merge key=type list=map:type
collisionCount 8 *int32

io.k8s.api.apps.v1.DeploymentStrategy
type 1 string
rollingUpdate 2 *RollingUpdateDeployment

io.k8s.api.apps.v1.ReplicaSet
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ReplicaSetSpec
status 3 ReplicaSetStatus

io.k8s.api.apps.v1.ReplicaSetCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.apps.v1.ReplicaSetSpec
replicas 1 *int32
minReadySeconds 4 int32
selector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector always
template 3 io.k8s.api.core.v1.PodTemplateSpec

io.k8s.api.apps.v1.ReplicaSetStatus
replicas 1 int32 always
fullyLabeledReplicas 2 int32
readyReplicas 4 int32
availableReplicas 5 int32
terminatingReplicas 7 *int32
observedGeneration 3 int64
conditions 6 []ReplicaSetCondition patch=merge key=type list=map:type

io.k8s.api.apps.v1.RollingUpdateDaemonSet
maxUnavailable 1 *int-or-string
maxSurge 2 *int-or-string

io.k8s.api.apps.v1.RollingUpdateDeployment
maxUnavailable 1 *int-or-string
maxSurge 2 *int-or-string

io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy
partition 1 *int32
maxUnavailable 2 *int-or-string

io.k8s.api.apps.v1.StatefulSet
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 StatefulSetSpec
status 3 StatefulSetStatus

io.k8s.api.apps.v1.StatefulSetCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.apps.v1.StatefulSetOrdinals
start 1 int32 always optional

io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy
whenDeleted 1 string
whenScaled 2 string

io.k8s.api.apps.v1.StatefulSetSpec
replicas 1 *int32
selector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector always
template 3 io.k8s.api.core.v1.PodTemplateSpec always
volumeClaimTemplates 4 []io.k8s.api.core.v1.PersistentVolumeClaim list=atomic
serviceName 5 string always optional
podManagementPolicy 6 string
updateStrategy 7 StatefulSetUpdateStrategy
revisionHistoryLimit 8 *int32
minReadySeconds 9 int32
persistentVolumeClaimRetentionPolicy 10 *StatefulSetPersistentVolumeClaimRetentionPolicy
ordinals 11 *StatefulSetOrdinals

io.k8s.api.apps.v1.StatefulSetStatus
observedGeneration 1 int64
replicas 2 int32 always
readyReplicas 3 int32
currentReplicas 4 int32
updatedReplicas 5 int32
currentRevision 6 string
updateRevision 7 string
collisionCount 9 *int32
conditions 10 []StatefulSetCondition patch=merge key=type list=map:type
availableReplicas 11 int32 always optional

io.k8s.api.apps.v1.StatefulSetUpdateStrategy
type 1 string
rollingUpdate 2 *RollingUpdateStatefulSetStrategy

io.k8s.api.authentication.v1.BoundObjectReference
kind 1 string
apiVersion 2 string
name 3 string
uid 4 string

io.k8s.api.authentication.v1.SelfSubjectReview
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
status 2 SelfSubjectReviewStatus

io.k8s.api.authentication.v1.SelfSubjectReviewStatus
userInfo 1 UserInfo

io.k8s.api.authentication.v1.TokenRequest
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 TokenRequestSpec always optional
status 3 TokenRequestStatus

io.k8s.api.authentication.v1.TokenRequestSpec
audiences 1 []string always optional list=atomic
expirationSeconds 4 *int64 always optional
boundObjectRef 3 *BoundObjectReference always optional

io.k8s.api.authentication.v1.TokenRequestStatus
token 1 string always optional
expirationTimestamp 2 time always optional

io.k8s.api.authentication.v1.TokenReview
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 TokenReviewSpec always
status 3 TokenReviewStatus

io.k8s.api.authentication.v1.TokenReviewSpec
token 1 string
audiences 2 []string list=atomic

io.k8s.api.authentication.v1.TokenReviewStatus
authenticated 1 bool
user 2 UserInfo
audiences 4 []string list=atomic
error 3 string

io.k8s.api.authentication.v1.UserInfo
username 1 string
uid 2 string
groups 3 []string list=atomic
extra 4 {}string-list

io.k8s.api.authorization.v1.FieldSelectorAttributes
rawSelector 1 string
requirements 2 []io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement list=atomic

io.k8s.api.authorization.v1.LabelSelectorAttributes
rawSelector 1 string
requirements 2 []io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement list=atomic

io.k8s.api.authorization.v1.LocalSubjectAccessReview
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 SubjectAccessReviewSpec always
status 3 SubjectAccessReviewStatus

io.k8s.api.authorization.v1.NonResourceAttributes
path 1 string
verb 2 string

io.k8s.api.authorization.v1.NonResourceRule
verbs 1 []string always list=atomic
nonResourceURLs 2 []string list=atomic

io.k8s.api.authorization.v1.ResourceAttributes
namespace 1 string
verb 2 string
group 3 string
version 4 string
resource 5 string
subresource 6 string
name 7 string
fieldSelector 8 *FieldSelectorAttributes
labelSelector 9 *LabelSelectorAttributes

io.k8s.api.authorization.v1.ResourceRule
verbs 1 []string always list=atomic
apiGroups 2 []string list=atomic
resources 3 []string list=atomic
resourceNames 4 []string list=atomic

io.k8s.api.authorization.v1.SelfSubjectAccessReview
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 SelfSubjectAccessReviewSpec always
status 3 SubjectAccessReviewStatus

io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec
resourceAttributes 1 *ResourceAttributes
nonResourceAttributes 2 *NonResourceAttributes

io.k8s.api.authorization.v1.SelfSubjectRulesReview
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 SelfSubjectRulesReviewSpec always
status 3 SubjectRulesReviewStatus

io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec
namespace 1 string

io.k8s.api.authorization.v1.SubjectAccessReview
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 SubjectAccessReviewSpec always
status 3 SubjectAccessReviewStatus

io.k8s.api.authorization.v1.SubjectAccessReviewSpec
resourceAttributes 1 *ResourceAttributes
nonResourceAttributes 2 *NonResourceAttributes
user 3 string
groups 4 []string list=atomic
extra 5 {}string-list
uid 6 string

io.k8s.api.authorization.v1.SubjectAccessReviewStatus
allowed 1 bool always
denied 4 bool
reason 2 string
evaluationError 3 string

io.k8s.api.authorization.v1.SubjectRulesReviewStatus
resourceRules 1 []ResourceRule always list=atomic
nonResourceRules 2 []NonResourceRule always list=atomic
incomplete 3 bool always
evaluationError 4 string

io.k8s.api.autoscaling.v1.CrossVersionObjectReference atomic
kind 1 string always
name 2 string always
apiVersion 3 string

io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 HorizontalPodAutoscalerSpec
status 3 HorizontalPodAutoscalerStatus

io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec
scaleTargetRef 1 CrossVersionObjectReference always
minReplicas 2 *int32
maxReplicas 3 int32 always
targetCPUUtilizationPercentage 4 *int32

io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus
observedGeneration 1 *int64
lastScaleTime 2 *time
currentReplicas 3 int32 always
desiredReplicas 4 int32 always
currentCPUUtilizationPercentage 5 *int32

io.k8s.api.autoscaling.v1.Scale
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ScaleSpec
status 3 ScaleStatus

io.k8s.api.autoscaling.v1.ScaleSpec
replicas 1 int32

io.k8s.api.autoscaling.v1.ScaleStatus
replicas 1 int32 always
selector 2 string

io.k8s.api.autoscaling.v2.ContainerResourceMetricSource
name 1 string always
target 2 MetricTarget always
container 3 string always

io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus
name 1 string always
current 2 MetricValueStatus always
container 3 string always

io.k8s.api.autoscaling.v2.CrossVersionObjectReference
kind 1 string always
name 2 string always
apiVersion 3 string

io.k8s.api.autoscaling.v2.ExternalMetricSource
metric 1 MetricIdentifier always
target 2 MetricTarget always

io.k8s.api.autoscaling.v2.ExternalMetricStatus
metric 1 MetricIdentifier always
current 2 MetricValueStatus always

io.k8s.api.autoscaling.v2.HPAScalingPolicy
type 1 string always
value 2 int32 always
periodSeconds 3 int32 always

io.k8s.api.autoscaling.v2.HPAScalingRules
stabilizationWindowSeconds 3 *int32
selectPolicy 1 *string
policies 2 []HPAScalingPolicy list=atomic
tolerance 4 *quantity

io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 HorizontalPodAutoscalerSpec
status 3 HorizontalPodAutoscalerStatus

io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior
scaleUp 1 *HPAScalingRules
scaleDown 2 *HPAScalingRules

io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec
scaleTargetRef 1 CrossVersionObjectReference always
minReplicas 2 *int32
maxReplicas 3 int32 always
metrics 4 []MetricSpec list=atomic
behavior 5 *HorizontalPodAutoscalerBehavior

io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus
observedGeneration 1 *int64
lastScaleTime 2 *time
currentReplicas 3 int32
desiredReplicas 4 int32 always
currentMetrics 5 []MetricStatus always optional list=atomic
conditions 6 []HorizontalPodAutoscalerCondition patch=merge key=type list=map:type

io.k8s.api.autoscaling.v2.MetricIdentifier
name 1 string always
selector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector

io.k8s.api.autoscaling.v2.MetricSpec
type 1 string always
object 2 *ObjectMetricSource
pods 3 *PodsMetricSource
resource 4 *ResourceMetricSource
containerResource 7 *ContainerResourceMetricSource
external 5 *ExternalMetricSource

io.k8s.api.autoscaling.v2.MetricStatus
type 1 string always
object 2 *ObjectMetricStatus
pods 3 *PodsMetricStatus
resource 4 *ResourceMetricStatus
containerResource 7 *ContainerResourceMetricStatus
external 5 *ExternalMetricStatus

io.k8s.api.autoscaling.v2.MetricTarget
type 1 string always
value 2 *quantity
averageValue 3 *quantity
averageUtilization 4 *int32

io.k8s.api.autoscaling.v2.MetricValueStatus
value 1 *quantity
averageValue 2 *quantity
averageUtilization 3 *int32

io.k8s.api.autoscaling.v2.ObjectMetricSource
describedObject 1 CrossVersionObjectReference always
target 2 MetricTarget always
metric 3 MetricIdentifier always

io.k8s.api.autoscaling.v2.ObjectMetricStatus
metric 1 MetricIdentifier always
current 2 MetricValueStatus always
describedObject 3 CrossVersionObjectReference always

io.k8s.api.autoscaling.v2.PodsMetricSource
metric 1 MetricIdentifier always
target 2 MetricTarget always

io.k8s.api.autoscaling.v2.PodsMetricStatus
metric 1 MetricIdentifier always
current 2 MetricValueStatus always

io.k8s.api.autoscaling.v2.ResourceMetricSource
name 1 string always
target 2 MetricTarget always

io.k8s.api.autoscaling.v2.ResourceMetricStatus
name 1 string always
current 2 MetricValueStatus always

io.k8s.api.batch.v1.CronJob
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 CronJobSpec
status 3 CronJobStatus

io.k8s.api.batch.v1.CronJobSpec
schedule 1 string always
timeZone 8 *string
startingDeadlineSeconds 2 *int64
concurrencyPolicy 3 string
suspend 4 *bool
jobTemplate 5 JobTemplateSpec always
successfulJobsHistoryLimit 6 *int32
failedJobsHistoryLimit 7 *int32

io.k8s.api.batch.v1.CronJobStatus
active 1 []io.k8s.api.core.v1.ObjectReference list=atomic
lastScheduleTime 4 *time
lastSuccessfulTime 5 *time

io.k8s.api.batch.v1.Job
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 JobSpec
status 3 JobStatus

io.k8s.api.batch.v1.JobCondition
type 1 string always
status 2 string always
lastProbeTime 3 time
lastTransitionTime 4 time
reason 5 string
message 6 string

io.k8s.api.batch.v1.JobSpec
parallelism 1 *int32
completions 2 *int32
activeDeadlineSeconds 3 *int64
podFailurePolicy 11 *PodFailurePolicy
successPolicy 16 *SuccessPolicy
backoffLimit 7 *int32
backoffLimitPerIndex 12 *int32
maxFailedIndexes 13 *int32
selector 4 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
manualSelector 5 *bool
template 6 io.k8s.api.core.v1.PodTemplateSpec always
ttlSecondsAfterFinished 8 *int32
completionMode 9 *string
suspend 10 *bool
podReplacementPolicy 14 *string
managedBy 15 *string

io.k8s.api.batch.v1.JobStatus
conditions 1 []JobCondition patch=merge key=type list=atomic
startTime 2 *time
completionTime 3 *time
active 4 int32
succeeded 5 int32
failed 6 int32
terminating 11 *int32
completedIndexes 7 string
failedIndexes 10 *string
uncountedTerminatedPods 8 *UncountedTerminatedPods
ready 9 *int32

io.k8s.api.batch.v1.JobTemplateSpec
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 JobSpec

io.k8s.api.batch.v1.PodFailurePolicy
rules 1 []PodFailurePolicyRule always list=atomic

io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement
containerName 1 *string
operator 2 string always
values 3 []int32 always list=set

io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern
type 1 string always
status 2 string always optional

io.k8s.api.batch.v1.PodFailurePolicyRule
action 1 string always
onExitCodes 2 *PodFailurePolicyOnExitCodesRequirement
onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern list=atomic

io.k8s.api.batch.v1.SuccessPolicy
rules 1 []SuccessPolicyRule always list=atomic

io.k8s.api.batch.v1.SuccessPolicyRule
succeededIndexes 1 *string
succeededCount 2 *int32

io.k8s.api.batch.v1.UncountedTerminatedPods
succeeded 1 []string list=set
failed 2 []string list=set

io.k8s.api.certificates.v1.CertificateSigningRequest
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 CertificateSigningRequestSpec always
status 3 CertificateSigningRequestStatus

io.k8s.api.certificates.v1.CertificateSigningRequestCondition
type 1 string always
status 6 string always
reason 2 string
message 3 string
lastUpdateTime 4 time
lastTransitionTime 5 time

io.k8s.api.certificates.v1.CertificateSigningRequestSpec
request 1 bytes always
signerName 7 string always
expirationSeconds 8 *int32
usages 5 []string list=atomic
username 2 string
uid 3 string
groups 4 []string list=atomic
extra 6 {}string-list

io.k8s.api.certificates.v1.CertificateSigningRequestStatus
conditions 1 []CertificateSigningRequestCondition list=map:type
certificate 2 bytes

io.k8s.api.coordination.v1.Lease
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 LeaseSpec

io.k8s.api.coordination.v1.LeaseSpec
holderIdentity 1 *string
leaseDurationSeconds 2 *int32
acquireTime 3 *micro-time
renewTime 4 *micro-time
leaseTransitions 5 *int32
strategy 6 *string
preferredHolder 7 *string

io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource
volumeID 1 string always
fsType 2 string
partition 3 int32
readOnly 4 bool

io.k8s.api.core.v1.Affinity
nodeAffinity 1 *NodeAffinity
podAffinity 2 *PodAffinity
podAntiAffinity 3 *PodAntiAffinity

io.k8s.api.core.v1.AppArmorProfile
type 1 string always
localhostProfile 2 *string

io.k8s.api.core.v1.AttachedVolume
name 1 string always
devicePath 2 string always

io.k8s.api.core.v1.AzureDiskVolumeSource
diskName 1 string always
diskURI 2 string always
cachingMode 3 *string
fsType 4 *string
readOnly 5 *bool
kind 6 *string

io.k8s.api.core.v1.AzureFilePersistentVolumeSource
secretName 1 string always
shareName 2 string always
readOnly 3 bool
secretNamespace 4 *string always optional

io.k8s.api.core.v1.AzureFileVolumeSource
secretName 1 string always
shareName 2 string always
readOnly 3 bool

io.k8s.api.core.v1.Binding
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
target 2 ObjectReference always

io.k8s.api.core.v1.CSIPersistentVolumeSource
driver 1 string always
volumeHandle 2 string always
readOnly 3 bool
fsType 4 string
volumeAttributes 5 {}string
controllerPublishSecretRef 6 *SecretReference
nodeStageSecretRef 7 *SecretReference
nodePublishSecretRef 8 *SecretReference
controllerExpandSecretRef 9 *SecretReference
nodeExpandSecretRef 10 *SecretReference

io.k8s.api.core.v1.CSIVolumeSource
driver 1 string always
readOnly 2 *bool
fsType 3 *string
volumeAttributes 4 {}string
nodePublishSecretRef 5 *LocalObjectReference

io.k8s.api.core.v1.Capabilities
add 1 []string list=atomic
drop 2 []string list=atomic

io.k8s.api.core.v1.CephFSPersistentVolumeSource
monitors 1 []string always list=atomic
path 2 string
user 3 string
secretFile 4 string
secretRef 5 *SecretReference
readOnly 6 bool

io.k8s.api.core.v1.CephFSVolumeSource
monitors 1 []string always list=atomic
path 2 string
user 3 string
secretFile 4 string
secretRef 5 *LocalObjectReference
readOnly 6 bool

io.k8s.api.core.v1.CinderPersistentVolumeSource
volumeID 1 string always
fsType 2 string
readOnly 3 bool
secretRef 4 *SecretReference

io.k8s.api.core.v1.CinderVolumeSource
volumeID 1 string always
fsType 2 string
readOnly 3 bool
secretRef 4 *LocalObjectReference

io.k8s.api.core.v1.ClientIPConfig
timeoutSeconds 1 *int32

io.k8s.api.core.v1.ClusterTrustBundleProjection
name 1 *string
signerName 2 *string
labelSelector 3 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
optional 5 *bool
path 4 string always

io.k8s.api.core.v1.ConfigMap
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
immutable 4 *bool
data 2 {}string
binaryData 3 {}bytes

io.k8s.api.core.v1.ConfigMapEnvSource
~ 1 io.k8s.api.core.v1.LocalObjectReference
optional 2 *bool

io.k8s.api.core.v1.ConfigMapKeySelector atomic
~ 1 io.k8s.api.core.v1.LocalObjectReference
key 2 string always
optional 3 *bool

io.k8s.api.core.v1.ConfigMapNodeConfigSource
namespace 1 string always
name 2 string always
uid 3 string
resourceVersion 4 string
kubeletConfigKey 5 string always

io.k8s.api.core.v1.ConfigMapProjection
~ 1 io.k8s.api.core.v1.LocalObjectReference
items 2 []KeyToPath list=atomic
optional 4 *bool

io.k8s.api.core.v1.ConfigMapVolumeSource
~ 1 io.k8s.api.core.v1.LocalObjectReference
items 2 []KeyToPath list=atomic
defaultMode 3 *int32
optional 4 *bool

io.k8s.api.core.v1.Container
name 1 string always
image 2 string
command 3 []string list=atomic
args 4 []string list=atomic
workingDir 5 string
ports 6 []ContainerPort patch=merge key=containerPort list=map:containerPort,protocol
envFrom 19 []EnvFromSource list=atomic
env 7 []EnvVar patch=merge key=name list=map:name
resources 8 ResourceRequirements
resizePolicy 23 []ContainerResizePolicy list=atomic
restartPolicy 24 *string
restartPolicyRules 25 []ContainerRestartRule list=atomic
volumeMounts 9 []VolumeMount patch=merge key=mountPath list=map:mountPath
volumeDevices 21 []VolumeDevice patch=merge key=devicePath list=map:devicePath
livenessProbe 10 *Probe
readinessProbe 11 *Probe
startupProbe 22 *Probe
lifecycle 12 *Lifecycle
terminationMessagePath 13 string
terminationMessagePolicy 20 string
imagePullPolicy 14 string
securityContext 15 *SecurityContext
stdin 16 bool
stdinOnce 17 bool
tty 18 bool

io.k8s.api.core.v1.ContainerExtendedResourceRequest
containerName 1 string always
resourceName 2 string always
requestName 3 string always

io.k8s.api.core.v1.ContainerImage
names 1 []string always optional list=atomic
sizeBytes 2 int64

io.k8s.api.core.v1.ContainerPort
name 1 string
hostPort 2 int32
containerPort 3 int32 always
protocol 4 string
hostIP 5 string

io.k8s.api.core.v1.ContainerResizePolicy
resourceName 1 string always
restartPolicy 2 string always

io.k8s.api.core.v1.ContainerRestartRule
action 1 string
exitCodes 2 *ContainerRestartRuleOnExitCodes

io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes
operator 1 string
values 2 []int32 list=set

io.k8s.api.core.v1.ContainerState
waiting 1 *ContainerStateWaiting
running 2 *ContainerStateRunning
terminated 3 *ContainerStateTerminated

io.k8s.api.core.v1.ContainerStateRunning
startedAt 1 time

io.k8s.api.core.v1.ContainerStateTerminated
exitCode 1 int32 always
signal 2 int32
reason 3 string
message 4 string
startedAt 5 time
finishedAt 6 time
containerID 7 string

io.k8s.api.core.v1.ContainerStateWaiting
reason 1 string
message 2 string

io.k8s.api.core.v1.ContainerStatus
name 1 string always
state 2 ContainerState
lastState 3 ContainerState
ready 4 bool always
restartCount 5 int32 always
image 6 string always
imageID 7 string always
containerID 8 string
started 9 *bool
allocatedResources 10 {}quantity
resources 11 *ResourceRequirements
volumeMounts 12 []VolumeMountStatus patch=merge key=mountPath list=map:mountPath
user 13 *ContainerUser
allocatedResourcesStatus 14 []ResourceStatus patch=merge key=name list=map:name
stopSignal 15 *string

io.k8s.api.core.v1.ContainerUser
linux 1 *LinuxContainerUser

io.k8s.api.core.v1.DaemonEndpoint
Port 1 int32 always

io.k8s.api.core.v1.DownwardAPIProjection
items 1 []DownwardAPIVolumeFile list=atomic

io.k8s.api.core.v1.DownwardAPIVolumeFile
path 1 string always
fieldRef 2 *ObjectFieldSelector
resourceFieldRef 3 *ResourceFieldSelector
mode 4 *int32

io.k8s.api.core.v1.DownwardAPIVolumeSource
items 1 []DownwardAPIVolumeFile list=atomic
defaultMode 2 *int32

io.k8s.api.core.v1.EmptyDirVolumeSource
medium 1 string
sizeLimit 2 *quantity

io.k8s.api.core.v1.EndpointAddress atomic
ip 1 string always
hostname 3 string
nodeName 4 *string
targetRef 2 *ObjectReference

io.k8s.api.core.v1.EndpointPort atomic
name 1 string
port 2 int32 always
protocol 3 string
appProtocol 4 *string

io.k8s.api.core.v1.EndpointSubset
addresses 1 []EndpointAddress list=atomic
notReadyAddresses 2 []EndpointAddress list=atomic
ports 3 []EndpointPort list=atomic

io.k8s.api.core.v1.Endpoints
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
subsets 2 []EndpointSubset list=atomic

io.k8s.api.core.v1.EnvFromSource
prefix 1 string
configMapRef 2 *ConfigMapEnvSource
secretRef 3 *SecretEnvSource

io.k8s.api.core.v1.EnvVar
name 1 string always
value 2 string
valueFrom 3 *EnvVarSource

io.k8s.api.core.v1.EnvVarSource
fieldRef 1 *ObjectFieldSelector
resourceFieldRef 2 *ResourceFieldSelector
configMapKeyRef 3 *ConfigMapKeySelector
secretKeyRef 4 *SecretKeySelector
fileKeyRef 5 *FileKeySelector

io.k8s.api.core.v1.EphemeralContainer
~ 1 io.k8s.api.core.v1.EphemeralContainerCommon
targetContainerName 2 string

io.k8s.api.core.v1.EphemeralContainerCommon
name 1 string always
image 2 string
command 3 []string list=atomic
args 4 []string list=atomic
workingDir 5 string
ports 6 []ContainerPort patch=merge key=containerPort list=map:containerPort,protocol
envFrom 19 []EnvFromSource list=atomic
env 7 []EnvVar patch=merge key=name list=map:name
resources 8 ResourceRequirements
resizePolicy 23 []ContainerResizePolicy list=atomic
restartPolicy 24 *string
restartPolicyRules 25 []ContainerRestartRule list=atomic
volumeMounts 9 []VolumeMount patch=merge key=mountPath list=map:mountPath
volumeDevices 21 []VolumeDevice patch=merge key=devicePath list=map:devicePath
livenessProbe 10 *Probe
readinessProbe 11 *Probe
startupProbe 22 *Probe
lifecycle 12 *Lifecycle
terminationMessagePath 13 string
terminationMessagePolicy 20 string
imagePullPolicy 14 string
securityContext 15 *SecurityContext
stdin 16 bool
stdinOnce 17 bool
tty 18 bool

io.k8s.api.core.v1.EphemeralVolumeSource
volumeClaimTemplate 1 *PersistentVolumeClaimTemplate

io.k8s.api.core.v1.Event
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta always
involvedObject 2 ObjectReference always
reason 3 string
message 4 string
source 5 EventSource
firstTimestamp 6 time
lastTimestamp 7 time
count 8 int32
type 9 string
eventTime 10 micro-time
series 11 *EventSeries
action 12 string
related 13 *ObjectReference
reportingComponent 14 string always optional
reportingInstance 15 string always optional

io.k8s.api.core.v1.EventSeries
count 1 int32
lastObservedTime 2 micro-time

io.k8s.api.core.v1.EventSource
component 1 string
host 2 string

io.k8s.api.core.v1.ExecAction
command 1 []string list=atomic

io.k8s.api.core.v1.FCVolumeSource
targetWWNs 1 []string list=atomic
lun 2 *int32
fsType 3 string
readOnly 4 bool
wwids 5 []string list=atomic

io.k8s.api.core.v1.FileKeySelector atomic
volumeName 1 string always
path 2 string always
key 3 string always
optional 4 *bool

io.k8s.api.core.v1.FlexPersistentVolumeSource
driver 1 string always
fsType 2 string
secretRef 3 *SecretReference
readOnly 4 bool
options 5 {}string

io.k8s.api.core.v1.FlexVolumeSource
driver 1 string always
fsType 2 string
secretRef 3 *LocalObjectReference
readOnly 4 bool
options 5 {}string

io.k8s.api.core.v1.FlockerVolumeSource
datasetName 1 string
datasetUUID 2 string

io.k8s.api.core.v1.GCEPersistentDiskVolumeSource
pdName 1 string always
fsType 2 string
partition 3 int32
readOnly 4 bool

io.k8s.api.core.v1.GRPCAction
port 1 int32 always
service 2 *string always optional

io.k8s.api.core.v1.GitRepoVolumeSource
repository 1 string always
revision 2 string
directory 3 string

io.k8s.api.core.v1.GlusterfsPersistentVolumeSource
endpoints 1 string always
path 2 string always
readOnly 3 bool
endpointsNamespace 4 *string

io.k8s.api.core.v1.GlusterfsVolumeSource
endpoints 1 string always
path 2 string always
readOnly 3 bool

io.k8s.api.core.v1.HTTPGetAction
path 1 string
port 2 int-or-string always
host 3 string
scheme 4 string
httpHeaders 5 []HTTPHeader list=atomic

io.k8s.api.core.v1.HTTPHeader
name 1 string always
value 2 string always

io.k8s.api.core.v1.HostAlias
ip 1 string always
hostnames 2 []string list=atomic

io.k8s.api.core.v1.HostIP
ip 1 string always

io.k8s.api.core.v1.HostPathVolumeSource
path 1 string always
type 2 *string

io.k8s.api.core.v1.ISCSIPersistentVolumeSource
targetPortal 1 string always
iqn 2 string always
lun 3 int32 always
iscsiInterface 4 string
fsType 5 string
readOnly 6 bool
portals 7 []string list=atomic
chapAuthDiscovery 8 bool
chapAuthSession 11 bool
secretRef 10 *SecretReference
initiatorName 12 *string

io.k8s.api.core.v1.ISCSIVolumeSource
targetPortal 1 string always
iqn 2 string always
lun 3 int32 always
iscsiInterface 4 string
fsType 5 string
readOnly 6 bool
portals 7 []string list=atomic
chapAuthDiscovery 8 bool
chapAuthSession 11 bool
secretRef 10 *LocalObjectReference
initiatorName 12 *string

io.k8s.api.core.v1.ImageVolumeSource
reference 1 string
pullPolicy 2 string

io.k8s.api.core.v1.ImageVolumeStatus
imageRef 1 string

io.k8s.api.core.v1.KeyToPath
key 1 string always
path 2 string always
mode 3 *int32

io.k8s.api.core.v1.Lifecycle
postStart 1 *LifecycleHandler
preStop 2 *LifecycleHandler
stopSignal 3 *string

io.k8s.api.core.v1.LifecycleHandler
exec 1 *ExecAction
httpGet 2 *HTTPGetAction
tcpSocket 3 *TCPSocketAction
sleep 4 *SleepAction

io.k8s.api.core.v1.LimitRange
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 LimitRangeSpec

io.k8s.api.core.v1.LimitRangeItem
type 1 string always
max 2 {}quantity
min 3 {}quantity
default 4 {}quantity
defaultRequest 5 {}quantity
maxLimitRequestRatio 6 {}quantity

io.k8s.api.core.v1.LimitRangeSpec
limits 1 []LimitRangeItem always list=atomic

io.k8s.api.core.v1.LinuxContainerUser
uid 1 int64 always
gid 2 int64 always
supplementalGroups 3 []int64 list=atomic

io.k8s.api.core.v1.LoadBalancerIngress
ip 1 string
hostname 2 string
ipMode 3 *string
ports 4 []PortStatus list=atomic

io.k8s.api.core.v1.LoadBalancerStatus
ingress 1 []LoadBalancerIngress list=atomic

io.k8s.api.core.v1.LocalObjectReference atomic
name 1 string

io.k8s.api.core.v1.LocalVolumeSource
path 1 string always
fsType 2 *string

io.k8s.api.core.v1.ModifyVolumeStatus
targetVolumeAttributesClassName 1 string
status 2 string always

io.k8s.api.core.v1.NFSVolumeSource
server 1 string always
path 2 string always
readOnly 3 bool

io.k8s.api.core.v1.Namespace
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 NamespaceSpec
status 3 NamespaceStatus

io.k8s.api.core.v1.NamespaceCondition
type 1 string always
status 2 string always
lastTransitionTime 4 time
reason 5 string
message 6 string

io.k8s.api.core.v1.NamespaceSpec
finalizers 1 []string list=atomic

io.k8s.api.core.v1.NamespaceStatus
phase 1 string
conditions 2 []NamespaceCondition patch=merge key=type list=map:type

io.k8s.api.core.v1.Node
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 NodeSpec
status 3 NodeStatus

io.k8s.api.core.v1.NodeAddress
type 1 string always
address 2 string always

io.k8s.api.core.v1.NodeAffinity
requiredDuringSchedulingIgnoredDuringExecution 1 *NodeSelector
preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm list=atomic

io.k8s.api.core.v1.NodeAllocatableResourceClaimStatus
resourceClaimName 1 string always
containers 2 []string list=set
resources 3 {}quantity always

io.k8s.api.core.v1.NodeCondition
type 1 string always
status 2 string always
lastHeartbeatTime 3 time
lastTransitionTime 4 time
reason 5 string
message 6 string

io.k8s.api.core.v1.NodeConfigSource
configMap 2 *ConfigMapNodeConfigSource

io.k8s.api.core.v1.NodeConfigStatus
assigned 1 *NodeConfigSource
active 2 *NodeConfigSource
lastKnownGood 3 *NodeConfigSource
error 4 string

io.k8s.api.core.v1.NodeDaemonEndpoints
kubeletEndpoint 1 DaemonEndpoint

io.k8s.api.core.v1.NodeFeatures
supplementalGroupsPolicy 1 *bool

io.k8s.api.core.v1.NodeRuntimeHandler
name 1 string always optional
features 2 *NodeRuntimeHandlerFeatures

io.k8s.api.core.v1.NodeRuntimeHandlerFeatures
recursiveReadOnlyMounts 1 *bool
userNamespaces 2 *bool

io.k8s.api.core.v1.NodeSelector atomic
nodeSelectorTerms 1 []NodeSelectorTerm always list=atomic

io.k8s.api.core.v1.NodeSelectorRequirement
key 1 string always
operator 2 string always
values 3 []string list=atomic

io.k8s.api.core.v1.NodeSelectorTerm atomic
matchExpressions 1 []NodeSelectorRequirement list=atomic
matchFields 2 []NodeSelectorRequirement list=atomic

io.k8s.api.core.v1.NodeSpec
podCIDR 1 string
podCIDRs 7 []string patch=merge list=set
providerID 3 string
unschedulable 4 bool
taints 5 []Taint list=atomic
configSource 6 *NodeConfigSource
externalID 2 string

io.k8s.api.core.v1.NodeStatus
capacity 1 {}quantity
allocatable 2 {}quantity
phase 3 string
conditions 4 []NodeCondition patch=merge key=type list=map:type
addresses 5 []NodeAddress patch=merge key=type list=map:type
daemonEndpoints 6 NodeDaemonEndpoints
nodeInfo 7 NodeSystemInfo
images 8 []ContainerImage list=atomic
volumesInUse 9 []string list=atomic
volumesAttached 10 []AttachedVolume list=atomic
config 11 *NodeConfigStatus
runtimeHandlers 12 []NodeRuntimeHandler list=atomic
features 13 *NodeFeatures
declaredFeatures 14 []string list=atomic

io.k8s.api.core.v1.NodeSwapStatus
capacity 1 *int64

io.k8s.api.core.v1.NodeSystemInfo
machineID 1 string always
systemUUID 2 string always
bootID 3 string always
kernelVersion 4 string always
osImage 5 string always
containerRuntimeVersion 6 string always
kubeletVersion 7 string always
kubeProxyVersion 8 string always
operatingSystem 9 string always
architecture 10 string always
swap 11 *NodeSwapStatus

io.k8s.api.core.v1.ObjectFieldSelector atomic
apiVersion 1 string
fieldPath 2 string always

io.k8s.api.core.v1.ObjectReference atomic
kind 1 string
namespace 2 string
name 3 string
uid 4 string
apiVersion 5 string
resourceVersion 6 string
fieldPath 7 string

io.k8s.api.core.v1.PersistentVolume
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PersistentVolumeSpec
status 3 PersistentVolumeStatus

io.k8s.api.core.v1.PersistentVolumeClaim
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PersistentVolumeClaimSpec
status 3 PersistentVolumeClaimStatus

io.k8s.api.core.v1.PersistentVolumeClaimCondition
type 1 string always
status 2 string always
lastProbeTime 3 time
lastTransitionTime 4 time
reason 5 string
message 6 string

io.k8s.api.core.v1.PersistentVolumeClaimSpec
accessModes 1 []string list=atomic
selector 4 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
resources 2 VolumeResourceRequirements
volumeName 3 string
storageClassName 5 *string
volumeMode 6 *string
dataSource 7 *TypedLocalObjectReference
dataSourceRef 8 *TypedObjectReference
volumeAttributesClassName 9 *string

io.k8s.api.core.v1.PersistentVolumeClaimStatus
phase 1 string
accessModes 2 []string list=atomic
capacity 3 {}quantity
conditions 4 []PersistentVolumeClaimCondition patch=merge key=type list=map:type
allocatedResources 5 {}quantity
allocatedResourceStatuses 7 {}string
currentVolumeAttributesClassName 8 *string
modifyVolumeStatus 9 *ModifyVolumeStatus

io.k8s.api.core.v1.PersistentVolumeClaimTemplate
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PersistentVolumeClaimSpec always

io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource
claimName 1 string always
readOnly 2 bool

io.k8s.api.core.v1.PersistentVolumeSource
gcePersistentDisk 1 *GCEPersistentDiskVolumeSource
awsElasticBlockStore 2 *AWSElasticBlockStoreVolumeSource
hostPath 3 *HostPathVolumeSource
glusterfs 4 *GlusterfsPersistentVolumeSource
nfs 5 *NFSVolumeSource
rbd 6 *RBDPersistentVolumeSource
iscsi 7 *ISCSIPersistentVolumeSource
cinder 8 *CinderPersistentVolumeSource
cephfs 9 *CephFSPersistentVolumeSource
fc 10 *FCVolumeSource
flocker 11 *FlockerVolumeSource
flexVolume 12 *FlexPersistentVolumeSource
azureFile 13 *AzureFilePersistentVolumeSource
vsphereVolume 14 *VsphereVirtualDiskVolumeSource
quobyte 15 *QuobyteVolumeSource
azureDisk 16 *AzureDiskVolumeSource
photonPersistentDisk 17 *PhotonPersistentDiskVolumeSource
portworxVolume 18 *PortworxVolumeSource
scaleIO 19 *ScaleIOPersistentVolumeSource
local 20 *LocalVolumeSource
storageos 21 *StorageOSPersistentVolumeSource
csi 22 *CSIPersistentVolumeSource

io.k8s.api.core.v1.PersistentVolumeSpec
capacity 1 {}quantity
~ 2 io.k8s.api.core.v1.PersistentVolumeSource
accessModes 3 []string list=atomic
claimRef 4 *ObjectReference granular
persistentVolumeReclaimPolicy 5 string
storageClassName 6 string
mountOptions 7 []string list=atomic
volumeMode 8 *string
nodeAffinity 9 *VolumeNodeAffinity
volumeAttributesClassName 10 *string

io.k8s.api.core.v1.PersistentVolumeStatus
phase 1 string
message 2 string
reason 3 string
lastPhaseTransitionTime 4 *time

io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource
pdID 1 string always
fsType 2 string

io.k8s.api.core.v1.Pod
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PodSpec
status 3 PodStatus

io.k8s.api.core.v1.PodAffinity
requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm list=atomic
preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm list=atomic

io.k8s.api.core.v1.PodAffinityTerm
labelSelector 1 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
namespaces 2 []string list=atomic
topologyKey 3 string always
namespaceSelector 4 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
matchLabelKeys 5 []string list=atomic
mismatchLabelKeys 6 []string list=atomic

io.k8s.api.core.v1.PodAntiAffinity
requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm list=atomic
preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm list=atomic

io.k8s.api.core.v1.PodCertificateProjection
signerName 1 string
keyType 2 string
maxExpirationSeconds 3 *int32
credentialBundlePath 4 string
keyPath 5 string
certificateChainPath 6 string
userAnnotations 7 {}string

io.k8s.api.core.v1.PodCondition
type 1 string always
observedGeneration 7 int64
status 2 string always
lastProbeTime 3 time
lastTransitionTime 4 time
reason 5 string
message 6 string

io.k8s.api.core.v1.PodDNSConfig
nameservers 1 []string list=atomic
searches 2 []string list=atomic
options 3 []PodDNSConfigOption list=atomic

io.k8s.api.core.v1.PodDNSConfigOption
name 1 string
value 2 *string

io.k8s.api.core.v1.PodExtendedResourceClaimStatus
requestMappings 1 []ContainerExtendedResourceRequest always list=atomic
resourceClaimName 2 string always

io.k8s.api.core.v1.PodIP
ip 1 string always

io.k8s.api.core.v1.PodOS
name 1 string always

io.k8s.api.core.v1.PodReadinessGate
conditionType 1 string always

io.k8s.api.core.v1.PodResourceClaim
name 1 string always
resourceClaimName 3 *string
resourceClaimTemplateName 4 *string

io.k8s.api.core.v1.PodResourceClaimStatus
name 1 string always
resourceClaimName 2 *string

io.k8s.api.core.v1.PodSchedulingGate
name 1 string always

io.k8s.api.core.v1.PodSchedulingGroup
podGroupName 1 *string

io.k8s.api.core.v1.PodSecurityContext
seLinuxOptions 1 *SELinuxOptions
windowsOptions 8 *WindowsSecurityContextOptions
runAsUser 2 *int64
runAsGroup 6 *int64
runAsNonRoot 3 *bool
supplementalGroups 4 []int64 list=atomic
supplementalGroupsPolicy 12 *string
fsGroup 5 *int64
sysctls 7 []Sysctl list=atomic
fsGroupChangePolicy 9 *string
seccompProfile 10 *SeccompProfile
appArmorProfile 11 *AppArmorProfile
seLinuxChangePolicy 13 *string

io.k8s.api.core.v1.PodSpec
volumes 1 []Volume patch=merge,retainKeys key=name list=map:name
initContainers 20 []Container patch=merge key=name list=map:name
containers 2 []Container always patch=merge key=name list=map:name
ephemeralContainers 34 []EphemeralContainer patch=merge key=name list=map:name
restartPolicy 3 string
terminationGracePeriodSeconds 4 *int64
activeDeadlineSeconds 5 *int64
dnsPolicy 6 string
nodeSelector 7 {}string atomic
serviceAccountName 8 string
serviceAccount 9 string
automountServiceAccountToken 21 *bool
nodeName 10 string
hostNetwork 11 bool
hostPID 12 bool
hostIPC 13 bool
shareProcessNamespace 27 *bool
securityContext 14 *PodSecurityContext
imagePullSecrets 15 []LocalObjectReference patch=merge key=name list=map:name
hostname 16 string
subdomain 17 string
affinity 18 *Affinity
schedulerName 19 string
tolerations 22 []Toleration list=atomic
hostAliases 23 []HostAlias patch=merge key=ip list=map:ip
priorityClassName 24 string
priority 25 *int32
dnsConfig 26 *PodDNSConfig
readinessGates 28 []PodReadinessGate list=atomic
runtimeClassName 29 *string
enableServiceLinks 30 *bool
preemptionPolicy 31 *string
overhead 32 {}quantity
topologySpreadConstraints 33 []TopologySpreadConstraint patch=merge key=topologyKey list=map:topologyKey,whenUnsatisfiable
setHostnameAsFQDN 35 *bool
os 36 *PodOS
hostUsers 37 *bool
schedulingGates 38 []PodSchedulingGate patch=merge key=name list=map:name
resourceClaims 39 []PodResourceClaim patch=merge,retainKeys key=name list=map:name
resources 40 *ResourceRequirements
hostnameOverride 41 *string
schedulingGroup 43 *PodSchedulingGroup

io.k8s.api.core.v1.PodStatus
observedGeneration 17 int64
phase 1 string
conditions 2 []PodCondition patch=merge key=type list=map:type
message 3 string
reason 4 string
nominatedNodeName 11 string
hostIP 5 string
hostIPs 16 []HostIP patch=merge key=ip list=atomic
podIP 6 string
podIPs 12 []PodIP patch=merge key=ip list=map:ip
startTime 7 *time
initContainerStatuses 10 []ContainerStatus list=atomic
containerStatuses 8 []ContainerStatus list=atomic
qosClass 9 string
ephemeralContainerStatuses 13 []ContainerStatus list=atomic
resize 14 string
resourceClaimStatuses 15 []PodResourceClaimStatus patch=merge,retainKeys key=name list=map:name
extendedResourceClaimStatus 18 *PodExtendedResourceClaimStatus
allocatedResources 19 {}quantity
resources 20 *ResourceRequirements
nodeAllocatableResourceClaimStatuses 21 []NodeAllocatableResourceClaimStatus list=atomic

io.k8s.api.core.v1.PodTemplate
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
template 2 PodTemplateSpec

io.k8s.api.core.v1.PodTemplateSpec
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PodSpec

io.k8s.api.core.v1.PortStatus
port 1 int32 always
protocol 2 string always
error 3 *string

io.k8s.api.core.v1.PortworxVolumeSource
volumeID 1 string always
fsType 2 string
readOnly 3 bool

io.k8s.api.core.v1.PreferredSchedulingTerm
weight 1 int32 always
preference 2 NodeSelectorTerm always

io.k8s.api.core.v1.Probe
~ 1 io.k8s.api.core.v1.ProbeHandler
initialDelaySeconds 2 int32
timeoutSeconds 3 int32
periodSeconds 4 int32
successThreshold 5 int32
failureThreshold 6 int32
terminationGracePeriodSeconds 7 *int64

io.k8s.api.core.v1.ProbeHandler
exec 1 *ExecAction
httpGet 2 *HTTPGetAction
tcpSocket 3 *TCPSocketAction
grpc 4 *GRPCAction

io.k8s.api.core.v1.ProjectedVolumeSource
sources 1 []VolumeProjection always optional list=atomic
defaultMode 2 *int32

io.k8s.api.core.v1.QuobyteVolumeSource
registry 1 string always
volume 2 string always
readOnly 3 bool
user 4 string
group 5 string
tenant 6 string

io.k8s.api.core.v1.RBDPersistentVolumeSource
monitors 1 []string always list=atomic
image 2 string always
fsType 3 string
pool 4 string
user 5 string
keyring 6 string
secretRef 7 *SecretReference
readOnly 8 bool

io.k8s.api.core.v1.RBDVolumeSource
monitors 1 []string always list=atomic
image 2 string always
fsType 3 string
pool 4 string
user 5 string
keyring 6 string
secretRef 7 *LocalObjectReference
readOnly 8 bool

io.k8s.api.core.v1.ReplicationController
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ReplicationControllerSpec
status 3 ReplicationControllerStatus

io.k8s.api.core.v1.ReplicationControllerCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.core.v1.ReplicationControllerSpec
replicas 1 *int32
minReadySeconds 4 int32
selector 2 {}string atomic
template 3 *PodTemplateSpec

io.k8s.api.core.v1.ReplicationControllerStatus
replicas 1 int32 always
fullyLabeledReplicas 2 int32
readyReplicas 4 int32
availableReplicas 5 int32
observedGeneration 3 int64
conditions 6 []ReplicationControllerCondition patch=merge key=type list=map:type

io.k8s.api.core.v1.ResourceClaim
name 1 string always
request 2 string

io.k8s.api.core.v1.ResourceFieldSelector atomic
containerName 1 string
resource 2 string always
divisor 3 quantity

io.k8s.api.core.v1.ResourceHealth
resourceID 1 string always
health 2 string
message 6 *string

io.k8s.api.core.v1.ResourceQuota
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ResourceQuotaSpec
status 3 ResourceQuotaStatus

io.k8s.api.core.v1.ResourceQuotaSpec
hard 1 {}quantity
scopes 2 []string list=atomic
scopeSelector 3 *ScopeSelector

io.k8s.api.core.v1.ResourceQuotaStatus
hard 1 {}quantity
used 2 {}quantity

io.k8s.api.core.v1.ResourceRequirements
limits 1 {}quantity
requests 2 {}quantity
claims 3 []ResourceClaim list=map:name

io.k8s.api.core.v1.ResourceStatus
name 1 string always
resources 2 []ResourceHealth list=map:resourceID

io.k8s.api.core.v1.SELinuxOptions
user 1 string
role 2 string
type 3 string
level 4 string

io.k8s.api.core.v1.ScaleIOPersistentVolumeSource
gateway 1 string always
system 2 string always
secretRef 3 *SecretReference always
sslEnabled 4 bool
protectionDomain 5 string
storagePool 6 string
storageMode 7 string
volumeName 8 string
fsType 9 string
readOnly 10 bool

io.k8s.api.core.v1.ScaleIOVolumeSource
gateway 1 string always
system 2 string always
secretRef 3 *LocalObjectReference always
sslEnabled 4 bool
protectionDomain 5 string
storagePool 6 string
storageMode 7 string
volumeName 8 string
fsType 9 string
readOnly 10 bool

io.k8s.api.core.v1.ScopeSelector atomic
matchExpressions 1 []ScopedResourceSelectorRequirement list=atomic

io.k8s.api.core.v1.ScopedResourceSelectorRequirement
scopeName 1 string always
operator 2 string always
values 3 []string list=atomic

io.k8s.api.core.v1.SeccompProfile
type 1 string always
localhostProfile 2 *string

io.k8s.api.core.v1.Secret
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
immutable 5 *bool
data 2 {}bytes
stringData 4 {}string
type 3 string

io.k8s.api.core.v1.SecretEnvSource
~ 1 io.k8s.api.core.v1.LocalObjectReference
optional 2 *bool

io.k8s.api.core.v1.SecretKeySelector atomic
~ 1 io.k8s.api.core.v1.LocalObjectReference
key 2 string always
optional 3 *bool

io.k8s.api.core.v1.SecretProjection
~ 1 io.k8s.api.core.v1.LocalObjectReference
items 2 []KeyToPath list=atomic
optional 4 *bool

io.k8s.api.core.v1.SecretReference atomic
name 1 string
namespace 2 string

io.k8s.api.core.v1.SecretVolumeSource
secretName 1 string
items 2 []KeyToPath list=atomic
defaultMode 3 *int32
optional 4 *bool

io.k8s.api.core.v1.SecurityContext
capabilities 1 *Capabilities
privileged 2 *bool
seLinuxOptions 3 *SELinuxOptions
windowsOptions 10 *WindowsSecurityContextOptions
runAsUser 4 *int64
runAsGroup 8 *int64
runAsNonRoot 5 *bool
readOnlyRootFilesystem 6 *bool
allowPrivilegeEscalation 7 *bool
procMount 9 *string
seccompProfile 11 *SeccompProfile
appArmorProfile 12 *AppArmorProfile

io.k8s.api.core.v1.Service
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ServiceSpec
status 3 ServiceStatus

io.k8s.api.core.v1.ServiceAccount
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
secrets 2 []ObjectReference patch=merge key=name list=map:name
imagePullSecrets 3 []LocalObjectReference list=atomic
automountServiceAccountToken 4 *bool

io.k8s.api.core.v1.ServiceAccountTokenProjection
audience 1 string
expirationSeconds 2 *int64
path 3 string always

io.k8s.api.core.v1.ServicePort
name 1 string
protocol 2 string
appProtocol 6 *string
port 3 int32 always
targetPort 4 int-or-string
nodePort 5 int32

io.k8s.api.core.v1.ServiceSpec
ports 1 []ServicePort patch=merge key=port list=map:port,protocol
selector 2 {}string atomic
clusterIP 3 string
clusterIPs 18 []string list=atomic
type 4 string
externalIPs 5 []string list=atomic
sessionAffinity 7 string
loadBalancerIP 8 string
loadBalancerSourceRanges 9 []string list=atomic
externalName 10 string
externalTrafficPolicy 11 string
healthCheckNodePort 12 int32
publishNotReadyAddresses 13 bool
sessionAffinityConfig 14 *SessionAffinityConfig
ipFamilies 19 []string list=atomic
ipFamilyPolicy 17 *string
allocateLoadBalancerNodePorts 20 *bool
loadBalancerClass 21 *string
internalTrafficPolicy 22 *string
trafficDistribution 23 *string

io.k8s.api.core.v1.ServiceStatus
loadBalancer 1 LoadBalancerStatus
conditions 2 []io.k8s.apimachinery.pkg.apis.meta.v1.Condition patch=merge key=type list=map:type

io.k8s.api.core.v1.SessionAffinityConfig
clientIP 1 *ClientIPConfig

io.k8s.api.core.v1.SleepAction
seconds 1 int64 always

io.k8s.api.core.v1.StorageOSPersistentVolumeSource
volumeName 1 string
volumeNamespace 2 string
fsType 3 string
readOnly 4 bool
secretRef 5 *ObjectReference

io.k8s.api.core.v1.StorageOSVolumeSource
volumeName 1 string
volumeNamespace 2 string
fsType 3 string
readOnly 4 bool
secretRef 5 *LocalObjectReference

io.k8s.api.core.v1.Sysctl
name 1 string always
value 2 string always

io.k8s.api.core.v1.TCPSocketAction
port 1 int-or-string always
host 2 string

io.k8s.api.core.v1.Taint
key 1 string always
value 2 string
effect 3 string always
timeAdded 4 *time

io.k8s.api.core.v1.Toleration
key 1 string
operator 2 string
value 3 string
effect 4 string
tolerationSeconds 5 *int64

io.k8s.api.core.v1.TopologySelectorLabelRequirement
key 1 string always
values 2 []string always list=atomic

io.k8s.api.core.v1.TopologySelectorTerm atomic
matchLabelExpressions 1 []TopologySelectorLabelRequirement list=atomic

io.k8s.api.core.v1.TopologySpreadConstraint
maxSkew 1 int32 always
topologyKey 2 string always
whenUnsatisfiable 3 string always
labelSelector 4 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
minDomains 5 *int32
nodeAffinityPolicy 6 *string
nodeTaintsPolicy 7 *string
matchLabelKeys 8 []string list=atomic

io.k8s.api.core.v1.TypedLocalObjectReference atomic
apiGroup 1 *string always optional
kind 2 string always
name 3 string always

io.k8s.api.core.v1.TypedObjectReference
apiGroup 1 *string always optional
kind 2 string always
name 3 string always
namespace 4 *string

io.k8s.api.core.v1.Volume
name 1 string always
~ 2 io.k8s.api.core.v1.VolumeSource

io.k8s.api.core.v1.VolumeDevice
name 1 string always
devicePath 2 string always

io.k8s.api.core.v1.VolumeMount
name 1 string always
readOnly 2 bool
recursiveReadOnly 7 *string
mountPath 3 string always
subPath 4 string
mountPropagation 5 *string
subPathExpr 6 string

io.k8s.api.core.v1.VolumeMountStatus
name 1 string always
mountPath 2 string always
readOnly 3 bool
recursiveReadOnly 4 *string
volumeStatus 5 *VolumeStatus

io.k8s.api.core.v1.VolumeNodeAffinity
required 1 *NodeSelector

io.k8s.api.core.v1.VolumeProjection
secret 1 *SecretProjection
downwardAPI 2 *DownwardAPIProjection
configMap 3 *ConfigMapProjection
serviceAccountToken 4 *ServiceAccountTokenProjection
clusterTrustBundle 5 *ClusterTrustBundleProjection
podCertificate 6 *PodCertificateProjection

io.k8s.api.core.v1.VolumeResourceRequirements
limits 1 {}quantity
requests 2 {}quantity

io.k8s.api.core.v1.VolumeSource
hostPath 1 *HostPathVolumeSource
emptyDir 2 *EmptyDirVolumeSource
gcePersistentDisk 3 *GCEPersistentDiskVolumeSource
awsElasticBlockStore 4 *AWSElasticBlockStoreVolumeSource
gitRepo 5 *GitRepoVolumeSource
secret 6 *SecretVolumeSource
nfs 7 *NFSVolumeSource
iscsi 8 *ISCSIVolumeSource
glusterfs 9 *GlusterfsVolumeSource
persistentVolumeClaim 10 *PersistentVolumeClaimVolumeSource
rbd 11 *RBDVolumeSource
flexVolume 12 *FlexVolumeSource
cinder 13 *CinderVolumeSource
cephfs 14 *CephFSVolumeSource
flocker 15 *FlockerVolumeSource
downwardAPI 16 *DownwardAPIVolumeSource
fc 17 *FCVolumeSource
azureFile 18 *AzureFileVolumeSource
configMap 19 *ConfigMapVolumeSource
vsphereVolume 20 *VsphereVirtualDiskVolumeSource
quobyte 21 *QuobyteVolumeSource
azureDisk 22 *AzureDiskVolumeSource
photonPersistentDisk 23 *PhotonPersistentDiskVolumeSource
projected 26 *ProjectedVolumeSource
portworxVolume 24 *PortworxVolumeSource
scaleIO 25 *ScaleIOVolumeSource
storageos 27 *StorageOSVolumeSource
csi 28 *CSIVolumeSource
ephemeral 29 *EphemeralVolumeSource
image 30 *ImageVolumeSource

io.k8s.api.core.v1.VolumeStatus
image 1 *ImageVolumeStatus

io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource
volumePath 1 string always
fsType 2 string
storagePolicyName 3 string
storagePolicyID 4 string

io.k8s.api.core.v1.WeightedPodAffinityTerm
weight 1 int32 always
podAffinityTerm 2 PodAffinityTerm always

io.k8s.api.core.v1.WindowsSecurityContextOptions
gmsaCredentialSpecName 1 *string
gmsaCredentialSpec 2 *string
runAsUserName 3 *string
hostProcess 4 *bool

io.k8s.api.discovery.v1.Endpoint
addresses 1 []string always list=set
conditions 2 EndpointConditions
hostname 3 *string
targetRef 4 *io.k8s.api.core.v1.ObjectReference
deprecatedTopology 5 {}string
nodeName 6 *string
zone 7 *string
hints 8 *EndpointHints

io.k8s.api.discovery.v1.EndpointConditions
ready 1 *bool
serving 2 *bool
terminating 3 *bool

io.k8s.api.discovery.v1.EndpointHints
forZones 1 []ForZone list=atomic
forNodes 2 []ForNode list=atomic

io.k8s.api.discovery.v1.EndpointPort atomic
name 1 *string
protocol 2 *string
port 3 *int32
appProtocol 4 *string

io.k8s.api.discovery.v1.EndpointSlice
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
addressType 4 string always
endpoints 2 []Endpoint always optional list=atomic
ports 3 []EndpointPort always optional list=atomic

io.k8s.api.discovery.v1.ForNode
name 1 string always

io.k8s.api.discovery.v1.ForZone
name 1 string always

io.k8s.api.events.v1.Event
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta always
eventTime 2 micro-time always
series 3 *EventSeries
reportingController 4 string
reportingInstance 5 string
action 6 string
reason 7 string
regarding 8 io.k8s.api.core.v1.ObjectReference
related 9 *io.k8s.api.core.v1.ObjectReference
note 10 string
type 11 string
deprecatedSource 12 io.k8s.api.core.v1.EventSource
deprecatedFirstTimestamp 13 time
deprecatedLastTimestamp 14 time
deprecatedCount 15 int32

io.k8s.api.events.v1.EventSeries
count 1 int32 always
lastObservedTime 2 micro-time always

io.k8s.api.flowcontrol.v1.ExemptPriorityLevelConfiguration
nominalConcurrencyShares 1 *int32
lendablePercent 2 *int32

io.k8s.api.flowcontrol.v1.FlowDistinguisherMethod
type 1 string always

io.k8s.api.flowcontrol.v1.FlowSchema
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 FlowSchemaSpec
status 3 FlowSchemaStatus

io.k8s.api.flowcontrol.v1.FlowSchemaCondition
type 1 string
status 2 string
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.flowcontrol.v1.FlowSchemaSpec
priorityLevelConfiguration 1 PriorityLevelConfigurationReference always
matchingPrecedence 2 int32 always optional
distinguisherMethod 3 *FlowDistinguisherMethod
rules 4 []PolicyRulesWithSubjects list=atomic

io.k8s.api.flowcontrol.v1.FlowSchemaStatus
conditions 1 []FlowSchemaCondition patch=merge key=type list=map:type

io.k8s.api.flowcontrol.v1.GroupSubject
name 1 string always

io.k8s.api.flowcontrol.v1.LimitResponse
type 1 string always
queuing 2 *QueuingConfiguration

io.k8s.api.flowcontrol.v1.LimitedPriorityLevelConfiguration
nominalConcurrencyShares 1 *int32 always optional
limitResponse 2 LimitResponse
lendablePercent 3 *int32
borrowingLimitPercent 4 *int32

io.k8s.api.flowcontrol.v1.NonResourcePolicyRule
verbs 1 []string always list=set
nonResourceURLs 6 []string always list=set

io.k8s.api.flowcontrol.v1.PolicyRulesWithSubjects
subjects 1 []Subject always list=atomic
resourceRules 2 []ResourcePolicyRule list=atomic
nonResourceRules 3 []NonResourcePolicyRule list=atomic

io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PriorityLevelConfigurationSpec
status 3 PriorityLevelConfigurationStatus

io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationCondition
type 1 string
status 2 string
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationReference
name 1 string always

io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationSpec
type 1 string always
limited 2 *LimitedPriorityLevelConfiguration
exempt 3 *ExemptPriorityLevelConfiguration

io.k8s.api.flowcontrol.v1.PriorityLevelConfigurationStatus
conditions 1 []PriorityLevelConfigurationCondition patch=merge key=type list=map:type

io.k8s.api.flowcontrol.v1.QueuingConfiguration
queues 1 int32 always optional
handSize 2 int32 always optional
queueLengthLimit 3 int32 always optional

io.k8s.api.flowcontrol.v1.ResourcePolicyRule
verbs 1 []string always list=set
apiGroups 2 []string always list=set
resources 3 []string always list=set
clusterScope 4 bool
namespaces 5 []string always optional list=set

io.k8s.api.flowcontrol.v1.ServiceAccountSubject
namespace 1 string always
name 2 string always

io.k8s.api.flowcontrol.v1.Subject
kind 1 string always
user 2 *UserSubject
group 3 *GroupSubject
serviceAccount 4 *ServiceAccountSubject

io.k8s.api.flowcontrol.v1.UserSubject
name 1 string always

io.k8s.api.networking.v1.HTTPIngressPath
path 1 string
pathType 3 *string always
backend 2 IngressBackend always

io.k8s.api.networking.v1.HTTPIngressRuleValue
paths 1 []HTTPIngressPath always list=atomic

io.k8s.api.networking.v1.IPAddress
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 IPAddressSpec

io.k8s.api.networking.v1.IPAddressSpec
parentRef 1 *ParentReference

io.k8s.api.networking.v1.IPBlock
cidr 1 string always
except 2 []string list=atomic

io.k8s.api.networking.v1.Ingress
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 IngressSpec
status 3 IngressStatus

io.k8s.api.networking.v1.IngressBackend
service 4 *IngressServiceBackend
resource 3 *io.k8s.api.core.v1.TypedLocalObjectReference

io.k8s.api.networking.v1.IngressClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 IngressClassSpec

io.k8s.api.networking.v1.IngressClassParametersReference
apiGroup 1 *string
kind 2 string always
name 3 string always
scope 4 *string always optional
namespace 5 *string

io.k8s.api.networking.v1.IngressClassSpec
controller 1 string
parameters 2 *IngressClassParametersReference

io.k8s.api.networking.v1.IngressLoadBalancerIngress
ip 1 string
hostname 2 string
ports 4 []IngressPortStatus list=atomic

io.k8s.api.networking.v1.IngressLoadBalancerStatus
ingress 1 []IngressLoadBalancerIngress list=atomic

io.k8s.api.networking.v1.IngressPortStatus
port 1 int32 always
protocol 2 string always
error 3 *string

io.k8s.api.networking.v1.IngressRule
host 1 string
~ 2 io.k8s.api.networking.v1.IngressRuleValue

io.k8s.api.networking.v1.IngressRuleValue
http 1 *HTTPIngressRuleValue

io.k8s.api.networking.v1.IngressServiceBackend
name 1 string always
port 2 ServiceBackendPort

io.k8s.api.networking.v1.IngressSpec
ingressClassName 4 *string
defaultBackend 1 *IngressBackend
tls 2 []IngressTLS list=atomic
rules 3 []IngressRule list=atomic

io.k8s.api.networking.v1.IngressStatus
loadBalancer 1 IngressLoadBalancerStatus

io.k8s.api.networking.v1.IngressTLS
hosts 1 []string list=atomic
secretName 2 string

io.k8s.api.networking.v1.NetworkPolicy
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 NetworkPolicySpec

io.k8s.api.networking.v1.NetworkPolicyEgressRule
ports 1 []NetworkPolicyPort list=atomic
to 2 []NetworkPolicyPeer list=atomic

io.k8s.api.networking.v1.NetworkPolicyIngressRule
ports 1 []NetworkPolicyPort list=atomic
from 2 []NetworkPolicyPeer list=atomic

io.k8s.api.networking.v1.NetworkPolicyPeer
podSelector 1 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
namespaceSelector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
ipBlock 3 *IPBlock

io.k8s.api.networking.v1.NetworkPolicyPort
protocol 1 *string
port 2 *int-or-string
endPort 3 *int32

io.k8s.api.networking.v1.NetworkPolicySpec
podSelector 1 io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector always optional
ingress 2 []NetworkPolicyIngressRule list=atomic
egress 3 []NetworkPolicyEgressRule list=atomic
policyTypes 4 []string list=atomic

io.k8s.api.networking.v1.ParentReference
group 1 string
resource 2 string
namespace 3 string
name 4 string

io.k8s.api.networking.v1.ServiceBackendPort atomic
name 1 string
number 2 int32

io.k8s.api.networking.v1.ServiceCIDR
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ServiceCIDRSpec
status 3 ServiceCIDRStatus

io.k8s.api.networking.v1.ServiceCIDRSpec
cidrs 1 []string list=atomic

io.k8s.api.networking.v1.ServiceCIDRStatus
conditions 1 []io.k8s.apimachinery.pkg.apis.meta.v1.Condition patch=merge key=type list=map:type

io.k8s.api.node.v1.Overhead
podFixed 1 {}quantity

io.k8s.api.node.v1.RuntimeClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
handler 2 string always
overhead 3 *Overhead
scheduling 4 *Scheduling

io.k8s.api.node.v1.Scheduling
nodeSelector 1 {}string atomic
tolerations 2 []io.k8s.api.core.v1.Toleration list=atomic

io.k8s.api.policy.v1.Eviction
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
deleteOptions 2 *io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions

io.k8s.api.policy.v1.PodDisruptionBudget
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 PodDisruptionBudgetSpec
status 3 PodDisruptionBudgetStatus

io.k8s.api.policy.v1.PodDisruptionBudgetSpec
minAvailable 1 *int-or-string
selector 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector patch=replace
maxUnavailable 3 *int-or-string
unhealthyPodEvictionPolicy 4 *string

io.k8s.api.policy.v1.PodDisruptionBudgetStatus
observedGeneration 1 int64
disruptedPods 2 {}time
disruptionsAllowed 3 int32 always optional
currentHealthy 4 int32 always optional
desiredHealthy 5 int32 always optional
expectedPods 6 int32 always optional
conditions 7 []io.k8s.apimachinery.pkg.apis.meta.v1.Condition patch=merge key=type list=map:type

io.k8s.api.rbac.v1.AggregationRule
clusterRoleSelectors 1 []io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector list=atomic

io.k8s.api.rbac.v1.ClusterRole
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
rules 2 []PolicyRule always optional list=atomic
aggregationRule 3 *AggregationRule

io.k8s.api.rbac.v1.ClusterRoleBinding
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
subjects 2 []Subject list=atomic
roleRef 3 RoleRef always

io.k8s.api.rbac.v1.PolicyRule
verbs 1 []string always list=atomic
apiGroups 2 []string list=atomic
resources 3 []string list=atomic
resourceNames 4 []string list=atomic
nonResourceURLs 5 []string list=atomic

io.k8s.api.rbac.v1.Role
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
rules 2 []PolicyRule always optional list=atomic

io.k8s.api.rbac.v1.RoleBinding
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
subjects 2 []Subject list=atomic
roleRef 3 RoleRef always

io.k8s.api.rbac.v1.RoleRef atomic
apiGroup 1 string always optional
kind 2 string always
name 3 string always

io.k8s.api.rbac.v1.Subject atomic
kind 1 string always
apiGroup 2 string
name 3 string always
namespace 4 string

io.k8s.api.resource.v1.AllocatedDeviceStatus
driver 1 string always
pool 2 string always
device 3 string always
shareID 7 *string
conditions 4 []io.k8s.apimachinery.pkg.apis.meta.v1.Condition always optional list=map:type
data 5 *raw
networkData 6 *NetworkDeviceData

io.k8s.api.resource.v1.AllocationResult
devices 1 DeviceAllocationResult
nodeSelector 3 *io.k8s.api.core.v1.NodeSelector
allocationTimestamp 5 *time

io.k8s.api.resource.v1.CELDeviceSelector
expression 1 string always

io.k8s.api.resource.v1.CapacityRequestPolicy
default 1 *quantity always optional
validValues 3 []quantity list=atomic
validRange 4 *CapacityRequestPolicyRange

io.k8s.api.resource.v1.CapacityRequestPolicyRange
min 1 *quantity
max 2 *quantity
step 3 *quantity

io.k8s.api.resource.v1.CapacityRequirements
requests 1 {}quantity

io.k8s.api.resource.v1.Counter
value 1 quantity always

io.k8s.api.resource.v1.CounterSet
name 1 string always
counters 2 {}Counter

io.k8s.api.resource.v1.Device
name 1 string always
attributes 2 {}DeviceAttribute
capacity 3 {}DeviceCapacity
consumesCounters 4 []DeviceCounterConsumption list=atomic
nodeName 5 *string
nodeSelector 6 *io.k8s.api.core.v1.NodeSelector
allNodes 7 *bool
taints 8 []DeviceTaint list=atomic
bindsToNode 9 *bool
bindingConditions 10 []string list=atomic
bindingFailureConditions 11 []string list=atomic
allowMultipleAllocations 12 *bool
nodeAllocatableResourceMappings 13 {}NodeAllocatableResourceMapping

io.k8s.api.resource.v1.DeviceAllocationConfiguration
source 1 string always
requests 2 []string list=atomic
~ 3 io.k8s.api.resource.v1.DeviceConfiguration

io.k8s.api.resource.v1.DeviceAllocationResult
results 1 []DeviceRequestAllocationResult list=atomic
config 2 []DeviceAllocationConfiguration list=atomic

io.k8s.api.resource.v1.DeviceAttribute
int 2 *int64
bool 3 *bool
string 4 *string
version 5 *string
ints 6 []int64 list=atomic
bools 7 []bool list=atomic
strings 8 []string list=atomic
versions 9 []string list=atomic

io.k8s.api.resource.v1.DeviceCapacity
value 1 quantity always
requestPolicy 2 *CapacityRequestPolicy

io.k8s.api.resource.v1.DeviceClaim
requests 1 []DeviceRequest always optional list=atomic
constraints 2 []DeviceConstraint list=atomic
config 3 []DeviceClaimConfiguration list=atomic

io.k8s.api.resource.v1.DeviceClaimConfiguration
requests 1 []string list=atomic
~ 2 io.k8s.api.resource.v1.DeviceConfiguration

io.k8s.api.resource.v1.DeviceClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 DeviceClassSpec always

io.k8s.api.resource.v1.DeviceClassConfiguration
~ 1 io.k8s.api.resource.v1.DeviceConfiguration

io.k8s.api.resource.v1.DeviceClassSpec
selectors 1 []DeviceSelector list=atomic
config 2 []DeviceClassConfiguration list=atomic
extendedResourceName 4 *string

io.k8s.api.resource.v1.DeviceConfiguration
opaque 1 *OpaqueDeviceConfiguration

io.k8s.api.resource.v1.DeviceConstraint
requests 1 []string list=atomic
matchAttribute 2 *string
distinctAttribute 3 *string

io.k8s.api.resource.v1.DeviceCounterConsumption
counterSet 1 string always
counters 2 {}Counter

io.k8s.api.resource.v1.DeviceRequest
name 1 string always
exactly 2 *ExactDeviceRequest
firstAvailable 3 []DeviceSubRequest list=atomic

io.k8s.api.resource.v1.DeviceRequestAllocationResult
request 1 string always
driver 2 string always
pool 3 string always
device 4 string always
adminAccess 5 *bool
tolerations 6 []DeviceToleration list=atomic
bindingConditions 7 []string list=atomic
bindingFailureConditions 8 []string list=atomic
shareID 9 *string
consumedCapacity 10 {}quantity

io.k8s.api.resource.v1.DeviceSelector
cel 1 *CELDeviceSelector

io.k8s.api.resource.v1.DeviceSubRequest
name 1 string always
deviceClassName 2 string always
selectors 3 []DeviceSelector list=atomic
allocationMode 4 string
count 5 int64
tolerations 6 []DeviceToleration list=atomic
capacity 7 *CapacityRequirements

io.k8s.api.resource.v1.DeviceTaint
key 1 string always
value 2 string
effect 3 string always
timeAdded 4 *time

io.k8s.api.resource.v1.DeviceToleration
key 1 string
operator 2 string
value 3 string
effect 4 string
tolerationSeconds 5 *int64

io.k8s.api.resource.v1.ExactDeviceRequest
deviceClassName 1 string always
selectors 2 []DeviceSelector list=atomic
allocationMode 3 string
count 4 int64
adminAccess 5 *bool
tolerations 6 []DeviceToleration list=atomic
capacity 7 *CapacityRequirements

io.k8s.api.resource.v1.NetworkDeviceData
interfaceName 1 string
ips 2 []string list=atomic
hardwareAddress 3 string

io.k8s.api.resource.v1.NodeAllocatableResourceMapping
capacityKey 1 *string
allocationMultiplier 2 *quantity

io.k8s.api.resource.v1.OpaqueDeviceConfiguration
driver 1 string always
parameters 2 raw always

io.k8s.api.resource.v1.ResourceClaim
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ResourceClaimSpec always
status 3 ResourceClaimStatus

io.k8s.api.resource.v1.ResourceClaimConsumerReference
apiGroup 1 string
resource 3 string always
name 4 string always
uid 5 string always

io.k8s.api.resource.v1.ResourceClaimSpec
devices 1 DeviceClaim always optional

io.k8s.api.resource.v1.ResourceClaimStatus
allocation 1 *AllocationResult
reservedFor 2 []ResourceClaimConsumerReference patch=merge key=uid list=map:uid
devices 4 []AllocatedDeviceStatus list=map:driver,device,pool,shareID

io.k8s.api.resource.v1.ResourceClaimTemplate
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ResourceClaimTemplateSpec always

io.k8s.api.resource.v1.ResourceClaimTemplateSpec
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ResourceClaimSpec always

io.k8s.api.resource.v1.ResourcePool
name 1 string always
generation 2 int64 always
resourceSliceCount 3 int64 always

io.k8s.api.resource.v1.ResourceSlice
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 ResourceSliceSpec always

io.k8s.api.resource.v1.ResourceSliceSpec
driver 1 string always
pool 2 ResourcePool always
nodeName 3 *string
nodeSelector 4 *io.k8s.api.core.v1.NodeSelector
allNodes 5 *bool
devices 6 []Device list=atomic
perDeviceNodeSelection 7 *bool
sharedCounters 8 []CounterSet list=atomic

io.k8s.api.scheduling.v1.PriorityClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
value 2 int32 always optional
globalDefault 3 bool
description 4 string
preemptionPolicy 5 *string

io.k8s.api.storage.v1.CSIDriver
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 CSIDriverSpec always

io.k8s.api.storage.v1.CSIDriverSpec
attachRequired 1 *bool
podInfoOnMount 2 *bool
volumeLifecycleModes 3 []string list=set
storageCapacity 4 *bool
fsGroupPolicy 5 *string
tokenRequests 6 []TokenRequest list=atomic
requiresRepublish 7 *bool
seLinuxMount 8 *bool
nodeAllocatableUpdatePeriodSeconds 9 *int64
serviceAccountTokenInSecrets 10 *bool
preventPodSchedulingIfMissing 11 *bool

io.k8s.api.storage.v1.CSINode
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 CSINodeSpec always

io.k8s.api.storage.v1.CSINodeDriver
name 1 string always
nodeID 2 string always
topologyKeys 3 []string always optional list=atomic
allocatable 4 *VolumeNodeResources

io.k8s.api.storage.v1.CSINodeSpec
drivers 1 []CSINodeDriver always patch=merge key=name list=map:name

io.k8s.api.storage.v1.CSIStorageCapacity
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
nodeTopology 2 *io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector
storageClassName 3 string always
capacity 4 *quantity
maximumVolumeSize 5 *quantity

io.k8s.api.storage.v1.StorageClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
provisioner 2 string always
parameters 3 {}string
reclaimPolicy 4 *string
mountOptions 5 []string list=atomic
allowVolumeExpansion 6 *bool
volumeBindingMode 7 *string
allowedTopologies 8 []io.k8s.api.core.v1.TopologySelectorTerm list=atomic

io.k8s.api.storage.v1.TokenRequest
audience 1 string always
expirationSeconds 2 *int64

io.k8s.api.storage.v1.VolumeAttachment
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 VolumeAttachmentSpec always
status 3 VolumeAttachmentStatus

io.k8s.api.storage.v1.VolumeAttachmentSource
persistentVolumeName 1 *string
inlineVolumeSpec 2 *io.k8s.api.core.v1.PersistentVolumeSpec

io.k8s.api.storage.v1.VolumeAttachmentSpec
attacher 1 string always
source 2 VolumeAttachmentSource always
nodeName 3 string always

io.k8s.api.storage.v1.VolumeAttachmentStatus
attached 1 bool always
attachmentMetadata 2 {}string
attachError 3 *VolumeError
detachError 4 *VolumeError

io.k8s.api.storage.v1.VolumeAttributesClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
driverName 2 string always
parameters 3 {}string

io.k8s.api.storage.v1.VolumeError
time 1 time
message 2 string
errorCode 3 *int32

io.k8s.api.storage.v1.VolumeNodeResources
count 1 *int32

io.k8s.api.storage.v1beta1.VolumeAttributesClass
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
driverName 2 string always
parameters 3 {}string

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition
name 1 string always
type 2 string always
format 3 string
description 4 string
priority 5 int32
jsonPath 6 string always

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion
strategy 1 string always
webhook 2 *WebhookConversion

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 CustomResourceDefinitionSpec always
status 3 CustomResourceDefinitionStatus

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string
observedGeneration 6 int64

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames
plural 1 string always
singular 2 string
shortNames 3 []string list=atomic
kind 4 string always
listKind 5 string
categories 6 []string list=atomic

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec
group 1 string always
names 3 CustomResourceDefinitionNames always
scope 4 string always
versions 7 []CustomResourceDefinitionVersion always list=atomic
conversion 9 *CustomResourceConversion
preserveUnknownFields 10 bool

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus
conditions 1 []CustomResourceDefinitionCondition always optional list=map:type
acceptedNames 2 CustomResourceDefinitionNames always optional
storedVersions 3 []string always optional list=atomic
observedGeneration 4 int64

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion
name 1 string always
served 2 bool always
storage 3 bool always
deprecated 7 bool
deprecationWarning 8 *string
schema 4 *CustomResourceValidation
subresources 5 *CustomResourceSubresources
additionalPrinterColumns 6 []CustomResourceColumnDefinition list=atomic
selectableFields 9 []SelectableField list=atomic

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale
specReplicasPath 1 string always
statusReplicasPath 2 string always
labelSelectorPath 3 *string

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources
status 1 *CustomResourceSubresourceStatus
scale 2 *CustomResourceSubresourceScale

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation
openAPIV3Schema 1 *JSONSchemaProps

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation
description 1 string
url 2 string

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps
id 1 string
$schema 2 string
$ref 3 *string
description 4 string
type 5 string
format 6 string
title 7 string
default 8 *json
maximum 9 *float64
exclusiveMaximum 10 bool
minimum 11 *float64
exclusiveMinimum 12 bool
maxLength 13 *int64
minLength 14 *int64
pattern 15 string
maxItems 16 *int64
minItems 17 *int64
uniqueItems 18 bool
multipleOf 19 *float64
enum 20 []json list=atomic
maxProperties 21 *int64
minProperties 22 *int64
required 23 []string list=atomic
items 24 *schema-or-schemas
allOf 25 []JSONSchemaProps list=atomic
oneOf 26 []JSONSchemaProps list=atomic
anyOf 27 []JSONSchemaProps list=atomic
not 28 *JSONSchemaProps
properties 29 {}JSONSchemaProps
additionalProperties 30 *schema-or-bool
patternProperties 31 {}JSONSchemaProps
dependencies 32 {}schema-or-strings
additionalItems 33 *schema-or-bool
definitions 34 {}JSONSchemaProps
externalDocs 35 *ExternalDocumentation
example 36 *json
nullable 37 bool
x-kubernetes-preserve-unknown-fields 38 *bool
x-kubernetes-embedded-resource 39 bool
x-kubernetes-int-or-string 40 bool
x-kubernetes-list-map-keys 41 []string list=atomic
x-kubernetes-list-type 42 *string
x-kubernetes-map-type 43 *string
x-kubernetes-validations 44 []ValidationRule patch=merge key=rule list=map:rule

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.SelectableField
jsonPath 1 string always

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ServiceReference
namespace 1 string always
name 2 string always
path 3 *string
port 4 *int32

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.ValidationRule
rule 1 string always
message 2 string
messageExpression 3 string
reason 4 *string
fieldPath 5 string
optionalOldSelf 6 *bool

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig
url 3 *string
service 1 *ServiceReference
caBundle 2 bytes

io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.WebhookConversion
clientConfig 2 *WebhookClientConfig
conversionReviewVersions 3 []string always list=atomic

io.k8s.apimachinery.pkg.apis.meta.v1.Condition
type 1 string always
status 2 string always
observedGeneration 3 int64
lastTransitionTime 4 time always
reason 5 string always
message 6 string always

io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
gracePeriodSeconds 1 *int64
preconditions 2 *Preconditions
orphanDependents 3 *bool
propagationPolicy 4 *string
dryRun 5 []string list=atomic
ignoreStoreReadErrorWithClusterBreakingPotential 6 *bool

io.k8s.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement
key 1 string always
operator 2 string always
values 3 []string list=atomic

io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector atomic
matchLabels 1 {}string
matchExpressions 2 []LabelSelectorRequirement list=atomic

io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement
key 1 string always
operator 2 string always
values 3 []string list=atomic

io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta
selfLink 1 string
resourceVersion 2 string
continue 3 string
remainingItemCount 4 *int64
shardInfo 5 *ShardInfo

io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry
manager 1 string
operation 2 string
apiVersion 3 string
time 4 *time
fieldsType 6 string
fieldsV1 7 *fields
subresource 8 string

io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
name 1 string
generateName 2 string
namespace 3 string
selfLink 4 string
uid 5 string
resourceVersion 6 string
generation 7 int64
creationTimestamp 8 time omitzero
deletionTimestamp 9 *time
deletionGracePeriodSeconds 10 *int64
labels 11 {}string
annotations 12 {}string
ownerReferences 13 []OwnerReference patch=merge key=uid list=map:uid
finalizers 14 []string patch=merge list=set
managedFields 17 []ManagedFieldsEntry list=atomic

io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference atomic
apiVersion 5 string always
kind 1 string always
name 3 string always
uid 4 string always
controller 6 *bool
blockOwnerDeletion 7 *bool

io.k8s.apimachinery.pkg.apis.meta.v1.Preconditions
uid 1 *string
resourceVersion 2 *string

io.k8s.apimachinery.pkg.apis.meta.v1.ShardInfo
selector 1 string always

io.k8s.apimachinery.pkg.apis.meta.v1.Status
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 ListMeta
status 2 string
message 3 string
reason 4 string
details 5 *StatusDetails
code 6 int32

io.k8s.apimachinery.pkg.apis.meta.v1.StatusCause
reason 1 string
message 2 string
field 3 string

io.k8s.apimachinery.pkg.apis.meta.v1.StatusDetails
name 1 string
group 2 string
kind 3 string
uid 6 string
causes 4 []StatusCause list=atomic
retryAfterSeconds 5 int32

io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
kind 1 string
apiVersion 2 string

io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService
~ 0 io.k8s.apimachinery.pkg.apis.meta.v1.TypeMeta
metadata 1 io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta
spec 2 APIServiceSpec
status 3 APIServiceStatus

io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceCondition
type 1 string always
status 2 string always
lastTransitionTime 3 time
reason 4 string
message 5 string

io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec
service 1 *ServiceReference
group 2 string
version 3 string
insecureSkipTLSVerify 4 bool
caBundle 5 bytes list=atomic
groupPriorityMinimum 7 int32 always
versionPriority 8 int32 always

io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceStatus
conditions 1 []APIServiceCondition patch=merge key=type list=map:type

io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.ServiceReference
namespace 1 string
name 2 string
port 3 *int32
`
