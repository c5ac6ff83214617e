import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { findMountUsers, formatMountUser } from '../../base/host/index.ts'
import type { Host } from '../../base/host/index.ts'
import { keyOf } from '../../api/object-key.ts'
import { podClaimKeysOf } from '../../storage/pod-claims.ts'
import { nameOf } from './known-objects.ts'
import type { Leak } from './leak.ts'
import type { ClusterSide } from './read-cluster-side.ts'

export type NodePlace = {
  readonly host: Host
  /** The name of the Node. */
  readonly nodeName: string
  /** The directory of the kubelet, or of the node agent: `/var/lib/kubelet`. */
  readonly rootDir: string
}

const CSI = 'kubernetes.io~csi'

/** Mounts, devices and directories on a node, of volumes that no pod on it uses. Only names are read. */
export async function findNodeLeaks({ host, nodeName, rootDir }: NodePlace, cluster: ClusterSide): Promise<Leak[]> {
  const pods = cluster.pods.filter(({ spec }) => spec.nodeName === nodeName)
  const uids = new Set(pods.map(({ metadata }) => metadata.uid ?? ''))
  const claimKeys = new Set<string>(pods.flatMap(podClaimKeysOf))
  const volumeNames = cluster.claims.filter((claim) => claimKeys.has(keyOf(claim))).map(({ spec }) => spec.volumeName)
  const used = cluster.volumes.filter((volume) => volumeNames.includes(nameOf(volume)))
  const hashes = new Set(used.map(({ spec }) => hashOf(spec.csi?.volumeHandle ?? '')))
  const names = new Set(used.map(nameOf))
  const mounted = new Set((await host.mounts.list()).map(({ target }) => target))
  const namesIn = async (directory: string): Promise<string[]> =>
    (await host.files.findStat(directory))?.kind === 'directory'
      ? (await host.files.list(directory)).map(({ name }) => name)
      : []
  const leaks: Leak[] = []
  for (const uid of await namesIn(join(rootDir, 'pods'))) {
    if (uids.has(uid)) continue
    for (const name of await namesIn(join(rootDir, 'pods', uid, 'volumes', CSI))) {
      const path = join(rootDir, 'pods', uid, 'volumes', CSI, name)
      const isMounted = mounted.has(join(path, 'mount'))
      const users = isMounted ? await findMountUsers(host.files, join(path, 'mount')) : []
      const usedBy = users.length > 0 ? { usedBy: users.map(formatMountUser) } : {}
      leaks.push({ kind: isMounted ? 'mount-without-pod' : 'directory-without-pod', node: nodeName, path, ...usedBy })
    }
    for (const name of await namesIn(join(rootDir, 'pods', uid, 'volumeDevices', CSI)))
      leaks.push({
        kind: 'device-without-pod',
        node: nodeName,
        path: join(rootDir, 'pods', uid, 'volumeDevices', CSI, name),
      })
  }
  const staging = join(rootDir, 'plugins/kubernetes.io/csi')
  for (const hash of await namesIn(join(staging, cluster.driverName)))
    if (!hashes.has(hash))
      leaks.push({ kind: 'staged-without-pod', node: nodeName, path: join(staging, cluster.driverName, hash) })
  for (const name of await namesIn(join(staging, 'volumeDevices')))
    // Two directories of the kubelet itself.
    if (!['publish', 'staging'].includes(name) && !names.has(name) && isOfDriver(name, cluster))
      leaks.push({ kind: 'device-without-pod', node: nodeName, path: join(staging, 'volumeDevices', name) })
  return leaks
}

const hashOf = (handle: string): string => createHash('sha256').update(handle).digest('hex')

/** The path has only the name of the PersistentVolume. One that is gone may have been of any driver. */
const isOfDriver = (name: string, { volumes, driverName }: ClusterSide): boolean => {
  const volume = volumes.find((each) => nameOf(each) === name)
  return !volume || volume.spec.csi?.driver === driverName
}
