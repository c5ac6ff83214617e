import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Api, WatchEvent } from '../src/api/api.ts'
import { deepFreeze } from '../src/api/freeze.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../src/api/kinds/persistent-volume.ts'
import type { KubeObject } from '../src/api/object.ts'
import type { ResourceType } from '../src/api/resource-type.ts'
import { createSystemClock, sleep } from '../src/base/clock.ts'
import { createSilentLogger } from '../src/base/logger.ts'
import { createSystemRandom } from '../src/base/random.ts'
import { startInformer } from '../src/kube/cache/informer.ts'
import { createObjectCache } from '../src/kube/cache/object-cache.ts'
import { claim, volume } from './apiserver/objects.ts'

// What one object costs in the cache of an informer: npm run bench informer-memory. How to read it: bench/README.md.
const COUNT = 10_000
const clock = createSystemClock()
const write = (line: string): void => void process.stdout.write(`${line}\n`)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

type Shape = (index: number) => KubeObject

/** With what the server adds: without managedFields 1.3 to 1.5 kB. */
const stored =
  (shape: Shape): Shape =>
  (index) => {
    const object = shape(index)
    const uid = `8f0c5d6e-7a1b-4c2d-9e3f-${index.toString(16).padStart(12, '0')}`
    return {
      ...object,
      metadata: {
        ...object.metadata,
        uid,
        resourceVersion: String(1_000_000 + index),
        creationTimestamp: '2030-01-01T00:00:00Z',
      },
    }
  }
const withManagedFields =
  (shape: Shape): Shape =>
  (index) => {
    const object = shape(index)
    return {
      ...object,
      metadata: {
        ...object.metadata,
        managedFields: [writtenBy('csi-provisioner', 'spec'), writtenBy('kube-controller-manager', 'status')],
      },
    }
  }
const writtenBy = (manager: string, part: string): object => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2030-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: {
    'f:metadata': { 'f:annotations': { '.': {}, 'f:pv.kubernetes.io/bound-by-controller': {} } },
    [`f:${part}`]: { 'f:accessModes': {}, 'f:capacity': { '.': {}, 'f:storage': {} }, 'f:phase': {} },
  },
})

/** As it would come over a wire: each object out of a line of its own, and nobody else holds it. */
const receive = (shape: Shape, index: number): KubeObject =>
  deepFreeze(JSON.parse(JSON.stringify(shape(index))) as KubeObject)

async function* stream(shape: Shape, signal: AbortSignal | undefined): AsyncGenerator<WatchEvent<KubeObject>, void> {
  for (let index = 0; index < COUNT; index++) yield { type: 'ADDED', object: receive(shape, index) }
  yield { type: 'BOOKMARK', resourceVersion: String(2_000_000), initialEventsEnd: true }
  await sleep(clock, 3_600_000, signal)
}

const heapBytes = (): number => {
  for (let count = 0; count < 3; count++) collectGarbage()
  return process.memoryUsage().heapUsed
}

async function measureInformer(type: ResourceType, shape: Shape): Promise<number> {
  const before = heapBytes()
  // Nothing else is asked of it.
  const api = {
    watch: (_type: ResourceType, options: { signal?: AbortSignal }) => stream(shape, options.signal),
  } as unknown as Api
  const informer = startInformer<KubeObject>(
    type,
    {},
    { api, clock, random: createSystemRandom(), log: createSilentLogger() },
  )
  await informer.synced()
  const bytes = (heapBytes() - before) / informer.size()
  await informer.stop()
  return bytes
}

function measureKept(shape: Shape): number {
  const before = heapBytes()
  const cache = createObjectCache<KubeObject>()
  for (let index = 0; index < COUNT; index++) cache.put(receive(shape, index))
  return (heapBytes() - before) / cache.size()
}

const columns = (name: string, values: readonly string[]): string =>
  name.padEnd(52) + values.map((value) => value.padStart(10)).join('')

write(
  `${COUNT.toLocaleString('en')} objects of a kind in the cache of an informer; bytes per object; ratio to the JSON without managedFields`,
)
for (const [type, shape] of [
  [PERSISTENT_VOLUMES, volume],
  [PERSISTENT_VOLUME_CLAIMS, claim],
] as const) {
  const plain = stored(shape)
  const managed = withManagedFields(plain)
  const sizeOf = (of: Shape): number => JSON.stringify(of(COUNT / 2)).length
  // Once for the compiler and what it keeps.
  await measureInformer(type, plain)
  const rows: [name: string, json: number, heap: number][] = [
    ['sent without managedFields', sizeOf(plain), await measureInformer(type, plain)],
    ['sent with managedFields, dropped', sizeOf(managed), await measureInformer(type, managed)],
    ['sent with managedFields, kept (not what we do)', sizeOf(managed), measureKept(managed)],
  ]
  write('')
  write(columns(type.kind, ['JSON', 'heap', 'ratio']))
  for (const [name, json, heap] of rows)
    write(columns(name, [String(json), heap.toFixed(0), (heap / sizeOf(plain)).toFixed(2)]))
}
