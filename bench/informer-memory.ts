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
import { startInformer } from '../src/kube/informer.ts'
import { createObjectCache } from '../src/kube/object-cache.ts'

// What one object costs in the cache of an informer: npm run bench informer-memory. How to read it: bench/README.md.
const COUNT = 10_000
const clock = createSystemClock()
const write = (line: string): void => void process.stdout.write(`${line}\n`)

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const uidOf = (index: number): string => `8f0c5d6e-7a1b-4c2d-9e3f-${index.toString(16).padStart(12, '0')}`
const meta = (index: number, name: string): object => ({
  name,
  uid: uidOf(index),
  resourceVersion: String(1_000_000 + index),
  creationTimestamp: '2030-01-01T00:00:00Z',
  managedFields: [manager('csi-provisioner', 'spec'), manager('kube-controller-manager', 'status')],
})
const manager = (name: string, part: string): object => ({
  manager: name,
  operation: 'Update',
  apiVersion: 'v1',
  time: '2030-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: { 'f:metadata': { 'f:annotations': { '.': {}, 'f:pv.kubernetes.io/bound-by-controller': {} } }, [`f:${part}`]: { 'f:accessModes': {}, 'f:capacity': { '.': {}, 'f:storage': {} }, 'f:phase': {} } },
})
// The longest string that is not the same everywhere: what applications put into annotations.
const annotations = (index: number): object => ({
  'pv.kubernetes.io/bind-completed': 'yes',
  'pv.kubernetes.io/bound-by-controller': 'yes',
  'volume.kubernetes.io/storage-provisioner': 'hostpath.csi.k8s.io',
  'example.com/applied': JSON.stringify({ team: `team-${index % 50}`, ticket: index, note: 'x'.repeat(160) }),
})

const volume = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { ...meta(index, `pvc-${uidOf(index)}`), annotations: annotations(index), finalizers: ['kubernetes.io/pv-protection', 'external-attacher/hostpath-csi-k8s-io'] },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    claimRef: { kind: 'PersistentVolumeClaim', namespace: `team-${index % 50}`, name: `data-${index}`, uid: uidOf(index), apiVersion: 'v1', resourceVersion: String(index + 900_000) },
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'fast',
    volumeMode: 'Filesystem',
    csi: { driver: 'hostpath.csi.k8s.io', volumeHandle: uidOf(index), volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': '1893456000000-8081-hostpath.csi.k8s.io' } },
    nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'topology.hostpath.csi/node', operator: 'In', values: [`node-${index % 100}`] }] }] } },
  },
  status: { phase: 'Bound', lastPhaseTransitionTime: '2030-01-01T00:00:00Z' },
})
const claim = (index: number): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { ...meta(index, `data-${index}`), namespace: `team-${index % 50}`, annotations: annotations(index), labels: { app: `app-${index % 200}`, 'app.kubernetes.io/managed-by': 'helm' }, finalizers: ['kubernetes.io/pvc-protection'] },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, volumeName: `pvc-${uidOf(index)}`, storageClassName: 'fast', volumeMode: 'Filesystem' },
  status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
})

type Shape = (index: number) => object
const withoutManagedFields = (shape: Shape): Shape => (index) => {
  const { metadata, ...object } = shape(index) as { metadata: { managedFields?: unknown } }
  const { managedFields: _none, ...rest } = metadata
  return { ...object, metadata: rest }
}

/** As it would come over a wire: each object out of a line of its own, and nobody else holds it. */
const receive = (shape: Shape, index: number): KubeObject => deepFreeze(JSON.parse(JSON.stringify(shape(index))) as KubeObject)

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
  const api = { watch: (_type: ResourceType, options: { signal?: AbortSignal }) => stream(shape, options.signal) } as unknown as Api
  const informer = startInformer<KubeObject>(type, {}, { api, clock, random: createSystemRandom(), log: createSilentLogger() })
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

const columns = (name: string, values: readonly string[]): string => name.padEnd(52) + values.map((value) => value.padStart(10)).join('')

write(`${COUNT.toLocaleString('en')} objects of a kind in the cache of an informer; bytes per object; ratio to the JSON without managedFields`)
for (const [kind, type, shape] of [['PersistentVolume', PERSISTENT_VOLUMES, volume], ['PersistentVolumeClaim', PERSISTENT_VOLUME_CLAIMS, claim]] as const) {
  const plain = withoutManagedFields(shape)
  const sizeOf = (of: Shape): number => JSON.stringify(of(COUNT / 2)).length
  // Once for the compiler and what it keeps.
  await measureInformer(type, plain)
  const rows: [name: string, json: number, heap: number][] = [
    ['sent without managedFields', sizeOf(plain), await measureInformer(type, plain)],
    ['sent with managedFields, dropped', sizeOf(shape), await measureInformer(type, shape)],
    ['sent with managedFields, kept (not what we do)', sizeOf(shape), measureKept(shape)],
  ]
  write('')
  write(columns(kind, ['JSON', 'heap', 'ratio']))
  for (const [name, json, heap] of rows) write(columns(name, [String(json), heap.toFixed(0), (heap / sizeOf(plain)).toFixed(2)]))
}
