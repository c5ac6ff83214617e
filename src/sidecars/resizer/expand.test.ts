import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { findCondition } from '../../api/conditions.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { Code } from '../../csi/codes.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { createOn, podOf } from '../../testing/objects.ts'
import { CLAIM, startUnderTest } from './testing/resizer-under-test.ts'
import type { ResizerUnderTest } from './testing/resizer-under-test.ts'

const failWith = (under: ResizerUnderTest, code: Code, text = 'no room'): void => {
  under.script.expand = () => Promise.reject(new CsiError(code, text))
}
const sizesOf = ({ status }: PersistentVolumeClaim): object => ({
  capacity: status?.capacity?.['storage'],
  allocated: status?.allocatedResources?.['storage'],
  status: status?.allocatedResourceStatuses?.['storage'],
  conditions: (status?.conditions ?? []).map(({ type }) => type).sort(),
})
const FIVE_MINUTES = 300_000

test('a claim that requests more gets it with three writes, the target first', async (context) => {
  const under = await startUnderTest(context)
  await under.request('2Gi')
  deepEqual(under.script.calls, [`expand v1 ${2 ** 31}`])
  deepEqual(under.writes, [
    'patch persistentvolumeclaims/status c1',
    'patch persistentvolumes v1',
    'patch persistentvolumeclaims/status c1',
  ])
  const claim = await under.claim()
  deepEqual(sizesOf(claim), { capacity: '2Gi', allocated: '2Gi', status: undefined, conditions: [] })
  equal(claim.metadata.annotations?.['volume.kubernetes.io/node-expansion-not-required'], 'true')
  const volume = await under.volume()
  deepEqual(volume.spec.capacity, { storage: '2Gi' })
  equal(volume.metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'], undefined)
  deepEqual(await under.eventTexts(), [
    'Resizing: External resizer is resizing volume v1',
    'VolumeResizeSuccessful: Resize volume succeeded',
  ])
})

test('a volume that the node has to finish is handed over, and cleaned up when the node is done', async (context) => {
  const under = await startUnderTest(context)
  under.script.expand = () => Promise.resolve({ capacityBytes: 3n * 1024n ** 3n, nodeExpansionRequired: true })
  await under.request('2Gi')
  const claim = await under.claim()
  deepEqual(sizesOf(claim), {
    capacity: '1Gi',
    allocated: '2Gi',
    status: 'NodeResizePending',
    conditions: ['FileSystemResizePending', 'Resizing'],
  })
  const volume = await under.volume()
  deepEqual(volume.spec.capacity, { storage: '3Gi' })
  equal(volume.metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'], '1Gi')
  ok((await under.eventTexts()).includes('FileSystemResizeRequired: Require file system resize of volume on node'))
  equal(under.writes.length, 3)
  await under.advance(FIVE_MINUTES)
  equal(under.writes.length, 3, 'nothing happens until the node is done')

  const status = { capacity: { storage: '3Gi' }, allocatedResourceStatuses: null, conditions: null }
  await under.api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    CLAIM,
    { type: 'merge', value: { status } },
    { subresource: 'status' },
  )
  await under.settled()
  equal((await under.volume()).metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'], undefined)
  deepEqual(under.writes.slice(3), ['patch persistentvolumes v1'])
  deepEqual(under.script.calls, [`expand v1 ${2 ** 31}`])
})

test('the error of an earlier attempt does not stay while the node has to finish', async (context) => {
  const under = await startUnderTest(context)
  failWith(under, 'INTERNAL')
  await under.request('2Gi')
  const before = { capacity: '1Gi', allocated: '2Gi' }
  const failed = { status: 'ControllerResizeInProgress', conditions: ['ControllerResizeError', 'Resizing'] }
  deepEqual(sizesOf(await under.claim()), { ...before, ...failed })
  under.script.expand = () => Promise.resolve({ capacityBytes: 2n * 1024n ** 3n, nodeExpansionRequired: true })
  await under.advance(FIVE_MINUTES)
  const handedOver = { status: 'NodeResizePending', conditions: ['FileSystemResizePending', 'Resizing'] }
  deepEqual(sizesOf(await under.claim()), { ...before, ...handedOver })
})

test('a driver that expands on the node only is not called', async (context) => {
  const node = {
    nodePublishVolume: () => Promise.resolve({}),
    nodeUnpublishVolume: () => Promise.resolve({}),
    nodeGetInfo: () => Promise.resolve({ nodeId: 'n' }),
    nodeExpandVolume: () => Promise.resolve({}),
    // A controller service there has to be.
    validateVolumeCapabilities: () => Promise.resolve({}),
  }
  const under = await startUnderTest(context, { driver: [undefined as never, node, 'node'] })
  await under.request('2Gi')
  deepEqual(under.script.calls, [])
  deepEqual(sizesOf(await under.claim()), {
    capacity: '1Gi',
    allocated: '2Gi',
    status: 'NodeResizePending',
    conditions: ['FileSystemResizePending', 'Resizing'],
  })
  deepEqual((await under.volume()).spec.capacity, { storage: '2Gi' })
})

test('an impossible size is reported, tried rarely, and given up for a smaller one', async (context) => {
  const under = await startUnderTest(context)
  failWith(under, 'OUT_OF_RANGE')
  await under.request('1Ti')
  const claim = await under.claim()
  deepEqual(sizesOf(claim), {
    capacity: '1Gi',
    allocated: '1Ti',
    status: 'ControllerResizeInfeasible',
    conditions: ['ControllerResizeError', 'Resizing'],
  })
  match(
    findCondition(claim.status?.conditions, 'ControllerResizeError')?.message ?? '',
    /failed to expand pvc with .*no room/,
  )
  match(
    (await under.eventTexts()).at(-1) ?? '',
    /^VolumeResizeFailed: resize volume "v1" by resizer "test.holdfast.dev" failed: .*no room/,
  )
  await under.advance(FIVE_MINUTES - 1000)
  equal(under.script.calls.length, 1)
  await under.advance(2000)
  equal(under.script.calls.length, 2)

  under.script.expand = ({ capacityRange }) =>
    Promise.resolve({ capacityBytes: capacityRange?.requiredBytes ?? 0n, nodeExpansionRequired: false })
  await under.request('2Gi')
  deepEqual(under.script.calls.slice(2), [`expand v1 ${2 ** 31}`])
  deepEqual(sizesOf(await under.claim()), { capacity: '2Gi', allocated: '2Gi', status: undefined, conditions: [] })
})

test('while the outcome of a call is unknown its size stays the target, whatever is requested', async (context) => {
  const under = await startUnderTest(context)
  failWith(under, 'DEADLINE_EXCEEDED')
  await under.request('3Gi')
  deepEqual(sizesOf(await under.claim()), {
    capacity: '1Gi',
    allocated: '3Gi',
    status: 'ControllerResizeInProgress',
    conditions: ['Resizing'],
  })
  await under.request('2Gi')
  await under.advance(2000)
  deepEqual(new Set(under.script.calls), new Set([`expand v1 ${3 * 2 ** 30}`]))

  // Another resizer knows nothing about it, and treats it as unknown too.
  await under.stop()
  await under.start()
  deepEqual(new Set(under.script.calls), new Set([`expand v1 ${3 * 2 ** 30}`]))

  failWith(under, 'INTERNAL')
  await under.advance(FIVE_MINUTES)
  ok(under.script.calls.includes(`expand v1 ${2 ** 31}`), 'once the call is known to have failed, the request counts')
})

test('a volume that may not be expanded while it is used waits until no pod uses it', async (context) => {
  const under = await startUnderTest(context)
  failWith(under, 'FAILED_PRECONDITION', 'in use')
  await createOn(under.api, PODS, podOf('p', { claims: ['c1'] }))
  await under.request('2Gi')
  for (let minute = 0; minute < 20; minute++) await under.advance(60_000)
  equal(under.script.calls.length, 1)
  const told = (await under.eventTexts()).filter((text) => text.includes('only supports offline expansion'))
  equal(told.length, 1)
  match(
    told[0] ?? '',
    /Unable to expand default\/c1 because CSI driver test.holdfast.dev .* Delete the pods that use the claim: default\/p\./,
  )
  await under.api.delete(PODS, { namespace: 'default', name: 'p' }, { gracePeriodSeconds: 0 })
  under.script.expand = () => Promise.resolve({ capacityBytes: 2n * 1024n ** 3n, nodeExpansionRequired: false })
  await under.advance(FIVE_MINUTES)
  equal((await under.claim()).status?.capacity?.['storage'], '2Gi')
})

test('the driver gets the secret of the volume, and a missing one is reported once', async (context) => {
  const under = await startUnderTest(context, {
    csi: { controllerExpandSecretRef: { namespace: 'default', name: 'pass' } },
  })
  let given: unknown
  under.script.expand = ({ secrets, capacityRange }) => {
    given = secrets
    return Promise.resolve({ capacityBytes: capacityRange?.requiredBytes ?? 0n, nodeExpansionRequired: false })
  }
  await under.request('2Gi')
  await under.advance(FIVE_MINUTES)
  const told = (await under.eventTexts()).filter((text) => text.includes('"pass" not found'))
  equal(told.length, 1)
  await under.api.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'pass' },
    stringData: { key: 'open sesame' },
  })
  await under.advance(FIVE_MINUTES)
  deepEqual({ ...(given as object) }, { key: 'open sesame' })
  ok(!(await under.eventTexts()).some((text) => text.includes('sesame')))
})

test('a driver that answers with less than was requested is not believed', async (context) => {
  const under = await startUnderTest(context)
  under.script.expand = () => Promise.resolve({ capacityBytes: 5n, nodeExpansionRequired: false })
  await under.request('2Gi')
  deepEqual((await under.volume()).spec.capacity, { storage: '1Gi' })
  match((await under.eventTexts()).at(-1) ?? '', /the volume has 5 bytes, but 2147483648 were requested/)
})

test('claims of other drivers cost no call and no write', async (context) => {
  const under = await startUnderTest(context, { csi: { driver: 'other.example.com' } })
  await under.request('2Gi')
  deepEqual([under.script.calls, under.writes, await under.eventTexts()], [[], [], []])
})
