import type { Container, Pod, Volume } from '../../api/kinds/pod.ts'
import type { CSIPersistentVolumeSource, PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { SecretReference } from '../../api/kinds/references.ts'
import { inLineStageSecret } from '../../storage/in-line-volume.ts'
import { claimNameOf } from '../../storage/pod-claims.ts'

/** Names of the objects that a pod uses, all in its own namespace. */
export type PodReferences = {
  readonly serviceAccount: string | undefined
  readonly secrets: ReadonlySet<string>
  readonly configMaps: ReadonlySet<string>
  readonly claims: ReadonlySet<string>
}

// Parts of a pod that refer to objects and are used only here.
type Environment = {
  readonly env?: readonly { readonly valueFrom?: { readonly secretKeyRef?: Named; readonly configMapKeyRef?: Named } }[]
  readonly envFrom?: readonly { readonly secretRef?: Named; readonly configMapRef?: Named }[]
}
type Named = { readonly name?: string }
// Sources of in-tree plugins name their secret in one of two ways.
type InTreeSource = { readonly secretRef?: Named; readonly secretName?: string }

/** The references of a pod that its node must read. */
export function findPodReferences({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>): PodReferences {
  const secrets = new Set<string>()
  const configMaps = new Set<string>()
  const claims = new Set<string>()
  const addTo = (names: Set<string>, name: string | undefined): void => {
    if (name) names.add(name)
  }
  for (const { name } of spec.imagePullSecrets ?? []) addTo(secrets, name)
  for (const container of containersOf(spec)) {
    const { env = [], envFrom = [] } = container as Environment
    for (const { valueFrom } of env) {
      addTo(secrets, valueFrom?.secretKeyRef?.name)
      addTo(configMaps, valueFrom?.configMapKeyRef?.name)
    }
    for (const { secretRef, configMapRef } of envFrom) {
      addTo(secrets, secretRef?.name)
      addTo(configMaps, configMapRef?.name)
    }
  }
  for (const volume of spec.volumes ?? []) {
    for (const name of volumeSecrets(volume)) addTo(secrets, name)
    addTo(configMaps, volume.configMap?.name)
    for (const { configMap } of volume.projected?.sources ?? []) addTo(configMaps, configMap?.name)
    addTo(claims, claimNameOf({ metadata }, volume))
  }
  return { serviceAccount: spec.serviceAccountName || undefined, secrets, configMaps, claims }
}

/** Secrets that a node needs for a volume. Those of the controller are excluded: no node needs them. */
export function findNodeSecrets({ spec }: PersistentVolume): { namespace: string; name: string }[] {
  const { nodeStageSecretRef, nodePublishSecretRef, nodeExpandSecretRef }: Partial<CSIPersistentVolumeSource> =
    spec.csi ?? {}
  const found = new Map<string, { namespace: string; name: string }>()
  for (const { namespace = '', name = '' } of [nodeStageSecretRef, nodePublishSecretRef, nodeExpandSecretRef].filter(
    isReference,
  )) {
    if (name !== '') found.set(`${namespace}/${name}`, { namespace, name })
  }
  return [...found.values()]
}

const isReference = (reference: SecretReference | undefined): reference is SecretReference => !!reference

const containersOf = ({
  initContainers = [],
  containers,
  ephemeralContainers = [],
}: Pod['spec']): readonly Container[] => [...initContainers, ...containers, ...ephemeralContainers]

function volumeSecrets({ name: _name, csi, projected, ...sources }: Volume): (string | undefined)[] {
  return [
    ...(csi ? [csi.nodePublishSecretRef?.name, inLineStageSecret(csi)] : []),
    ...(projected?.sources ?? []).map(({ secret }) => secret?.name),
    ...Object.values(sources).flatMap((source) => {
      const { secretRef, secretName } = (source ?? {}) as InTreeSource
      return [secretRef?.name, secretName]
    }),
  ]
}

/** The kind of the first object that a pod refers to, if any: for pods that must not refer to anything. */
export function findApiReference(pod: Pick<Pod, 'metadata' | 'spec'>): string | undefined {
  const { serviceAccount, secrets, configMaps, claims } = findPodReferences(pod)
  if (serviceAccount !== undefined) return 'serviceaccounts'
  if (secrets.size > 0) return 'secrets'
  if (configMaps.size > 0) return 'configmaps'
  if ((pod.spec as { resourceClaims?: readonly unknown[] }).resourceClaims?.length) return 'resourceclaims'
  if (claims.size > 0) return 'persistentvolumeclaims'
  for (const { csi, secret, configMap, projected, ...rest } of pod.spec.volumes ?? []) {
    if (csi) return 'csidrivers (via CSI volumes)'
    if (secret) return 'secrets (via secret volumes)'
    if (configMap) return 'configmaps (via configmap volumes)'
    if ('glusterfs' in rest) return 'endpoints (via glusterFS volumes)'
    // Only facts about the pod itself need no access to other objects.
    const foreign = (projected?.sources ?? [])
      .flatMap((source) => Object.keys(source))
      .find((kind) => kind !== 'downwardAPI')
    if (foreign === 'serviceAccountToken') return 'serviceaccounts (via projected volumes)'
    if (foreign !== undefined) return `${foreign}s (via projected volumes)`
  }
  return undefined
}
