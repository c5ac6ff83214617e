import { basename } from 'node:path'
import type { SimulatedHost, TreeEntry } from '../../../base/host/index.ts'
import type { Hostpath } from '../hostpath.ts'
import { ROOT } from './hostpath-under-test.ts'

/** Everything that the driver changed on the machine, with names instead of IDs: two equivalent runs have equal states. */
export function stateOf(hostpath: Hostpath, machine: SimulatedHost): unknown {
  const state = {
    volumes: sorted([...hostpath.volumes.all()]),
    snapshots: sorted(hostpath.allSnapshots()),
    groups: sorted([...hostpath.groups.all()]),
    nodes: [...hostpath.nodes.values()].map(({ id, records }) => ({ id, records: sorted([...records.all()]) })),
    tree: machine.snapshotTree().map(withoutRecord),
  }
  const text = JSON.stringify(state, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
  const named = namesOf(hostpath).reduce((rest, [id, name]) => rest.replaceAll(id, name), text)
  const plain = JSON.parse(named) as typeof state
  return { ...plain, snapshots: sorted(plain.snapshots), tree: sorted(plain.tree) }
}

/** The content of the data directory, including mounts and devices. */
export const dataTree = (machine: SimulatedHost): TreeEntry[] =>
  machine
    .snapshotTree()
    .filter(({ path, kind }) => path.startsWith('/data') || kind === 'mount' || kind === 'loop-device')

const sorted = <T>(items: T[]): T[] => items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
const sortKey = (item: unknown): string =>
  JSON.stringify(item, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))

// Records contain IDs, so they are compared in parsed form.
const withoutRecord = (entry: TreeEntry): TreeEntry =>
  entry.path.startsWith(ROOT) && basename(entry.path).endsWith('.json')
    ? { ...entry, sizeBytes: 0n, detail: '' }
    : entry

function namesOf(hostpath: Hostpath): [id: string, name: string][] {
  const volumes = [...hostpath.volumes.all()].map(({ id, name }): [string, string] => [id, name || id])
  const groups = [...hostpath.groups.all()].map(({ id, name }): [string, string] => [id, name])
  const volumeName = (id: string): string => hostpath.volumes.find(id)?.name ?? id
  const groupName = (id: string): string => hostpath.groups.find(id)?.name ?? id
  const snapshots = hostpath
    .allSnapshots()
    .map(({ id, name, groupId, sourceVolumeId }): [string, string] => [
      id,
      name || `${groupName(groupId)}-${volumeName(sourceVolumeId)}`,
    ])
  return [...volumes, ...groups, ...snapshots]
}
