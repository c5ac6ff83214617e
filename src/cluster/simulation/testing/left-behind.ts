import { LEASES } from '../../../api/kinds/lease.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../../api/kinds/volume-attachment.ts'
import { VOLUME_GROUP_SNAPSHOT_CONTENTS, VOLUME_GROUP_SNAPSHOTS } from '../../../api/kinds/volume-group-snapshot.ts'
import { VOLUME_SNAPSHOT_CONTENTS, VOLUME_SNAPSHOTS } from '../../../api/kinds/volume-snapshot.ts'
import { DATA } from './describe-world.ts'
import type { ClusterWorld } from './describe-world.ts'
import { SET_KINDS } from './set-changes.ts'

const KINDS = [
  ...SET_KINDS,
  PODS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  VOLUME_ATTACHMENTS,
  VOLUME_SNAPSHOTS,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
]

/** Whatever a cluster without claims, snapshots and pods must not have. */
export async function leftOf({ api, machine }: ClusterWorld): Promise<string[]> {
  const objects: string[] = []
  for (const type of KINDS) {
    for (const { metadata } of (await api.list<Pod>(type as typeof PODS)).items)
      objects.push(`${type.kind} ${metadata.name}`)
  }
  for (const { metadata, status } of (await api.list(NODES)).items) {
    for (const name of status?.volumesInUse ?? []) objects.push(`${metadata.name} in use: ${name}`)
    for (const { name } of status?.volumesAttached ?? []) objects.push(`${metadata.name} attached: ${name}`)
  }
  for (const { metadata } of (await api.list(LEASES)).items) {
    for (const key of Object.keys(metadata.annotations ?? {}))
      if (key.includes('journal')) objects.push(`${metadata.name}: ${key}`)
  }
  const mounts = (await machine.mounts.list())
    .map(({ target }) => target)
    .filter((target) => target.startsWith(`${DATA}/`))
  const tree = machine.snapshotTree()
  const devices = tree.filter(({ kind }) => kind === 'loop-device').map(({ path }) => path)
  const places = tree.map(({ path }) => path).filter((path) => PLACES.test(path))
  return [...objects, ...mounts, ...devices, ...places]
}

// Directories of pods, volumes and snapshots.
const PLACES =
  /^\/cluster\/(node-\d\/pods\/|node-\d\/plugins\/kubernetes.io\/csi\/(?!volumeDevices\/(publish|staging)$)[^/]+\/|volumes\/(volumes|snapshots|groups)[^/]*\/|volumes\/nodes\/node-\d\/.)/
