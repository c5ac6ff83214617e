import { deepEqual, equal, match } from 'node:assert/strict'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { findCondition } from '../../src/api/conditions.ts'
import { EVENTS } from '../../src/api/kinds/event.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../src/api/kinds/volume-attributes-class.ts'
import {
  VOLUME_GROUP_SNAPSHOT_CLASSES,
  VOLUME_GROUP_SNAPSHOT_CONTENTS,
  VOLUME_GROUP_SNAPSHOTS,
} from '../../src/api/kinds/volume-group-snapshot.ts'
import {
  VOLUME_SNAPSHOT_CLASSES,
  VOLUME_SNAPSHOT_CONTENTS,
  VOLUME_SNAPSHOTS,
} from '../../src/api/kinds/volume-snapshot.ts'
import type { DeletionPolicy, VolumeSnapshot } from '../../src/api/kinds/volume-snapshot.ts'
import { claimOf, classOf, createOn, podOf } from '../../src/testing/objects.ts'
import { skipBefore } from './kubernetes-release.ts'
import { DRIVER } from './sidecar-stage.ts'
import { NODE, openStoryStage } from './story-stage.ts'
import type { StoryStage } from './story-stage.ts'

const NAMESPACE = 'default'
const CLASS = 'fast'
const MIB = 1024n ** 2n
// The kinds of the alpha API, which this cluster does not have: the node asks once whether it does.
const OPTIONAL = new Set(['system:node:node-1 list csidrivers', 'system:node:node-1 get csinodeinfos'])
const named = (name: string) => ({ namespace: NAMESPACE, name })

describe('on kube-apiserver with kube-controller-manager', () => {
  let stage: StoryStage
  before(async () => {
    stage = await openStoryStage()
    await createOn(stage.api, STORAGE_CLASSES, classOf({ provisioner: DRIVER, allowVolumeExpansion: true }, CLASS))
  })
  after(() => stage.close())
  const tell = (title: string, story: () => Promise<void>, skip: string | false = false): void =>
    void test(title, { timeout: 180_000, skip }, () => stage.telling(story))

  const createClaim = (name: string, spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<PersistentVolumeClaim> =>
    createOn(stage.api, PERSISTENT_VOLUME_CLAIMS, claimOf({ name, size: '10Mi', className: CLASS, spec }))
  const untilClaim = async (name: string, holds: (claim: PersistentVolumeClaim) => boolean) =>
    (await stage.until(
      PERSISTENT_VOLUME_CLAIMS,
      named(name),
      (claim) => claim !== undefined && holds(claim),
    )) as PersistentVolumeClaim
  const untilBound = (name: string) => untilClaim(name, ({ status }) => status?.phase === 'Bound')
  const changeClaim = (name: string, spec: object): Promise<PersistentVolumeClaim> =>
    stage.api.patch(PERSISTENT_VOLUME_CLAIMS, named(name), { type: 'merge', value: { spec } })
  const resize = (name: string, storage: string) => changeClaim(name, { resources: { requests: { storage } } })
  const hasSize = (size: string) => (claim: PersistentVolumeClaim) => claim.status?.capacity?.['storage'] === size
  const volumeOfClaim = async ({ spec }: PersistentVolumeClaim) =>
    stage.api.get(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' })
  /** Until the object has an event with each of these reasons. */
  const untilEvents = async (name: string, ...reasons: string[]): Promise<void> => {
    const missing = new Set(reasons)
    const selection = { namespace: NAMESPACE, fieldSelector: `involvedObject.name=${name}` }
    for await (const event of stage.api.watch(EVENTS, selection)) {
      if (event.type === 'BOOKMARK') continue
      missing.delete(event.object.reason ?? '')
      if (missing.size === 0) return
    }
  }
  const bytesOf = async (claim: PersistentVolumeClaim): Promise<bigint | undefined> => {
    const handle = (await volumeOfClaim(claim)).spec.csi?.volumeHandle
    const { entries } = await stage.driver.listVolumes({})
    return entries.find(({ volume }) => volume?.volumeId === handle)?.volume?.capacityBytes
  }
  /** On our node at once: there is no scheduler. */
  const startPod = async (name: string, claim: string, { isBlock = false } = {}): Promise<Pod> => {
    const pod = podOf(name, { claims: [claim], nodeName: NODE })
    const container = { name: 'main', image: 'none', volumeDevices: [{ name: claim, devicePath: '/dev/data' }] }
    await createOn(stage.api, PODS, isBlock ? { ...pod, spec: { ...pod.spec, containers: [container] } } : pod)
    return (await stage.until(PODS, named(name), (seen) => seen?.status?.phase === 'Running')) as Pod
  }
  const remove = async (pods: readonly string[], claims: readonly string[]): Promise<void> => {
    for (const name of pods) await stage.api.delete(PODS, named(name), { gracePeriodSeconds: 0 })
    const volumes = await Promise.all(
      claims.map(async (name) => (await stage.api.get(PERSISTENT_VOLUME_CLAIMS, named(name))).spec.volumeName),
    )
    for (const name of claims) await stage.api.delete(PERSISTENT_VOLUME_CLAIMS, named(name))
    for (const name of claims) await stage.until(PERSISTENT_VOLUME_CLAIMS, named(name), (claim) => claim === undefined)
    for (const name of volumes)
      await stage.until(PERSISTENT_VOLUMES, { name: name ?? '' }, (volume) => volume === undefined)
    deepEqual((await stage.driver.listVolumes({})).entries, [], 'the driver has nothing left')
  }
  const pathOf = async (pod: Pod, claim: string): Promise<string> =>
    join(stage.mountPath(pod, (await untilBound(claim)).spec.volumeName ?? ''), 'greeting')

  tell('a claim grows while its pod is running', async () => {
    await createClaim('grown')
    await startPod('grown', 'grown')
    await resize('grown', '20Mi')
    const claim = await untilClaim('grown', hasSize('20Mi'))
    deepEqual([claim.status?.conditions ?? [], claim.status?.allocatedResourceStatuses], [[], undefined])
    equal((await volumeOfClaim(claim)).spec.capacity?.['storage'], '20Mi')
    equal(await bytesOf(claim), 20n * MIB)
    await untilEvents('grown', 'ExternalExpanding', 'Resizing', 'VolumeResizeSuccessful')
    await remove(['grown'], ['grown'])
  })

  tell('a device that has grown is handed over to the node, which finishes it when a pod starts', async () => {
    await createClaim('device', { volumeMode: 'Block' })
    await untilBound('device')
    await resize('device', '20Mi')
    const pending = await untilClaim(
      'device',
      ({ status }) => findCondition(status?.conditions, 'FileSystemResizePending') !== undefined,
    )
    deepEqual(pending.status?.allocatedResourceStatuses, { storage: 'NodeResizePending' })
    equal(pending.status?.capacity?.['storage'], '10Mi')
    await startPod('device', 'device', { isBlock: true })
    const claim = await untilClaim('device', hasSize('20Mi'))
    deepEqual([claim.status?.conditions ?? [], claim.status?.allocatedResourceStatuses], [[], undefined])
    await remove(['device'], ['device'])
  })

  tell('a size that is impossible gives way to a smaller one', async () => {
    await createClaim('greedy')
    await untilBound('greedy')
    await resize('greedy', '2Ti')
    const refused = await untilClaim(
      'greedy',
      ({ status }) => status?.allocatedResourceStatuses?.['storage'] === 'ControllerResizeInfeasible',
    )
    match(
      findCondition(refused.status?.conditions, 'ControllerResizeError')?.message ?? '',
      /^failed to expand pvc with .*bytes/,
    )
    await untilEvents('greedy', 'VolumeResizeFailed')
    await resize('greedy', '30Mi')
    const claim = await untilClaim('greedy', hasSize('30Mi'))
    deepEqual([claim.status?.conditions ?? [], claim.status?.allocatedResourceStatuses], [[], undefined])
    equal(claim.status?.allocatedResources?.['storage'], '30Mi')
    equal(await bytesOf(claim), 30n * MIB)
    await remove([], ['greedy'])
  })

  const createAttributes = (name: string, parameters: Record<string, string>) =>
    stage.api.create(VOLUME_ATTRIBUTES_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name },
      driverName: DRIVER,
      parameters,
    })

  const withoutAttributes = skipBefore('1.34', 'storage.k8s.io/v1 VolumeAttributesClass')
  tell(
    'a volume takes the attributes of another class, and a class that the driver refuses says so',
    async () => {
      await createAttributes('silver', { iops: '100' })
      await createAttributes('gold', { iops: '1000' })
      await createAttributes('wrong', { colour: 'red' })
      await createClaim('tuned', { volumeAttributesClassName: 'silver' })
      const created = await untilBound('tuned')
      equal((await volumeOfClaim(created)).spec.volumeAttributesClassName, 'silver')
      await changeClaim('tuned', { volumeAttributesClassName: 'gold' })
      const isModified = ({ status }: PersistentVolumeClaim): boolean =>
        status?.currentVolumeAttributesClassName === 'gold' && status.modifyVolumeStatus === undefined
      const claim = await untilClaim('tuned', isModified)
      deepEqual(claim.status?.conditions ?? [], [])
      equal((await volumeOfClaim(claim)).spec.volumeAttributesClassName, 'gold')
      // The controller manager protects the class as long as a volume has it.
      await stage.api.delete(VOLUME_ATTRIBUTES_CLASSES, { name: 'gold' })
      const kept = await stage.api.get(VOLUME_ATTRIBUTES_CLASSES, { name: 'gold' })
      deepEqual(kept.metadata.finalizers, ['kubernetes.io/vac-protection'])

      await changeClaim('tuned', { volumeAttributesClassName: 'wrong' })
      const refused = await untilClaim('tuned', ({ status }) => status?.modifyVolumeStatus?.status === 'Infeasible')
      match(findCondition(refused.status?.conditions, 'ModifyVolumeError')?.message ?? '', /mutable parameter colour/)
      await untilEvents('tuned', 'VolumeModifyFailed')
      await changeClaim('tuned', { volumeAttributesClassName: 'silver' })
      await untilClaim(
        'tuned',
        ({ status }) =>
          status?.currentVolumeAttributesClassName === 'silver' && status.modifyVolumeStatus === undefined,
      )
      await remove([], ['tuned'])
      await stage.until(VOLUME_ATTRIBUTES_CLASSES, { name: 'gold' }, (found) => found === undefined)
      for (const name of ['silver', 'wrong']) await stage.api.delete(VOLUME_ATTRIBUTES_CLASSES, { name })
    },
    withoutAttributes,
  )

  const createSnapshotClass = (name: string, deletionPolicy: DeletionPolicy) =>
    stage.api.create(VOLUME_SNAPSHOT_CLASSES, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshotClass',
      metadata: { name },
      driver: DRIVER,
      deletionPolicy,
    })
  const untilReady = async (name: string) =>
    (await stage.until(
      VOLUME_SNAPSHOTS,
      named(name),
      (snapshot) => snapshot?.status?.readyToUse === true,
    )) as VolumeSnapshot
  const fromSnapshot = (name: string) => ({ apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name })
  const takeSnapshot = async (name: string, claim: string, className: string) => {
    await stage.api.create(VOLUME_SNAPSHOTS, {
      apiVersion: 'snapshot.storage.k8s.io/v1',
      kind: 'VolumeSnapshot',
      metadata: named(name),
      spec: { source: { persistentVolumeClaimName: claim }, volumeSnapshotClassName: className },
    })
    return untilReady(name)
  }
  const deleteSnapshot = async (name: string): Promise<void> => {
    await stage.api.delete(VOLUME_SNAPSHOTS, named(name))
    await stage.until(VOLUME_SNAPSHOTS, named(name), (snapshot) => snapshot === undefined)
  }

  tell('a snapshot is taken, restored and deleted, and a claim is cloned', async () => {
    await createSnapshotClass('daily', 'Delete')
    await createClaim('orders')
    const pod = await startPod('orders', 'orders')
    writeFileSync(await pathOf(pod, 'orders'), 'hello')
    const snapshot = await takeSnapshot('monday', 'orders', 'daily')
    equal(snapshot.status?.restoreSize, '10Mi')
    writeFileSync(await pathOf(pod, 'orders'), 'changed since')

    await createClaim('restored', { dataSource: fromSnapshot('monday') })
    equal(readFileSync(await pathOf(await startPod('restored', 'restored'), 'restored'), 'utf8'), 'hello')
    await createClaim('copy', { dataSource: { kind: 'PersistentVolumeClaim', name: 'orders' } })
    equal(readFileSync(await pathOf(await startPod('copy', 'copy'), 'copy'), 'utf8'), 'changed since')

    await deleteSnapshot('monday')
    const content = { name: snapshot.status?.boundVolumeSnapshotContentName ?? '' }
    await stage.until(VOLUME_SNAPSHOT_CONTENTS, content, (found) => found === undefined)
    deepEqual((await stage.driver.listSnapshots({})).entries, [])
    await remove(['orders', 'restored', 'copy'], ['orders', 'restored', 'copy'])
  })

  tell('a snapshot with policy Retain leaves its content and the snapshot of the driver', async () => {
    await createSnapshotClass('yearly', 'Retain')
    await createClaim('ledger')
    await untilBound('ledger')
    const snapshot = await takeSnapshot('closing', 'ledger', 'yearly')
    await deleteSnapshot('closing')
    const name = snapshot.status?.boundVolumeSnapshotContentName ?? ''
    const content = await stage.api.get(VOLUME_SNAPSHOT_CONTENTS, { name })
    const [entry] = (await stage.driver.listSnapshots({})).entries
    equal(entry?.snapshot?.snapshotId, content.status?.snapshotHandle)
    await remove([], ['ledger'])
    await stage.api.patch(
      VOLUME_SNAPSHOT_CONTENTS,
      { name },
      { type: 'merge', value: { spec: { deletionPolicy: 'Delete' } } },
    )
    await stage.api.delete(VOLUME_SNAPSHOT_CONTENTS, { name })
    await stage.until(VOLUME_SNAPSHOT_CONTENTS, { name }, (found) => found === undefined)
    deepEqual((await stage.driver.listSnapshots({})).entries, [])
  })

  const createGroupSnapshot = async (name: string, matchLabels: Record<string, string>): Promise<void> => {
    const apiVersion = 'groupsnapshot.storage.k8s.io/v1'
    await stage.api.create(VOLUME_GROUP_SNAPSHOT_CLASSES, {
      apiVersion,
      kind: 'VolumeGroupSnapshotClass',
      metadata: { name: 'consistent' },
      driver: DRIVER,
      deletionPolicy: 'Delete',
    })
    await stage.api.create(VOLUME_GROUP_SNAPSHOTS, {
      apiVersion,
      kind: 'VolumeGroupSnapshot',
      metadata: named(name),
      spec: { source: { selector: { matchLabels } }, volumeGroupSnapshotClassName: 'consistent' },
    })
  }

  tell('a group snapshot of two claims is taken, one member is restored, and all of it is deleted', async () => {
    const claims = ['ledger-data', 'ledger-log']
    for (const name of claims) {
      await createClaim(name)
      const pod = await startPod(name, name)
      writeFileSync(await pathOf(pod, name), `content of ${name}`)
      const labels = { app: 'ledger' }
      await stage.api.patch(PERSISTENT_VOLUME_CLAIMS, named(name), { type: 'merge', value: { metadata: { labels } } })
    }
    await createGroupSnapshot('end-of-month', { app: 'ledger' })
    const group = await stage.until(
      VOLUME_GROUP_SNAPSHOTS,
      named('end-of-month'),
      (found) => found?.status?.readyToUse === true,
    )
    const { items } = await stage.api.list(VOLUME_SNAPSHOTS, { namespace: NAMESPACE })
    const members = await Promise.all(items.map(({ metadata }) => untilReady(metadata.name ?? '')))
    deepEqual(members.map(({ spec }) => spec.source.persistentVolumeClaimName ?? '').toSorted(), claims)
    equal((await stage.driver.listSnapshots({})).entries.length, 2)

    const ofLog = members.find(({ spec }) => spec.source.persistentVolumeClaimName === 'ledger-log')
    await createClaim('ledger-copy', { dataSource: fromSnapshot(ofLog?.metadata.name ?? '') })
    const reader = await startPod('ledger-copy', 'ledger-copy')
    equal(readFileSync(await pathOf(reader, 'ledger-copy'), 'utf8'), 'content of ledger-log')

    await stage.api.delete(VOLUME_GROUP_SNAPSHOTS, named('end-of-month'))
    await stage.until(VOLUME_GROUP_SNAPSHOTS, named('end-of-month'), (found) => found === undefined)
    const content = { name: group?.status?.boundVolumeGroupSnapshotContentName ?? '' }
    await stage.until(VOLUME_GROUP_SNAPSHOT_CONTENTS, content, (found) => found === undefined)
    for (const { metadata, status } of members) {
      await stage.until(VOLUME_SNAPSHOTS, named(metadata.name ?? ''), (found) => found === undefined)
      const member = { name: status?.boundVolumeSnapshotContentName ?? '' }
      await stage.until(VOLUME_SNAPSHOT_CONTENTS, member, (found) => found === undefined)
    }
    deepEqual((await stage.driver.listSnapshots({})).entries, [])
    await remove([...claims, 'ledger-copy'], [...claims, 'ledger-copy'])
  })

  tell('a volume whose content is lost is reported on its claim, and so is its recovery', async () => {
    await createClaim('unwell')
    const { spec } = await volumeOfClaim(await untilBound('unwell'))
    const content = stage.contentPath(spec.csi?.volumeHandle ?? '')
    renameSync(content, `${content}.lost`)
    await untilEvents('unwell', 'VolumeConditionAbnormal')
    renameSync(`${content}.lost`, content)
    await untilEvents('unwell', 'VolumeConditionNormal')
    const { items } = await stage.api.list(EVENTS, {
      namespace: NAMESPACE,
      fieldSelector: `involvedObject.name=unwell,source=csi-pv-monitor-controller-${DRIVER}`,
    })
    deepEqual(items.map(({ type, message, count }) => `${type} ${message} ×${count}`).toSorted(), [
      'Normal The Volume returns to the healthy state ×1',
      'Warning DataLoss (ContentMissing): the content of the volume is missing ×1',
    ])
    await remove([], ['unwell'])
  })

  test('nobody was refused anything that its role needs, and no program logged an error', () => {
    deepEqual(
      stage.refusals().filter((request) => !OPTIONAL.has(request)),
      [],
    )
    for (const [name, program] of stage.programs) {
      const errors = program
        .log()
        .split('\n')
        .filter((line) => /"level":"error"| ERROR /.test(line))
      deepEqual(errors, [], name)
      equal(program.exitCode(), undefined, `${name} is still running`)
    }
  })
})
