import type { Container, Pod, PodSpec, Volume } from '../../../api/kinds/pod.ts'
import type { Loose } from '../loose.ts'
import { applyClaimSpecDefaults } from './claim-spec.ts'
import { applyVolumeSourceDefaults } from './volume-source-defaults.ts'
import type { VolumeSource } from './volume-sources.ts'

// Fields that the types in `api/` omit, because nothing else uses them.
type Raw = { [member: string]: unknown }

const FILE_MODE = 0o644
const TOKEN_SECONDS = 3600

/** Sets the defaults of a pod: those of its spec, and those that apply to pods only, not to pod templates. */
export function applyPodDefaults({ spec = {} }: Loose<Pod>): void {
  for (const container of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
    const { resources } = container
    if (resources?.limits) resources.requests = { ...resources.limits, ...resources.requests }
    // With host networking, container ports are ports of the node.
    if (spec.hostNetwork) for (const port of container.ports ?? []) port.hostPort ||= port.containerPort
  }
  spec.enableServiceLinks ??= true
  applyPodSpecDefaults(spec)
}

/** Sets the defaults of a pod spec, in a pod or in a template. */
export function applyPodSpecDefaults(spec: Loose<PodSpec>): void {
  spec.dnsPolicy ||= 'ClusterFirst'
  spec.restartPolicy ||= 'Always'
  spec.securityContext ??= {}
  spec.terminationGracePeriodSeconds ??= 30
  if (spec.terminationGracePeriodSeconds < 0) spec.terminationGracePeriodSeconds = 1
  spec.schedulerName ||= 'default-scheduler'
  // The same under its old name.
  if (!spec.serviceAccountName && spec.serviceAccount) spec.serviceAccountName = spec.serviceAccount
  if (spec.serviceAccountName) spec.serviceAccount = spec.serviceAccountName
  for (const volume of spec.volumes ?? []) applyVolumeDefaults(volume)
  for (const list of [spec.initContainers, spec.containers, spec.ephemeralContainers]) {
    for (const container of list ?? []) applyContainerDefaults(container)
  }
}

function applyVolumeDefaults(volume: Loose<Volume>): void {
  if (Object.keys(volume).every((member) => member === 'name')) volume.emptyDir = {}
  applyVolumeSourceDefaults(volume as VolumeSource)
  const { secret, configMap, downwardAPI, projected, ephemeral } = volume
  for (const source of [secret, configMap, downwardAPI, projected]) if (source) source.defaultMode ??= FILE_MODE
  for (const { fieldRef } of downwardAPI?.items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1'
  for (const projection of projected?.sources ?? []) {
    for (const { fieldRef } of projection.downwardAPI?.items ?? []) if (fieldRef) fieldRef.apiVersion ||= 'v1'
    if (projection.serviceAccountToken) projection.serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS
  }
  if (ephemeral?.volumeClaimTemplate) applyClaimSpecDefaults((ephemeral.volumeClaimTemplate.spec ??= {}))
  const { image } = volume as { image?: { reference?: string; pullPolicy?: string } }
  if (image) image.pullPolicy ||= pullPolicyOf(image.reference ?? '')
}

function applyContainerDefaults(container: Loose<Container>): void {
  container.imagePullPolicy ||= pullPolicyOf(container.image ?? '')
  container.terminationMessagePath ||= '/dev/termination-log'
  container.terminationMessagePolicy ||= 'File'
  for (const port of container.ports ?? []) port.protocol ||= 'TCP'
  const raw = container as Raw
  for (const variable of (raw['env'] ?? []) as Raw[]) {
    const from = variable['valueFrom'] as Raw | undefined
    const fieldRef = from?.['fieldRef'] as Raw | undefined
    if (fieldRef) fieldRef['apiVersion'] ||= 'v1'
    const fileKeyRef = from?.['fileKeyRef'] as Raw | undefined
    if (fileKeyRef) fileKeyRef['optional'] ??= false
  }
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'])
    applyProbeDefaults(raw[name] as Raw | undefined)
  const lifecycle = raw['lifecycle'] as Raw | undefined
  for (const name of ['postStart', 'preStop']) applyHandlerDefaults(lifecycle?.[name] as Raw | undefined)
}

function applyProbeDefaults(probe: Raw | undefined): void {
  if (!probe) return
  probe['timeoutSeconds'] ||= 1
  probe['periodSeconds'] ||= 10
  probe['successThreshold'] ||= 1
  probe['failureThreshold'] ||= 3
  applyHandlerDefaults(probe)
}

function applyHandlerDefaults(handler: Raw | undefined): void {
  const httpGet = handler?.['httpGet'] as Raw | undefined
  if (httpGet) {
    httpGet['path'] ||= '/'
    httpGet['scheme'] ||= 'HTTP'
  }
  const grpc = handler?.['grpc'] as Raw | undefined
  if (grpc) grpc['service'] ??= ''
}

/** An image whose tag may change is always pulled. */
// A name with other characters is no image, and has no tag either.
const IMAGE_NAME = /^(?:[\w.-]+(?::\d+)?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?:[:@]|$)/

function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  if (!IMAGE_NAME.test(image)) return 'IfNotPresent'
  const [reference = '', digest] = image.split('@')
  const tag = /:([^/:]+)$/.exec(reference)?.[1]
  return tag === 'latest' || (tag === undefined && digest === undefined && reference !== '') ? 'Always' : 'IfNotPresent'
}
