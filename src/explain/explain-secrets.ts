import { usedVolumesOf } from '../node/volumes/pod-view.ts'
import { CONFIG_MAPS } from '../api/kinds/config-map.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import type { Pod } from '../api/kinds/pod.ts'
import type { SecretReference } from '../api/kinds/references.ts'
import { SECRETS } from '../api/kinds/secret.ts'
import { inLineStageSecret } from '../storage/in-line-volume.ts'
import { podClaimsOf } from '../storage/pod-claims.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { absentLink } from './links.ts'

type Need = { readonly kind: 'Secret' | 'ConfigMap'; readonly namespace: string; readonly name: string }

/** Secrets and config maps without which the node cannot mount the pod's volumes: a link for each missing one. */
export async function explainPodSecrets(pod: Pod, reader: ClusterReader): Promise<Link[]> {
  const needs = [...needsOf(pod), ...(await needsOfClaims(pod, reader))]
  const links: Link[] = []
  for (const { kind, namespace, name } of needs) {
    const found =
      kind === 'Secret'
        ? await reader.get(SECRETS, { namespace, name })
        : await reader.get(CONFIG_MAPS, { namespace, name })
    if (found.kind === 'absent') links.push(absentLink({ kind, namespace, name }))
  }
  return links
}

function needsOf(pod: Pod): Need[] {
  const { namespace = '' } = pod.metadata
  const need = (kind: Need['kind'], name: string | undefined, optional = false): Need[] =>
    name && !optional ? [{ kind, namespace, name }] : []
  return usedVolumesOf(pod).flatMap(({ volume: { secret, configMap, projected, csi } }) => [
    ...need('Secret', secret?.secretName, secret?.optional),
    ...need('ConfigMap', configMap?.name, configMap?.optional),
    ...need('Secret', csi?.nodePublishSecretRef?.name),
    ...need('Secret', csi && inLineStageSecret(csi)),
    ...(projected?.sources ?? []).flatMap((source) => [
      ...need('Secret', source.secret?.name, source.secret?.optional),
      ...need('ConfigMap', source.configMap?.name, source.configMap?.optional),
    ]),
  ])
}

async function needsOfClaims(pod: Pod, reader: ClusterReader): Promise<Need[]> {
  const needs: Need[] = []
  for (const { claimName } of podClaimsOf(pod)) {
    const claim = await reader.get(PERSISTENT_VOLUME_CLAIMS, {
      namespace: pod.metadata.namespace ?? '',
      name: claimName,
    })
    const volumeName = claim.kind === 'found' ? claim.object.spec.volumeName : undefined
    const volume = volumeName ? await reader.get(PERSISTENT_VOLUMES, { name: volumeName }) : undefined
    if (volume?.kind !== 'found') continue
    const { nodeStageSecretRef, nodePublishSecretRef } = volume.object.spec.csi ?? {}
    for (const ref of [nodeStageSecretRef, nodePublishSecretRef]) needs.push(...secretNeed(ref))
  }
  return needs
}

const secretNeed = ({ namespace, name }: SecretReference = {}): Need[] =>
  namespace && name ? [{ kind: 'Secret', namespace, name }] : []
