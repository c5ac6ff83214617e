import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { keyOf } from '../../api/object-key.ts'
import type { Caches } from '../caches.ts'
import type { CallLog } from '../call-log.ts'
import { shareCell } from '../cells.ts'
import type { Cell, Column, Row } from '../protocol.ts'
import { keysOf } from '../table.ts'
import type { Table } from '../table.ts'
import { targetOf } from '../targets.ts'

/** Drivers that are registered with the cluster or on a node, or that have volumes. `calls` are those of this process, if it makes any. */
export const driverTable = (calls: CallLog | undefined): Table => ({
  name: 'drivers',
  title: 'Drivers',
  columns: [
    { title: 'Name', kind: 'text' },
    { title: 'Status', kind: 'state' },
    { title: 'Nodes', kind: 'number' },
    { title: 'Volumes', kind: 'number' },
    { title: 'Classes', kind: 'text' },
    { title: 'Attach', kind: 'text' },
    { title: 'Modes', kind: 'text' },
    ...(calls ? CALL_COLUMNS : []),
  ],
  keysOf: {
    drivers: (driver) => [keyOf(driver)],
    csiNodes: keysOf<CSINode>(({ spec }) => (spec.drivers ?? []).map(({ name }) => name)),
    volumes: keysOf<PersistentVolume>(({ spec }) => (spec.csi ? [spec.csi.driver] : [])),
    classes: keysOf<StorageClass>(({ provisioner }) => [provisioner]),
  },
  row: (name, caches) => driverRow(name, caches, calls),
})

// Of the recent calls.
const CALL_COLUMNS: readonly Column[] = [
  { title: 'Calls', kind: 'number' },
  { title: 'Failed', kind: 'share', isMain: true },
  { title: 'p50 ms', kind: 'number' },
  { title: 'p99 ms', kind: 'number', isMain: true },
]

function callCells(calls: CallLog | undefined, name: string): Cell[] {
  if (!calls) return []
  const { count = 0, failed = 0, p50Ms, p99Ms } = calls.summaryOf(name) ?? {}
  return [
    count,
    shareCell(failed, count),
    p50Ms === undefined ? null : round(p50Ms),
    p99Ms === undefined ? null : round(p99Ms),
  ]
}

const round = (ms: number): number => Math.round(ms * 10) / 10

function driverRow(name: string, caches: Caches, calls: CallLog | undefined): Row | undefined {
  const object = caches.drivers.get(name)
  const nodes = [...caches.csiNodes.all()].filter(({ spec }) =>
    spec.drivers?.some((driver) => driver.name === name),
  ).length
  const volumes = caches.volumesOfDriver(name).length
  // A class alone may name a provisioner that is no CSI driver.
  if (!object && nodes === 0 && volumes === 0) return undefined
  const classes = [...caches.classes.all()].filter(({ provisioner }) => provisioner === name).map(keyOf)
  const target = targetOf('CSIDriver', name)
  return {
    key: name,
    tone: nodes > 0 ? 'good' : 'bad',
    ...(target === undefined ? {} : { target }),
    cells: [
      name,
      nodes > 0 ? 'Registered' : 'On no node',
      nodes,
      volumes,
      classes.join(', '),
      object ? (object.spec.attachRequired === false ? 'not required' : 'required') : '',
      (object?.spec.volumeLifecycleModes ?? []).join(', '),
      ...callCells(calls, name),
    ],
  }
}
