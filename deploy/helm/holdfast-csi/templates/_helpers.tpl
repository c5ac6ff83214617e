{{- define "holdfast.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "holdfast.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "holdfast.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "holdfast.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (printf "%s-controller" (include "holdfast.name" .)) -}}
{{- end -}}

{{/* Names of the enabled roles, in the words of values.yaml, as a list in JSON. */}}
{{- define "holdfast.roles" -}}
{{- $roles := list -}}
{{- range $name := list "provisioner" "attacher" "resizer" "snapshotter" "healthMonitor" -}}
{{- if (index $.Values.roles $name).enabled -}}{{- $roles = append $roles $name -}}{{- end -}}
{{- end -}}
{{- if eq .Values.sidecars "holdfast" -}}
{{- range $name := list "sweep" "heal" -}}
{{- if (index $.Values.roles $name).enabled -}}{{- $roles = append $roles $name -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- toJson $roles -}}
{{- end -}}

{{/* What values.schema.json cannot express: values that depend on others. */}}
{{- define "holdfast.validate" -}}
{{- $v := .Values -}}
{{- if $v.driver.enabled -}}
{{- if not $v.driver.name }}{{ fail "driver.name is required: the name of the CSI driver" }}{{ end -}}
{{- if not $v.driver.node.container.image }}{{ fail "driver.node.container.image is required" }}{{ end -}}
{{- if not (include "holdfast.roles" . | fromJsonArray) }}{{ fail "roles: at least one role has to be enabled" }}{{ end -}}
{{- if and (ne $v.controller.kind "DaemonSet") (not $v.driver.controller.container.image) }}{{ fail "driver.controller.container.image is required" }}{{ end -}}
{{- if not $v.controller.leaderElection.enabled -}}
{{- if eq $v.controller.kind "DaemonSet" }}{{ fail "controller.kind=DaemonSet needs controller.leaderElection.enabled" }}{{ end -}}
{{- if gt (int $v.controller.replicas) 1 }}{{ fail "several replicas need controller.leaderElection.enabled" }}{{ end -}}
{{- if eq $v.controller.kind "Deployment" }}{{ fail "a Deployment needs controller.leaderElection.enabled: during an update it has two replicas. Use a StatefulSet without it." }}{{ end -}}
{{- end -}}
{{- end -}}
{{- if and (eq $v.rbac.secrets "namespace") (not $v.rbac.secretsNamespace) }}{{ fail "rbac.secrets=namespace needs rbac.secretsNamespace" }}{{ end -}}
{{- end -}}

{{/* The reference of an upstream image, which has no default. */}}
{{- define "holdfast.upstreamImage" -}}
{{- required (printf "sidecars=upstream needs images.upstream.%s" .name) (index .root.Values.images.upstream .name) -}}
{{- end -}}

{{/* The rules of the enabled roles in one list, each resource once: .scope is cluster or ownNamespace. */}}
{{- define "holdfast.rules" -}}
{{- $rights := .root.Files.Get "files/rights.yaml" | fromYaml -}}
{{- $merged := dict -}}
{{- range $role := .roles -}}
{{- $rules := index (index $rights $role) $.scope -}}
{{- if eq $.root.Values.sidecars "upstream" -}}{{- $rules = concat $rules (index (index $rights $role).upstream $.scope) -}}{{- end -}}
{{- range $rule := $rules -}}
{{- $key := printf "%s/%s" (first $rule.apiGroups) (first $rule.resources) -}}
{{- $known := get $merged $key | default (dict "verbs" list) -}}
{{- $_ := set $merged $key (dict "apiGroups" $rule.apiGroups "resources" $rule.resources "verbs" (concat $known.verbs $rule.verbs | uniq)) -}}
{{- end -}}
{{- end -}}
{{- range $key := keys $merged | sortAlpha }}
{{- $rule := get $merged $key }}
- apiGroups: {{ toJson $rule.apiGroups }}
  resources: {{ toJson $rule.resources }}
  verbs: {{ toJson $rule.verbs }}
{{- end -}}
{{- end -}}

{{/* The driver's container: what the user gave, with the socket's directory, the environment and the liveness probe. */}}
{{- define "holdfast.driverContainer" -}}
{{- $given := deepCopy .container -}}
{{- $env := concat (list
  (dict "name" "CSI_ENDPOINT" "value" "unix:///csi/csi.sock")
  (dict "name" "NODE_NAME" "valueFrom" (dict "fieldRef" (dict "fieldPath" "spec.nodeName")))
) ($given.env | default list) -}}
{{- $mounts := concat .mounts ($given.volumeMounts | default list) -}}
{{- $made := dict "name" "csi-driver" "env" $env "volumeMounts" $mounts -}}
{{- if .security }}{{ $_ := set $made "securityContext" (mergeOverwrite (deepCopy .security) ($given.securityContext | default dict)) }}{{ end -}}
{{- if .root.Values.livenessProbe.enabled -}}
{{- $probe := .root.Values.livenessProbe -}}
{{- $_ := set $made "ports" (append ($given.ports | default list) (dict "name" "healthz" "containerPort" 9808 "protocol" "TCP")) -}}
{{- $_ := set $made "livenessProbe" (dict "httpGet" (dict "path" "/healthz" "port" "healthz") "initialDelaySeconds" $probe.initialDelaySeconds "periodSeconds" $probe.periodSeconds "timeoutSeconds" $probe.timeoutSeconds "failureThreshold" $probe.failureThreshold) -}}
{{- end -}}
{{- if not (hasKey $given "imagePullPolicy") }}{{ $_ := set $made "imagePullPolicy" .root.Values.images.pullPolicy }}{{ end -}}
- {{ mergeOverwrite $given $made | toYaml | nindent 2 | trim }}
{{- end -}}

{{- define "holdfast.livenessContainer" -}}
{{- $root := .root -}}
{{- if $root.Values.livenessProbe.enabled }}
- name: liveness-probe
  {{- if eq $root.Values.sidecars "holdfast" }}
  image: {{ $root.Values.images.holdfast }}
  args:
    - livenessprobe
  {{- else }}
  image: {{ include "holdfast.upstreamImage" (dict "root" $root "name" "livenessProbe") }}
  args:
  {{- end }}
    - --csi-address=/csi/csi.sock
    - --probe-timeout={{ $root.Values.livenessProbe.probeTimeout }}
    - --http-endpoint=:9808
  imagePullPolicy: {{ $root.Values.images.pullPolicy }}
  securityContext:
    {{- toYaml $root.Values.sidecarSecurityContext | nindent 4 }}
  resources:
    {{- toYaml $root.Values.node.resources | nindent 4 }}
  volumeMounts:
    - name: {{ .socketVolume }}
      mountPath: /csi
{{- end }}
{{- end -}}

{{- define "holdfast.electionArgs" -}}
{{- with .Values.controller.leaderElection }}
{{- if .enabled }}
- --leader-election
- --leader-election-namespace=$(POD_NAMESPACE)
- --leader-election-lease-duration={{ .leaseDuration }}
- --leader-election-renew-deadline={{ .renewDeadline }}
- --leader-election-retry-period={{ .retryPeriod }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The sidecars that need the API server: one container of ours, or one for each role of upstream. */}}
{{- define "holdfast.sidecarContainers" -}}
{{- $root := .root -}}
{{- $v := $root.Values -}}
{{- $roles := include "holdfast.roles" $root | fromJsonArray -}}
{{- $upstreamNames := dict "provisioner" "csi-provisioner" "attacher" "csi-attacher" "resizer" "csi-resizer" "snapshotter" "csi-snapshotter" "healthMonitor" "csi-external-health-monitor-controller" -}}
{{- if eq $v.sidecars "holdfast" }}
- name: csi-sidecar
  image: {{ $v.images.holdfast }}
  args:
    - sidecar
    - --csi-address=/csi/csi.sock
    - --controllers={{ join "," $roles | replace "healthMonitor" "health-monitor" }}
    - --http-endpoint=:{{ $v.metrics.port }}
    {{- include "holdfast.electionArgs" $root | trim | nindent 4 }}
    {{- range $role := $roles }}
    {{- range (index $v.roles $role).args }}
    - {{ . | quote }}
    {{- end }}
    {{- end }}
    {{- range $v.controller.args }}
    - {{ . | quote }}
    {{- end }}
  ports:
    - name: metrics
      containerPort: {{ $v.metrics.port }}
      protocol: TCP
  {{- if $v.controller.leaderElection.enabled }}
  livenessProbe:
    httpGet:
      path: /healthz/leader-election
      port: metrics
    initialDelaySeconds: 10
    periodSeconds: 20
    timeoutSeconds: 10
  {{- end }}
  {{- include "holdfast.sidecarFields" . | nindent 2 }}
{{- else }}
{{- range $index, $role := $roles }}
- name: {{ get $upstreamNames $role }}
  image: {{ include "holdfast.upstreamImage" (dict "root" $root "name" $role) }}
  args:
    - --csi-address=/csi/csi.sock
    - --http-endpoint=:{{ add (int $v.metrics.port) $index }}
    {{- include "holdfast.electionArgs" $root | trim | nindent 4 }}
    {{- range (index $v.roles $role).upstreamArgs }}
    - {{ . | quote }}
    {{- end }}
  ports:
    - name: {{ ternary "metrics" (printf "metrics-%d" $index) (eq $index 0) }}
      containerPort: {{ add (int $v.metrics.port) $index }}
      protocol: TCP
  {{- include "holdfast.sidecarFields" $ | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "holdfast.sidecarFields" -}}
imagePullPolicy: {{ .root.Values.images.pullPolicy }}
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: POD_NAMESPACE
    valueFrom:
      fieldRef:
        fieldPath: metadata.namespace
  # The provisioner reads it for --enable-capacity.
  - name: NAMESPACE
    valueFrom:
      fieldRef:
        fieldPath: metadata.namespace
  - name: NODE_NAME
    valueFrom:
      fieldRef:
        fieldPath: spec.nodeName
securityContext:
  {{- toYaml .root.Values.sidecarSecurityContext | nindent 2 }}
resources:
  {{- toYaml .root.Values.controller.resources | nindent 2 }}
volumeMounts:
  - name: {{ .socketVolume }}
    mountPath: /csi
{{- end -}}
