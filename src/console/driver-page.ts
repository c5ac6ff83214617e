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
  const yesOrNo = (value: boolean | undefined): string => (value ? 'yes' : 'no')
  return {
    title: `Driver ${name}`,
    facts: [
      ['Volumes', String(volumes.length)],
      [
        'Classes',
        [...caches.classes.all()]
          .filter((each) => each.provisioner === name)
          .map(keyOf)
          .join(', ') || 'none',
      ],
      ...(spec
        ? ([
            ['Attach required', yesOrNo(spec.attachRequired ?? true)],
            ['Pod information on mount', yesOrNo(spec.podInfoOnMount)],
            ['Reports capacity', yesOrNo(spec.storageCapacity)],
            ['fsGroup policy', spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType'],
            ['Volume modes', (spec.volumeLifecycleModes ?? ['Persistent']).join(', ')],
          ] as const)
        : ([['CSIDriver object', 'none']] as const)),
      [
        'Capabilities',
        (calls?.capabilitiesOf(name) ?? []).join(', ') || 'known only to the process that calls the driver',
      ],
    ],
    lists: [
      {
        title: 'Nodes',
        headings: ['Node', 'ID of the node', 'Attached', 'Limit'],
        rows: nodes.map(({ node, driver }) => [
          linkTo('Node', node),
          driver.nodeID,
          String(attachedOf(name, caches.attachmentsOfNode(node))),
          driver.allocatable?.count === undefined ? 'no limit' : String(driver.allocatable.count),
        ]),
      },
      {
        title: 'Recent calls by method',
        headings: ['Call', 'Count', 'Failed', 'Error rate', 'p50', 'p99'],
        rows: [...(calls?.summariesOf(name) ?? [])].map(([method, summary]) => [method, ...summaryCells(summary)]),
        ...(calls
          ? {}
          : { note: 'Calls are made by other processes; their metrics are in csi_sidecar_operations_seconds.' }),
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
