import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { KubeObject } from '../api/object.ts'
import { createInformers } from '../kube/cache/informers.ts'
import type { InformerParts } from '../kube/cache/informer.ts'
import type { Rpc } from '../csi/index.ts'
import { findCallSubject } from '../proxy/index.ts'

/** Says for which claim or pod a driver is called. */
export interface CallSubjects {
  /** `claim shop/data` or `pod shop/web`; otherwise the volume or snapshot; undefined for a call about neither. */
  find(rpc: Rpc, request: unknown): string | undefined
  stop(): Promise<void>
}

// What the requests of sidecars and nodes contain of claims, volumes and pods.
type Named = { name?: string; volumeId?: string; sourceVolumeId?: string; targetPath?: string; volumePath?: string }

/** Looks for the objects of the cluster behind a request: most requests have only IDs and paths. */
export function followCallSubjects(parts: InformerParts): CallSubjects {
  const informers = createInformers(parts)
  const [claims, volumes, pods] = [
    informers.get(PERSISTENT_VOLUME_CLAIMS),
    informers.get(PERSISTENT_VOLUMES),
    informers.get(PODS),
  ]
  const podAt = (path: string): string | undefined => {
    const [, uid] = /\/pods\/([^/]+)\//.exec(path) ?? []
    const pod = uid === undefined ? undefined : Array.from(pods.all()).find(({ metadata }) => metadata.uid === uid)
    return pod && `pod ${keyOf(pod)}`
  }
  const claimOf = ({ name = '', volumeId, sourceVolumeId }: Named): string | undefined => {
    const handle = volumeId || sourceVolumeId
    const volume = handle ? Array.from(volumes.all()).find(({ spec }) => spec.csi?.volumeHandle === handle) : undefined
    const { namespace, name: claim } = volume?.spec.claimRef ?? {}
    if (claim !== undefined) return `claim ${namespace}/${claim}`
    const found = Array.from(claims.all()).find(
      ({ metadata }) => metadata.uid !== undefined && name.endsWith(metadata.uid),
    )
    return found && `claim ${keyOf(found)}`
  }
  return {
    find: (rpc, request) => {
      const named = request as Named
      return (
        podAt(named.targetPath || named.volumePath || '') ?? claimOf(named) ?? findCallSubject(rpc.requestName, request)
      )
    },
    stop: () => informers.stop(),
  }
}

const keyOf = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace}/${name}`
