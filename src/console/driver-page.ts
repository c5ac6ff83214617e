import { formatRef, keyOf } from '../api/object-key.ts'
import type { Caches } from './caches.ts'
import type { CallLog, CallSummary } from './call-log.ts'
import type { ObjectPage } from './protocol.ts'
import { attachedOf } from './tables/node-table.ts'
import { linkTo } from './targets.ts'

/** A driver: what it can do, where it is registered, and how its calls go. */
export function driverPage(name: string, caches: Caches, calls: CallLog | undefined): ObjectPage | undefined {
  const object = caches.drivers.get(name)
  const nodes = [...caches.csiNodes.all()].flatMap((node) => {
    const driver = (node.spec.drivers ?? []).find((each) => each.name === name)
    return driver ? [{ node: keyOf(node), driver }] : []
  })
  const volumes = caches.volumesOfDriver(name)
  if (!object && nodes.length === 0 && volumes.length === 0) return undefined
  const { spec } = object ?? {}
  const classes = [...caches.classes.all()]
    .filter((each) => each.provisioner === name)
    .map((each) => linkTo('StorageClass', keyOf(each)))
  const capabilities = calls?.capabilitiesOf(name) ?? []
  const yesOrNo = (value: boolean | undefined): string => (value ? 'yes' : 'no')
  return {
    kind: 'Driver',
    name,
    facts: [
      ['Volumes', String(volumes.length)],
      ['Classes', classes.length === 0 ? 'none' : classes],
      ...(spec
        ? ([
            ['Attach required', yesOrNo(spec.attachRequired ?? true)],
            ['Pod information on mount', yesOrNo(spec.podInfoOnMount)],
            ['Reports capacity', yesOrNo(spec.storageCapacity)],
            ['fsGroup policy', spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType'],
            ['Volume modes', (spec.volumeLifecycleModes ?? ['Persistent']).join(', ')],
          ] as const)
        : ([['CSIDriver object', 'none']] as const)),
      ['Capabilities', capabilities.length === 0 ? 'known only to the process that calls the driver' : capabilities],
    ],
    lists: [
      {
        title: 'Calls by method',
        columns: [
          { title: 'Call', kind: 'text' },
          ...(['Count', 'Failed', 'Error rate', 'p50', 'p99'] as const).map(
            (title) => ({ title, kind: 'number' }) as const,
          ),
        ],
        rows: [...(calls?.summariesOf(name) ?? [])].map(([method, summary]) => [method, ...summaryCells(summary)]),
        ...(calls
          ? {}
          : { note: 'Calls are made by other processes; their metrics are in csi_sidecar_operations_seconds.' }),
      },
      {
        title: 'Nodes',
        columns: [
          { title: 'Node', kind: 'text' },
          { title: 'ID of the node', kind: 'text' },
          { title: 'Attached', kind: 'number' },
          { title: 'Limit', kind: 'number' },
        ],
        rows: nodes.map(({ node, driver }) => [
          linkTo('Node', node),
          driver.nodeID,
          String(attachedOf(name, caches.attachmentsOfNode(node))),
          driver.allocatable?.count === undefined ? 'no limit' : String(driver.allocatable.count),
        ]),
      },
    ],
    related: [],
    finalizers: [],
    ...(calls ? { calls: calls.callsTo(name) } : {}),
    shows: [
      formatRef('CSIDriver', { name }),
      ...nodes.map(({ node }) => `CSINode/${node}`),
      ...nodes.map(({ node }) => `Node/${node}`),
    ],
  }
}

const summaryCells = ({ count, failed, p50Ms, p99Ms }: CallSummary): string[] => [
  String(count),
  String(failed),
  `${((100 * failed) / count).toFixed(1)} %`,
  `${p50Ms.toFixed(1)} ms`,
  `${p99Ms.toFixed(1)} ms`,
]
