import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import type { Code } from '../../csi/codes.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { createAttributesClass, startUnderTest } from './testing/resizer-under-test.ts'
import type { ResizerUnderTest } from './testing/resizer-under-test.ts'

const failWith = (under: ResizerUnderTest, code: Code): void => {
  under.script.modify = () => Promise.reject(new CsiError(code, 'not today'))
}
const stateOf = ({ status }: PersistentVolumeClaim): object => ({
  current: status?.currentVolumeAttributesClassName,
  last:
    status?.modifyVolumeStatus &&
    `${status.modifyVolumeStatus.status} ${status.modifyVolumeStatus.targetVolumeAttributesClassName ?? ''}`,
  conditions: (status?.conditions ?? []).map(({ type, reason }) => (reason ? `${type} ${reason}` : type)).sort(),
})

test('a volume gets the attributes of the class that its claim requests with three writes, the target first', async (context) => {
  const under = await startUnderTest(context)
  await createAttributesClass(under.api, 'gold', { iops: '9' })
  await under.requestClass('gold')
  deepEqual(under.script.calls, ['modify v1 {"iops":"9"}'])
  deepEqual(under.writes, [
    'patch persistentvolumeclaims/status c1',
    'patch persistentvolumes v1',
    'patch persistentvolumeclaims/status c1',
  ])
  deepEqual(stateOf(await under.claim()), { current: 'gold', last: undefined, conditions: [] })
  equal((await under.volume()).spec.volumeAttributesClassName, 'gold')
  deepEqual(await under.eventTexts(), [
    'VolumeModify: external resizer is modifying volume c1 with vac gold',
    'VolumeModifySuccessful: external resizer modified volume c1 with vac gold successfully',
  ])
})

test('a class that is not there yet is reported, and its modification begins when it is created', async (context) => {
  const under = await startUnderTest(context)
  await under.requestClass('gold')
  deepEqual(stateOf(await under.claim()), { current: undefined, last: 'Pending ', conditions: [] })
  match((await under.eventTexts())[0] ?? '', /^VolumeModifyFailed: VAC "gold" does not exist\. Create it/)
  await createAttributesClass(under.api, 'gold')
  await under.settled()
  deepEqual(stateOf(await under.claim()), { current: 'gold', last: undefined, conditions: [] })
})

test('a class that the driver refuses is infeasible, tried rarely, and given up for another one', async (context) => {
  const under = await startUnderTest(context)
  await createAttributesClass(under.api, 'gold')
  await createAttributesClass(under.api, 'silver')
  failWith(under, 'INVALID_ARGUMENT')
  await under.requestClass('gold')
  deepEqual(stateOf(await under.claim()), {
    current: undefined,
    last: 'Infeasible gold',
    conditions: ['ModifyVolumeError InvalidArgument', 'ModifyingVolume'],
  })
  await under.advance(299_000)
  equal(under.script.calls.length, 1)
  await under.advance(2000)
  equal(under.script.calls.length, 2)
  under.script.modify = () => Promise.resolve({})
  await under.requestClass('silver')
  deepEqual(stateOf(await under.claim()), { current: 'silver', last: undefined, conditions: [] })
})

test('while the outcome of a call is unknown its class stays the target', async (context) => {
  const under = await startUnderTest(context)
  await createAttributesClass(under.api, 'gold', { is: 'gold' })
  await createAttributesClass(under.api, 'silver', { is: 'silver' })
  failWith(under, 'DEADLINE_EXCEEDED')
  await under.requestClass('gold')
  await under.requestClass('silver')
  await under.advance(2000)
  deepEqual(new Set(under.script.calls), new Set(['modify v1 {"is":"gold"}']))
  match((await under.eventTexts()).at(-1) ?? '', /Still modifying to VAC gold/)
  await under.stop()
  await under.start()
  deepEqual(new Set(under.script.calls), new Set(['modify v1 {"is":"gold"}']))
  under.script.modify = () => Promise.resolve({})
  await under.advance(300_000)
  deepEqual(under.script.calls.slice(-2), ['modify v1 {"is":"gold"}', 'modify v1 {"is":"silver"}'])
  deepEqual(stateOf(await under.claim()), { current: 'silver', last: undefined, conditions: [] })
})

test('the driver learns whose volume it is only if it should', async (context) => {
  const under = await startUnderTest(context, { config: { extraModifyMetadata: true } })
  await createAttributesClass(under.api, 'gold', { iops: '9' })
  await under.requestClass('gold')
  deepEqual(under.script.calls, [
    'modify v1 {"iops":"9","csi.storage.k8s.io/pvc/name":"c1","csi.storage.k8s.io/pvc/namespace":"default","csi.storage.k8s.io/pv/name":"v1"}',
  ])
})

test('with the gate off nothing is modified, and sizes still are', async (context) => {
  const gates = {
    AnnotateFsResize: true,
    RecoverVolumeExpansionFailure: true,
    VolumeAttributesClass: false,
    ReleaseLeaderElectionOnExit: true,
  }
  const under = await startUnderTest(context, { config: { featureGates: gates } })
  await createAttributesClass(under.api, 'gold')
  await under.requestClass('gold')
  await under.request('2Gi')
  ok(under.script.calls.every((call) => call.startsWith('expand')))
  equal(under.script.calls.length, 1)
})
