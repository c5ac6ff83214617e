import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Node, Taint } from '../../api/kinds/node.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { StorageClass } from '../../api/kinds/storage-class.ts'
import { matchesNodeSelector, matchesTopologyTerms } from '../../api/node-selector.ts'
import { quantityToBytes } from '../../api/quantity.ts'
import { NO_PROVISIONER, SELECTED_NODE, selectedNodeOf } from '../../storage/names.ts'
import { podOf, reservedFor, volumeOf } from '../../testing/objects.ts'
import {
  allowedIn,
  boundClaim,
  capacityOf,
  clusterOf,
  csiNodeOf,
  DRIVER,
  driverOf,
  inZone,
  lateClaim,
  lateClass,
  nodeOf,
  ZONE,
} from './testing/describe-scheduler.ts'
import type { SchedulerObject } from './testing/describe-scheduler.ts'
import { nextPlacementStep } from './next-placement-step.ts'
import type { PlacementStep } from './next-placement-step.ts'

// Random small clusters, and the plainest possible opinion on where a pod may go: walks over everything, shares no code with what it checks.

type Model = {
  nodes: Node[]
  limits: Map<string, number>
  classes: StorageClass[]
  claims: PersistentVolumeClaim[]
  volumes: PersistentVolume[]
  /** Room in bytes by zone. Undefined: the driver does not tell. */
  rooms: Map<string, bigint> | undefined
  pods: Pod[]
}

const ZONES = ['a', 'b', 'c']
const zones = fc.subarray(ZONES, { minLength: 1 })
const sizes = fc.constantFrom('1Gi', '2Gi', '3Gi')

const nodeArb = fc.record({
  zone: fc.constantFrom(...ZONES),
  tainted: fc.option(fc.constantFrom<Taint['effect']>('NoSchedule', 'NoExecute', 'PreferNoSchedule'), { freq: 1 }),
  cordon: fc.nat(9),
  pods: fc.option(fc.nat(6)),
  cpu: fc.option(fc.nat(6)),
  limit: fc.option(fc.nat(4)),
})
const claimArb = fc.record({
  kind: fc.constantFrom('bound', 'late', 'late', 'selected'),
  size: sizes,
  zones,
  className: fc.constantFrom('late', 'hand', 'zoned'),
  node: fc.nat(5),
})
const volumeArb = fc.record({
  size: sizes,
  zones: fc.option(zones),
  className: fc.constantFrom('late', 'hand', 'zoned'),
  reserved: fc.option(fc.nat(5), { freq: 5 }),
})
const podArb = fc.record({
  claims: fc.uniqueArray(fc.nat(5), { maxLength: 2 }),
  selector: fc.option(fc.constantFrom(...ZONES), { freq: 1 }),
  tolerates: fc.boolean(),
  cpu: fc.nat(2),
  inLine: fc.constantFrom('none', 'made on the node', 'with a handle'),
})

const modelArb = fc
  .record({
    nodes: fc.array(nodeArb, { minLength: 1, maxLength: 6 }),
    claims: fc.array(claimArb, { minLength: 6, maxLength: 6 }),
    volumes: fc.array(volumeArb, { maxLength: 5 }),
    rooms: fc.option(fc.dictionary(fc.constantFrom(...ZONES), sizes)),
    pods: fc.array(podArb, { minLength: 1, maxLength: 8 }),
    allowed: zones,
  })
  .map((given): Model => {
    const nodes = given.nodes.map(({ zone, tainted, cordon, pods, cpu }, index) =>
      nodeOf(`n${index}`, {
        zone,
        spec: {
          ...(tainted ? { taints: [{ key: 'dedicated', effect: tainted }] } : {}),
          ...(cordon === 0 ? { unschedulable: true } : {}),
        },
        status: {
          allocatable: { ...(pods === null ? {} : { pods: `${pods}` }), ...(cpu === null ? {} : { cpu: `${cpu}` }) },
        },
      }),
    )
    const claims: PersistentVolumeClaim[] = []
    const volumes: PersistentVolume[] = []
    for (const [index, { kind, size, zones: reach, className, node }] of given.claims.entries()) {
      const name = `c${index}`
      if (kind === 'bound') {
        claims.push(boundClaim(name, `bound-${index}`, { size, spec: { storageClassName: className } }))
        volumes.push(
          volumeOf({
            name: `bound-${index}`,
            size,
            phase: 'Bound',
            spec: {
              storageClassName: className,
              claimRef: reservedFor(name, `uid-${name}`),
              nodeAffinity: inZone(...reach),
            },
          }),
        )
      } else
        claims.push(
          lateClaim(name, {
            size,
            spec: { storageClassName: className },
            ...(kind === 'selected' ? { metadata: { annotations: { [SELECTED_NODE]: `n${node}` } } } : {}),
          }),
        )
    }
    for (const [index, { size, zones: reach, className, reserved }] of given.volumes.entries()) {
      volumes.push(
        volumeOf({
          name: `free-${index}`,
          size,
          spec: {
            storageClassName: className,
            ...(reach ? { nodeAffinity: inZone(...reach) } : {}),
            ...(reserved === null ? {} : { claimRef: reservedFor(`c${reserved}`) }),
          },
        }),
      )
    }
    return {
      nodes,
      limits: new Map(given.nodes.flatMap(({ limit }, index) => (limit === null ? [] : [[`n${index}`, limit]]))),
      classes: [
        lateClass(),
        lateClass({ provisioner: NO_PROVISIONER }, 'hand'),
        lateClass({ allowedTopologies: allowedIn(...given.allowed) }, 'zoned'),
      ],
      claims,
      volumes,
      rooms: given.rooms
        ? new Map(Object.entries(given.rooms).map(([zone, size]) => [zone, quantityToBytes(size)]))
        : undefined,
      pods: given.pods.map(({ claims: used, selector, tolerates, cpu, inLine }, index) =>
        podOf(`p${index}`, {
          claims: used.map((claim) => `c${claim}`),
          requests: { cpu: `${cpu}` },
          ...(inLine === 'none'
            ? {}
            : {
                volumes: [
                  {
                    name: 'inline',
                    csi: { driver: DRIVER, ...(inLine === 'with a handle' ? { volumeHandle: `h-p${index}` } : {}) },
                  },
                ],
              }),
          spec: {
            ...(selector ? { nodeSelector: { [ZONE]: selector } } : {}),
            ...(tolerates ? { tolerations: [{ key: 'dedicated', operator: 'Exists' }] } : {}),
          },
        }),
      ),
    }
  })

/** What a plain walk over everything says: may the pod be on the node, when these pods are where they are and these volumes are given away? */
function mayBeOn(
  model: Model,
  pod: Pod,
  node: Node,
  placed: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, string>,
): boolean {
  const name = node.metadata.name ?? ''
  const claims = claimsOf(model, pod)
  const there = model.pods.filter((other) => placed.get(other.metadata.name ?? '') === name)
  if (node.spec?.unschedulable) return false
  if (node.spec?.taints?.some(({ effect }) => effect !== 'PreferNoSchedule') && !pod.spec.tolerations) return false
  if (pod.spec.nodeSelector && pod.spec.nodeSelector[ZONE] !== node.metadata.labels?.[ZONE]) return false
  const { pods, cpu } = node.status?.allocatable ?? {}
  if (pods !== undefined && there.length + 1 > Number(pods)) return false
  if (cpu !== undefined && cpuOf(pod) > 0 && there.reduce((sum, other) => sum + cpuOf(other), cpuOf(pod)) > Number(cpu))
    return false
  const limit = model.limits.get(name)
  const before = new Set(there.flatMap((other) => handlesOf(model, other, given)))
  const after = new Set([...before, ...handlesOf(model, pod, given)])
  if (limit !== undefined && after.size > before.size && after.size > limit) return false
  return claims.every((claim) => mayClaimBeOn(model, claim, node, given))
}

function mayClaimBeOn(
  model: Model,
  claim: PersistentVolumeClaim,
  node: Node,
  given: ReadonlyMap<string, string>,
): boolean {
  const { volumeName } = claim.spec
  if (volumeName)
    return reaches(
      model.volumes.find(({ metadata }) => metadata.name === volumeName),
      node,
    )
  const selected = selectedNodeOf(claim)
  if (selected !== '' && selected !== node.metadata.name) return false
  return (selected === '' && staticVolumes(model, claim, node, given).length > 0) || isMakeable(model, claim, node)
}

/** Volumes that the claim may be given on the node. */
function staticVolumes(
  { volumes }: Model,
  { metadata, spec }: PersistentVolumeClaim,
  node: Node,
  given: ReadonlyMap<string, string>,
): PersistentVolume[] {
  const large = volumes.filter((volume) => bytesOf(volume.spec.capacity) >= bytesOf(spec.resources?.requests))
  const reserved = large.filter(
    (volume) => volume.spec.claimRef?.name === metadata.name && volume.status?.phase === 'Available',
  )
  if (reserved.length > 0) {
    const least = reserved
      .map((volume) => bytesOf(volume.spec.capacity))
      .reduce((one, other) => (one < other ? one : other))
    return reserved
      .filter((volume) => bytesOf(volume.spec.capacity) === least)
      .slice(0, 1)
      .filter((volume) => reaches(volume, node))
  }
  return large.filter(
    (volume) =>
      !volume.spec.claimRef &&
      volume.spec.storageClassName === spec.storageClassName &&
      reaches(volume, node) &&
      (given.get(volume.metadata.name ?? '') ?? metadata.name) === metadata.name,
  )
}

function isMakeable({ classes, rooms }: Model, claim: PersistentVolumeClaim, node: Node): boolean {
  const storageClass = classes.find(({ metadata }) => metadata.name === claim.spec.storageClassName)
  if (!storageClass || storageClass.provisioner === NO_PROVISIONER) return false
  if (!matchesTopologyTerms(storageClass.allowedTopologies ?? [], node.metadata.labels)) return false
  return (
    !rooms ||
    selectedNodeOf(claim) !== '' ||
    (rooms.get(node.metadata.labels?.[ZONE] ?? '') ?? -1n) >= bytesOf(claim.spec.resources?.requests)
  )
}

const reaches = (volume: PersistentVolume | undefined, node: Node): boolean =>
  volume !== undefined &&
  (!volume.spec.nodeAffinity?.required || matchesNodeSelector(volume.spec.nodeAffinity.required, node))
const bytesOf = (amounts: Readonly<Record<string, string>> | undefined): bigint =>
  quantityToBytes(amounts?.['storage'] ?? '0')
const cpuOf = ({ spec }: Pod): number => Number(spec.containers[0]?.resources?.requests?.['cpu'] ?? '0')
const claimNames = ({ spec }: Pod): string[] =>
  (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? [])
const claimsOf = ({ claims }: Model, pod: Pod): PersistentVolumeClaim[] =>
  claims.filter(({ metadata }) => claimNames(pod).includes(metadata.name ?? ''))

function handlesOf(model: Model, pod: Pod, given: ReadonlyMap<string, string>): string[] {
  const inLine = (pod.spec.volumes ?? []).flatMap(({ csi }) => csi?.volumeHandle ?? [])
  const givenTo = (claim: string | undefined): string | undefined =>
    [...given].find(([, taker]) => taker === claim)?.[0]
  return [
    ...inLine,
    ...claimsOf(model, pod).map(
      ({ metadata, spec }) => spec.volumeName ?? givenTo(metadata.name) ?? `new ${metadata.name}`,
    ),
  ]
}

const objectsOf = ({ nodes, limits, classes, claims, volumes, rooms, pods }: Model): SchedulerObject[] => [
  ...nodes,
  ...nodes.map(({ metadata }) => csiNodeOf(metadata.name, limits.get(metadata.name ?? ''))),
  ...classes,
  ...claims,
  ...volumes,
  ...pods,
  driverOf({ storageCapacity: rooms !== undefined }),
  ...['late', 'zoned'].flatMap((storageClassName) =>
    Array.from(rooms ?? [], ([zone, size]) =>
      capacityOf(zone, `${size}`, {
        storageClassName,
        metadata: { namespace: 'default', name: `${storageClassName}-${zone}` },
      }),
    ),
  ),
]

const nodeIn = (step: PlacementStep): string | undefined =>
  step.kind === 'place' || step.kind === 'reserve' || step.kind === 'await-volumes' ? step.node : undefined

test('S3-63, S3-64: a pod is placed only where a plain walk over everything allows it, and left out only where that allows nothing', () => {
  let [placements, refusals] = [0, 0]
  fc.assert(
    fc.property(modelArb, fc.nat(), (model, startAt) => {
      const state = clusterOf(...objectsOf(model))
      const placed = new Map<string, string>()
      const given = new Map<string, string>()
      for (const pod of model.pods) {
        const name = pod.metadata.name ?? ''
        const step = nextPlacementStep({
          seen: { pod, world: state },
          held: { nowMs: 0, schedulerName: 'default-scheduler', startAt },
        })
        const allowed = model.nodes
          .filter((node) => mayBeOn(model, pod, node, placed, given))
          .map(({ metadata }) => metadata.name ?? '')
        const node = nodeIn(step)
        if (node === undefined) {
          refusals++
          equal(step.kind, 'unschedulable')
          // Two claims may want the same volume, which the walk does not see.
          if (claimsOf(model, pod).filter(({ spec }) => !spec.volumeName).length < 2) deepEqual(allowed, [], name)
          continue
        }
        placements++
        ok(allowed.includes(node), `${name} on ${node}, allowed on ${allowed.join()}`)
        const matches = step.kind === 'reserve' ? step.matches : []
        for (const { claim, volume } of matches) {
          const on: Node = model.nodes.find(({ metadata }) => metadata.name === node) ?? nodeOf()
          ok(
            staticVolumes(model, claim, on, given).includes(volume),
            `${volume.metadata.name} for ${claim.metadata.name}`,
          )
          equal(
            given.get(volume.metadata.name ?? '') ?? claim.metadata.name,
            claim.metadata.name,
            'a volume for one claim',
          )
          given.set(volume.metadata.name ?? '', claim.metadata.name ?? '')
        }
        placed.set(name, node)
        state.reservations.keep(pod, { node, matches }, 0)
      }
    }),
    { numRuns: 1000, seed: 7 },
  )
  ok(placements > 1000 && refusals > 1000, `${placements} placements, ${refusals} refusals`)
})

test('what a cluster knows after any changes is what it knows when it begins with them', () => {
  fc.assert(
    fc.property(
      modelArb,
      fc.array(fc.nat(), { maxLength: 30 }),
      fc.infiniteStream(fc.nat()),
      (model, order, shuffle) => {
        const objects = objectsOf(model).map((object, index) => ({
          ...object,
          metadata: { ...object.metadata, resourceVersion: `${index + 100}` },
        }))
        const placed = objects.map((object, index) =>
          object.kind === 'Pod' && index % 2 === 0
            ? {
                ...object,
                spec: { ...object.spec, nodeName: 'n0' },
                metadata: { ...object.metadata, resourceVersion: `${index + 500}` },
              }
            : object,
        )
        const changed = clusterOf(...objects)
        for (const at of order) {
          const object = objects[at % objects.length]
          if (object)
            for (const table of [
              changed.pods,
              changed.nodes,
              changed.csiNodes,
              changed.volumes,
              changed.claims,
              changed.classes,
            ])
              if (table.get(keyIn(object)) === object) table.set(keyIn(object), undefined)
        }
        // Again and newer, as a server tells it.
        const again = placed.map((object, index) => ({
          ...object,
          metadata: { ...object.metadata, resourceVersion: `${index + 1000}` },
        }))
        const reckon = (): void => {
          for (const node of changed.nodeTable.all) node.usage()
        }
        const tables = {
          Pod: changed.pods,
          Node: changed.nodes,
          CSINode: changed.csiNodes,
          PersistentVolumeClaim: changed.claims,
          PersistentVolume: changed.volumes,
          StorageClass: changed.classes,
          CSIDriver: changed.drivers,
          CSIStorageCapacity: changed.capacities,
          VolumeAttachment: changed.attachments,
        }
        for (const object of inSomeOrder(again, shuffle)) {
          reckon()
          tables[object.kind].put(object as never)
        }
        const fresh = clusterOf(...again)
        for (const { name } of fresh.nodeTable.all)
          deepEqual(changed.nodeTable.find(name)?.usage(), fresh.nodeTable.find(name)?.usage(), name)
        for (const pod of again) {
          if (pod.kind !== 'Pod' || pod.spec.nodeName) continue
          const said = (world: typeof fresh): unknown => {
            const step = nextPlacementStep({ seen: { pod, world } })
            return step.kind === 'unschedulable' ? step.message : step.kind
          }
          equal(said(changed), said(fresh))
        }
      },
    ),
    { numRuns: 300, seed: 11 },
  )
})

function inSomeOrder<T>(values: readonly T[], shuffle: Iterable<number>): T[] {
  const numbers = shuffle[Symbol.iterator]()
  return values
    .map((value) => ({ value, at: Number(numbers.next().value) }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value)
}

const keyIn = ({ metadata: { namespace, name } }: SchedulerObject): string =>
  namespace ? `${namespace}/${name}` : (name ?? '')
