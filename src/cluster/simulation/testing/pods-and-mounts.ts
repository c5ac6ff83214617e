import type { Api } from '../../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod, Volume } from '../../../api/kinds/pod.ts'
import { VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import type { ClusterWorld } from './describe-world.ts'
import { isBlock } from './user-changes.ts'

/** Pods that could run and don't: their claims are there and nobody deletes them, or copies what is not there to be copied. */
export async function waitingPods(api: Api): Promise<string[]> {
  const { items } = await api.list(PERSISTENT_VOLUME_CLAIMS)
  const present = items.filter(({ metadata }) => !metadata.deletionTimestamp)
  const sources = new Set([
    ...present
      .filter(({ status }) => status?.phase === 'Bound')
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ...(await api.list(VOLUME_SNAPSHOTS)).items
      .filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.readyToUse)
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`),
  ])
  const isHopeless = ({ spec: { dataSource }, status }: PersistentVolumeClaim): boolean =>
    status?.phase !== 'Bound' && dataSource !== undefined && !sources.has(`${dataSource.kind} ${dataSource.name}`)
  const claims = new Set(present.filter((claim) => !isHopeless(claim)).map(({ metadata }) => metadata.name))
  const canRun = ({ spec }: Pod): boolean =>
    (spec.volumes ?? []).every(
      ({ persistentVolumeClaim }) => !persistentVolumeClaim || claims.has(persistentVolumeClaim.claimName),
    )
  return (await api.list(PODS)).items
    .filter((pod) => pod.status?.phase !== 'Running' && canRun(pod))
    .map(({ metadata, status, spec }) => `${metadata.name} on ${spec.nodeName}: ${JSON.stringify(status)}`)
}

/** A line for each volume of a pod that runs: node and uid. */
export const runningPods = async (api: Api): Promise<string[]> =>
  (await api.list(PODS)).items
    .filter(({ status }) => status?.phase === 'Running')
    .flatMap(({ metadata, spec }) =>
      (spec.volumes ?? []).filter(isMounted).map(() => `${spec.nodeName} ${metadata.uid}`),
    )
    .sort()

/** Devices are not mounted below the directory of the pod. */
const isMounted = ({ projected, persistentVolumeClaim }: Volume): boolean =>
  !projected && !(persistentVolumeClaim && isBlock(persistentVolumeClaim.claimName))

/** A line for each mount of a pod: node and uid. */
export const podsOfMounts = async ({ machine }: ClusterWorld): Promise<string[]> =>
  (await machine.mounts.list())
    .flatMap(({ target }) => {
      const [, node, uid] = /^\/cluster\/(node-\d)\/pods\/([^/]+)\//.exec(target) ?? []
      return node === undefined ? [] : [`${node} ${uid}`]
    })
    .sort()
