import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import type { VolumeAttributesClass } from '../../api/kinds/volume-attributes-class.ts'
import { claimOf, createOn, createWithStatus, volumeOf } from '../../testing/objects.ts'
import { startControllersUnderTest } from '../testing/describe-controller.ts'
import { attributesClassesOfClaim, nextClassProtectionStep } from './next-protection-step.ts'
import { startClassProtection } from './start-protection.ts'

const FINALIZER = 'kubernetes.io/vac-protection'
const start = (context: TestContext) =>
  startControllersUnderTest(context, [(world, signal) => startClassProtection({}, world, signal)])
const attributesClass = (metadata: VolumeAttributesClass['metadata'] = {}): VolumeAttributesClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttributesClass',
  metadata: { name: 'gold', ...metadata },
  driverName: 'csi.example.com',
  parameters: { iops: '3000' },
})
const ref = { name: 'gold' }
const isGone = (api: Api): Promise<boolean> =>
  api.get(VOLUME_ATTRIBUTES_CLASSES, ref).then(
    () => false,
    (error: unknown) => {
      if (isNotFound(error)) return true
      throw error
    },
  )

test('a VolumeAttributesClass that nothing names is deleted, in one write', async (context) => {
  const { api, settled, writes } = await start(context)
  const created = await api.create(VOLUME_ATTRIBUTES_CLASSES, attributesClass())
  deepEqual(created.metadata.finalizers, [FINALIZER])
  await settled()
  deepEqual(writes, [])
  await api.delete(VOLUME_ATTRIBUTES_CLASSES, ref)
  await settled()
  equal(await isGone(api), true)
  deepEqual(writes, ['patch volumeattributesclasses gold'])
})

test('a VolumeAttributesClass that lacks its protection gets it', async (context) => {
  const { api, settled, writes } = await start(context)
  await api.create(VOLUME_ATTRIBUTES_CLASSES, attributesClass())
  await api.patch(VOLUME_ATTRIBUTES_CLASSES, ref, { type: 'merge', value: { metadata: { finalizers: null } } })
  await settled()
  deepEqual((await api.get(VOLUME_ATTRIBUTES_CLASSES, ref)).metadata.finalizers, [FINALIZER])
  deepEqual(writes, ['patch volumeattributesclasses gold'])
})

test('a VolumeAttributesClass stays until the last claim and the last volume have another one', async (context) => {
  const { api, settled, writes } = await start(context)
  await api.create(VOLUME_ATTRIBUTES_CLASSES, attributesClass())
  await createOn(api, PERSISTENT_VOLUMES, volumeOf({ spec: { volumeAttributesClassName: 'gold' } }))
  await createWithStatus(
    api,
    PERSISTENT_VOLUME_CLAIMS,
    claimOf({
      spec: { volumeAttributesClassName: 'gold', volumeName: 'v1' },
      status: { phase: 'Bound', currentVolumeAttributesClassName: 'gold' },
    }),
  )
  await settled()
  await api.delete(VOLUME_ATTRIBUTES_CLASSES, ref)
  await settled()
  const claimRef = { namespace: 'default', name: 'c1' }
  await api.patch(PERSISTENT_VOLUME_CLAIMS, claimRef, {
    type: 'merge',
    value: { spec: { volumeAttributesClassName: 'silver' } },
  })
  await settled()
  equal(await isGone(api), false, 'the claim still has the class')
  await api.patch(
    PERSISTENT_VOLUME_CLAIMS,
    claimRef,
    { type: 'merge', value: { status: { currentVolumeAttributesClassName: 'silver' } } },
    { subresource: 'status' },
  )
  await settled()
  equal(await isGone(api), false, 'the volume still has the class')
  deepEqual(writes, [])
  await api.patch(
    PERSISTENT_VOLUMES,
    { name: 'v1' },
    { type: 'merge', value: { spec: { volumeAttributesClassName: 'silver' } } },
  )
  await settled()
  equal(await isGone(api), true)
  deepEqual(writes, ['patch volumeattributesclasses gold'])
})

test('a VolumeAttributesClass is released when its last claim is deleted', async (context) => {
  const { api, settled } = await start(context)
  await api.create(VOLUME_ATTRIBUTES_CLASSES, attributesClass())
  const claim = await createOn(
    api,
    PERSISTENT_VOLUME_CLAIMS,
    claimOf({ spec: { volumeAttributesClassName: 'gold' }, metadata: {} }),
  )
  await settled()
  await api.delete(VOLUME_ATTRIBUTES_CLASSES, ref)
  await settled()
  equal(await isGone(api), false)
  const claimRef = { namespace: 'default', name: claim.metadata.name ?? '' }
  await api.delete(PERSISTENT_VOLUME_CLAIMS, claimRef)
  await api.patch(PERSISTENT_VOLUME_CLAIMS, claimRef, { type: 'merge', value: { metadata: { finalizers: null } } })
  await settled()
  equal(await isGone(api), true)
})

test('the user of a VolumeAttributesClass is named', () => {
  const leaving = attributesClass({ deletionTimestamp: '2030-01-01T00:00:00Z', finalizers: [FINALIZER] })
  const told = (seen: object): string | undefined => {
    const step = nextClassProtectionStep({ seen: { attributesClass: leaving, ...seen } })
    return step.kind === 'wait' ? step.reason.message : undefined
  }
  deepEqual(
    [told({ volume: volumeOf() }), told({ claim: claimOf() }), told({})],
    ['volume v1 has the attributes of this class', 'claim default/c1 names the class', undefined],
  )
})

test('a claim uses the class it asks for, the one it has, and the one it is being changed to', () => {
  const status = {
    currentVolumeAttributesClassName: 'silver',
    modifyVolumeStatus: { status: 'InProgress', targetVolumeAttributesClassName: 'bronze' },
  } as const
  deepEqual(attributesClassesOfClaim(claimOf({ spec: { volumeAttributesClassName: 'gold' }, status })), [
    'gold',
    'silver',
    'bronze',
  ])
  deepEqual(attributesClassesOfClaim(claimOf({ spec: { volumeAttributesClassName: '' } })), [])
})
