import { MIRROR_POD_ANNOTATION, PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodSpec, ProjectedVolumeSource } from '../../api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import type { ServiceAccount } from '../../api/kinds/service-account.ts'
import { keyOf } from '../core/stored-object.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { forbid } from './forbid.ts'

const DEFAULT_ACCOUNT = 'default'
const TOKEN_VOLUME_PREFIX = 'kube-api-access-'
const TOKEN_MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
// An unusual number, by which the server recognizes tokens that were mounted by default.
const TOKEN_SECONDS = 3607

/** Ensures that every pod has an existing service account, and that its containers get a token of it unless that is disabled. */
export const serviceAccount: AdmissionPlugin = {
  name: 'ServiceAccount',

  mutate(request) {
    const pod = newPodOf(request)
    if (!pod || isMirror(pod)) return
    const spec = (pod.spec ??= {})
    spec.serviceAccountName ||= DEFAULT_ACCOUNT
    spec.serviceAccount = spec.serviceAccountName
    const account = accountOf(request, spec)
    if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true)
      mountToken(spec, request.randomName(TOKEN_VOLUME_PREFIX))
    const pullSecrets = account.imagePullSecrets ?? []
    if ((spec.imagePullSecrets ?? []).length === 0 && pullSecrets.length > 0)
      spec.imagePullSecrets = pullSecrets.map(({ name }) => ({ name }))
  },

  validate(request) {
    const pod = newPodOf(request)
    if (!pod) return
    const spec = pod.spec ?? {}
    if (isMirror(pod)) refuseInMirror(request, spec)
    else accountOf(request, spec)
  },
}

function newPodOf({ operation, kind, subresource, object }: AdmissionRequest): Loose<Pod> | undefined {
  return operation === 'CREATE' && kind.storage === storageOf(PODS) && subresource === ''
    ? (object as Loose<Pod>)
    : undefined
}

// A mirror pod represents a static pod of a node and is never changed.
const isMirror = ({ metadata }: Loose<Pod>): boolean => metadata?.annotations?.[MIRROR_POD_ANNOTATION] !== undefined

function refuseInMirror(request: AdmissionRequest, { serviceAccountName, volumes }: Loose<PodSpec>): void {
  if (serviceAccountName) throw forbid(request, 'a mirror pod may not reference service accounts')
  const given = volumes ?? []
  if (given.some(({ secret, projected }) => secret || projected?.sources?.some((source) => source.secret))) {
    throw forbid(request, 'a mirror pod may not reference secrets')
  }
  if (given.some(({ projected }) => projected?.sources?.some(({ serviceAccountToken }) => serviceAccountToken))) {
    throw forbid(request, 'a mirror pod may not use ServiceAccountToken volume projections')
  }
}

function accountOf(request: AdmissionRequest, { serviceAccountName: name = '' }: Loose<PodSpec>): ServiceAccount {
  const { namespace, view } = request
  if (name === '') throw forbid(request, `no service account specified for pod ${namespace}/${request.name}`)
  const found = view.find(storageOf(SERVICE_ACCOUNTS), keyOf(namespace, name))
  if (!found)
    throw forbid(request, `error looking up service account ${namespace}/${name}: serviceaccount "${name}" not found`)
  return found.object as ServiceAccount
}

// A container that mounts something else at that path does not get a token.
function mountToken(spec: Loose<PodSpec>, freshName: string): void {
  const existing = (spec.volumes ?? []).find(({ name }) => name?.startsWith(TOKEN_VOLUME_PREFIX))
  const name = existing?.name ?? freshName
  const needy = [...(spec.initContainers ?? []), ...(spec.containers ?? [])].filter(
    ({ volumeMounts }) => !(volumeMounts ?? []).some(({ mountPath }) => mountPath === TOKEN_MOUNT_PATH),
  )
  for (const container of needy)
    container.volumeMounts = [...(container.volumeMounts ?? []), { name, readOnly: true, mountPath: TOKEN_MOUNT_PATH }]
  if (!existing && needy.length > 0) spec.volumes = [...(spec.volumes ?? []), { name, projected: tokenVolume() }]
}

const tokenVolume = (): Loose<ProjectedVolumeSource> => ({
  sources: [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: { items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }] },
    },
  ],
  defaultMode: 0o644,
})
