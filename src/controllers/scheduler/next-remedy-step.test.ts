import { match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Node } from '../../api/kinds/node.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { podOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import { nextPlacementStep } from './next-placement-step.ts'
import { nextRemedyStep } from './next-remedy-step.ts'
import { boundClaim, clusterOf, inZone, lateClass, nodeOf } from './testing/describe-scheduler.ts'
import type { SchedulerObject } from './testing/describe-scheduler.ts'

const cordoned: Node['spec'] = {
  unschedulable: true,
  taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
}
const tainted = (name: string) => nodeOf(name, { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })

/** A claim that is bound to a volume in this zone. */
const placed = (name: string, zone: string): SchedulerObject[] => [
  boundClaim(`c-${name}`, `v-${name}`),
  volumeOf({
    name: `v-${name}`,
    phase: 'Bound',
    spec: { storageClassName: 'late', claimRef: reservedFor(`c-${name}`, `uid-c-${name}`), nodeAffinity: inZone(zone) },
  }),
]

const podWith = (...names: string[]): Pod =>
  podOf('p1', {
    spec: { volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: `c-${name}` } })) },
  })

const rows: [about: string, pod: Pod, objects: SchedulerObject[], cure: RegExp][] = [
  [
    'the only node that has the volume is cordoned',
    podWith('x'),
    [nodeOf('n1', { zone: 'a' }), nodeOf('n2', { zone: 'b', spec: cordoned }), ...placed('x', 'b')],
    /^Uncordon n2: kubectl uncordon n2\.$/,
  ],
  [
    'a cordoned node would not help',
    podWith('x'),
    [nodeOf('n1', { zone: 'a', spec: cordoned }), tainted('n2'), ...placed('x', 'c')],
    /^Let the pod run on a node from which its volume is accessible\.$/,
  ],
  [
    'several are cordoned',
    podWith(),
    [nodeOf('n2', { spec: cordoned }), nodeOf('n1', { spec: cordoned })],
    /^Uncordon one of the nodes n1, n2: kubectl uncordon n1\.$/,
  ],
  [
    'another node could be used too',
    podWith(),
    [nodeOf('n1', { spec: cordoned }), tainted('n2')],
    /^Uncordon n1, or remove what keeps the pod off the other nodes: kubectl uncordon n1\.$/,
  ],
  [
    'two volumes are in different zones',
    podWith('x', 'y'),
    [nodeOf('n1', { zone: 'a' }), nodeOf('n2', { zone: 'b' }), ...placed('x', 'a'), ...placed('y', 'b')],
    /^No node can access both volume v-x \(claim default\/c-x\) and volume v-y \(claim default\/c-y\)\./,
  ],
  [
    'of two volumes, one is out of reach of every node',
    podWith('x', 'y'),
    [nodeOf('n1', { zone: 'a' }), nodeOf('n2', { zone: 'b' }), ...placed('x', 'a'), ...placed('y', 'c')],
    /^Let the pod run on a node from which its volume is accessible\.$/,
  ],
  ['no node is cordoned', podWith(), [tainted('n1')], /^Add a toleration/],
]

describe('what would let a pod run', () => {
  for (const [about, pod, objects, cure] of rows)
    test(about, () => {
      const world = clusterOf(pod, lateClass(), ...objects)
      const step = nextPlacementStep({ seen: { pod, world } })
      ok(step.kind === 'unschedulable', step.kind)
      match(nextRemedyStep(step, world).cure ?? '', cure)
    })
})
