import { deepEqual, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { makeDirectories } from '../../base/host/index.ts'
import type { SimulatedHost } from '../../base/host/index.ts'
import { createStoppableHost } from '../../testing/stoppable-host.ts'
import { describeCrash } from './testing/describe-crashes.ts'
import type { Call, Crash, Story } from './testing/describe-crashes.ts'
import { stateOf } from './testing/state-under-test.ts'
import {
  asBlock,
  asMount,
  bytes,
  fromSnapshot,
  fromVolume,
  makeVolume,
  openDriver,
  ROOT,
  startMachine,
} from './testing/hostpath-under-test.ts'

const USE = { fs: asMount('SINGLE_NODE_MULTI_WRITER'), block: asBlock('SINGLE_NODE_MULTI_WRITER') }
const NODE = 'node-1'
const SIZE = 16n * 1024n

const idOf = ({ ids }: Story, name: string): string => ids.get(name) ?? name
const useOf = (name: string) => (name.startsWith('block') ? USE.block : USE.fs)

const create =
  (name: string, from?: (story: Story) => ReturnType<typeof fromVolume> | ReturnType<typeof fromSnapshot>): Call =>
  async (story) => {
    const source = from ? { volumeContentSource: from(story) } : {}
    const { volumeId } = await makeVolume(story.driver, name, useOf(name), {
      capacityRange: { requiredBytes: SIZE },
      parameters: { a: 'b' },
      ...source,
    })
    story.ids.set(name, volumeId)
  }
const clone = (name: string, of: string): Call => create(name, (story) => fromVolume(idOf(story, of)))
const restore = (name: string, of: string): Call => create(name, (story) => fromSnapshot(idOf(story, of)))
const remove =
  (name: string): Call =>
  (story) =>
    story.driver.deleteVolume({ volumeId: idOf(story, name) })

/** Writes and syncs like a program in a pod. */
const write =
  (name: string): Call =>
  async (story) => {
    const { files } = story.machine
    const folder = `${ROOT}/volumes/${idOf(story, name)}`
    if (name.startsWith('block')) {
      const content = new Uint8Array(Number(SIZE))
      content.set(bytes(`content of ${name}`), 5000)
      await files.writeFile(`${folder}/image`, content)
      return files.sync(`${folder}/image`)
    }
    await makeDirectories(files, `${folder}/data/inner`, { mode: 0o755 })
    await files.writeFile(`${folder}/data/inner/file`, bytes(`content of ${name}`), { mode: 0o640 })
    await files.makeSymlink('inner/file', `${folder}/data/link`)
    for (const path of ['inner/file', 'inner', '']) await files.sync(`${folder}/data/${path}`)
  }
const snapshot =
  (name: string, of: string): Call =>
  async (story) => {
    const made = await story.driver.createSnapshot({ name, sourceVolumeId: idOf(story, of) })
    story.ids.set(name, made.snapshot?.snapshotId ?? '')
  }
const removeSnapshot =
  (name: string): Call =>
  (story) =>
    story.driver.deleteSnapshot({ snapshotId: idOf(story, name) })
const group =
  (name: string, of: string[]): Call =>
  async (story) => {
    const made = await story.driver.createVolumeGroupSnapshot({
      name,
      sourceVolumeIds: of.map((volume) => idOf(story, volume)),
    })
    story.ids.set(name, made.groupSnapshot?.groupSnapshotId ?? '')
  }
const removeGroup =
  (name: string): Call =>
  (story) =>
    story.driver.deleteVolumeGroupSnapshot({ groupSnapshotId: idOf(story, name) })
const expand =
  (name: string, requiredBytes: bigint): Call =>
  (story) =>
    story.driver.controllerExpandVolume({ volumeId: idOf(story, name), capacityRange: { requiredBytes } })
const modify =
  (name: string): Call =>
  (story) =>
    story.driver.controllerModifyVolume({ volumeId: idOf(story, name), mutableParameters: { iops: '500' } })
const attach =
  (name: string): Call =>
  (story) =>
    story.driver.controllerPublishVolume({ volumeId: idOf(story, name), nodeId: NODE, volumeCapability: useOf(name) })
const detach =
  (name: string): Call =>
  (story) =>
    story.driver.controllerUnpublishVolume({ volumeId: idOf(story, name), nodeId: NODE })

const stagingTargetPath = '/staging/one'
const stage =
  (name: string): Call =>
  async (story) => {
    await makeDirectories(story.machine.files, stagingTargetPath)
    await story.driver.nodeStageVolume({
      volumeId: idOf(story, name),
      stagingTargetPath,
      volumeCapability: useOf(name),
    })
  }
const unstage =
  (name: string): Call =>
  (story) =>
    story.driver.nodeUnstageVolume({ volumeId: idOf(story, name), stagingTargetPath })
const publish =
  (name: string, targetPath = '/pods/one', readonly = false): Call =>
  (story) =>
    story.driver.nodePublishVolume({
      volumeId: idOf(story, name),
      stagingTargetPath,
      targetPath,
      volumeCapability: useOf(name),
      readonly,
    })
const unpublish =
  (name: string, targetPath = '/pods/one'): Call =>
  (story) =>
    story.driver.nodeUnpublishVolume({ volumeId: idOf(story, name), targetPath })
const publishEphemeral =
  (id: string): Call =>
  (story) =>
    story.driver.nodePublishVolume({
      volumeId: id,
      targetPath: '/pods/one',
      volumeCapability: useOf(id),
      volumeContext: { 'csi.storage.k8s.io/ephemeral': 'true', size: '1Mi' },
    })

const crashes: Crash[] = [
  { behaviour: 'makes a file system', given: [], call: create('fs'), undo: [remove('fs')] },
  { behaviour: 'makes a block device', given: [], call: create('block'), undo: [remove('block')] },
  {
    behaviour: 'makes one beside another',
    given: [create('fs'), write('fs')],
    call: create('fs-2'),
    undo: [remove('fs-2'), remove('fs')],
  },
  {
    behaviour: 'clones a file system',
    given: [create('fs'), write('fs')],
    call: clone('fs-2', 'fs'),
    undo: [remove('fs'), remove('fs-2')],
  },
  {
    behaviour: 'clones a block device',
    given: [create('block'), write('block')],
    call: clone('block-2', 'block'),
    undo: [remove('block'), remove('block-2')],
  },
  {
    behaviour: 'restores a snapshot',
    given: [create('fs'), write('fs'), snapshot('snap', 'fs')],
    call: restore('fs-2', 'snap'),
    undo: [remove('fs'), removeSnapshot('snap'), remove('fs-2')],
  },
  {
    behaviour: 'restores a block snapshot',
    given: [create('block'), write('block'), snapshot('snap', 'block')],
    call: restore('block-2', 'snap'),
    undo: [remove('block'), removeSnapshot('snap'), remove('block-2')],
  },
  {
    behaviour: 'deletes a file system',
    given: [create('fs'), write('fs'), create('fs-2')],
    call: remove('fs'),
    undo: [remove('fs-2')],
  },
  { behaviour: 'deletes a block device', given: [create('block'), write('block')], call: remove('block'), undo: [] },
  {
    behaviour: 'snapshots a file system',
    given: [create('fs'), write('fs')],
    call: snapshot('snap', 'fs'),
    undo: [remove('fs'), removeSnapshot('snap')],
  },
  {
    behaviour: 'snapshots a block device',
    given: [create('block'), write('block')],
    call: snapshot('snap', 'block'),
    undo: [removeSnapshot('snap'), remove('block')],
  },
  {
    behaviour: 'deletes a snapshot',
    given: [create('fs'), write('fs'), snapshot('snap', 'fs')],
    call: removeSnapshot('snap'),
    undo: [remove('fs')],
  },
  {
    behaviour: 'snapshots a group',
    given: [create('fs'), write('fs'), create('block'), write('block')],
    call: group('together', ['fs', 'block']),
    undo: [remove('fs'), remove('block'), removeGroup('together')],
  },
  {
    behaviour: 'deletes a group snapshot',
    given: [create('fs'), write('fs'), create('block'), group('together', ['fs', 'block'])],
    call: removeGroup('together'),
    undo: [remove('fs'), remove('block')],
  },
  {
    behaviour: 'expands a file system',
    given: [create('fs'), write('fs')],
    call: expand('fs', 3n * SIZE),
    undo: [remove('fs')],
  },
  {
    behaviour: 'expands a block device',
    given: [create('block'), write('block')],
    call: expand('block', 3n * SIZE),
    undo: [remove('block')],
  },
  { behaviour: 'modifies a volume', given: [create('fs')], call: modify('fs'), undo: [remove('fs')] },
  {
    behaviour: 'attaches',
    options: { attach: true },
    given: [create('fs')],
    call: attach('fs'),
    undo: [detach('fs'), remove('fs')],
  },
  {
    behaviour: 'detaches',
    options: { attach: true },
    given: [create('fs'), attach('fs')],
    call: detach('fs'),
    undo: [remove('fs')],
  },
  {
    behaviour: 'stages a file system',
    options: { attach: true },
    given: [create('fs'), attach('fs')],
    call: stage('fs'),
    mounts: true,
    undo: [unstage('fs'), detach('fs'), remove('fs')],
  },
  {
    behaviour: 'stages a block device',
    given: [create('block')],
    call: stage('block'),
    mounts: true,
    undo: [unstage('block'), remove('block')],
  },
  {
    behaviour: 'unstages a file system',
    given: [create('fs'), stage('fs')],
    call: unstage('fs'),
    undo: [remove('fs')],
  },
  {
    behaviour: 'unstages a block device',
    given: [create('block'), stage('block')],
    call: unstage('block'),
    undo: [remove('block')],
  },
  ...publishing('bind', ['fs', 'block']),
  ...publishing('link', ['fs']),
]

function publishing(how: 'bind' | 'link', names: string[]): Crash[] {
  const options = { publish: how }
  return names.flatMap((name) => [
    {
      behaviour: `publishes ${name} by ${how}`,
      options,
      given: [create(name), write(name), stage(name)],
      call: publish(name),
      reboot: { before: [stage(name)] },
      mounts: true,
      undo: [unpublish(name), unstage(name), remove(name)],
    },
    {
      behaviour: `publishes ${name} read-only by ${how}`,
      options,
      given: [create(name), write(name), stage(name)],
      call: publish(name, '/pods/one', true),
      reboot: { before: [stage(name)] },
      mounts: true,
      undo: [unpublish(name), unstage(name), remove(name)],
    },
    {
      behaviour: `publishes ${name} a second time by ${how}`,
      options,
      given: [create(name), stage(name), publish(name, '/pods/two')],
      call: publish(name),
      reboot: { before: [stage(name), publish(name, '/pods/two')] },
      mounts: true,
      undo: [unpublish(name), unpublish(name, '/pods/two'), unstage(name), remove(name)],
    },
    {
      behaviour: `unpublishes ${name} by ${how}`,
      options,
      given: [create(name), write(name), stage(name), publish(name)],
      call: unpublish(name),
      reboot: { after: [stage(name)] },
      undo: [unstage(name), remove(name)],
    },
    {
      behaviour: `publishes ephemeral ${name} by ${how}`,
      options,
      given: [],
      call: publishEphemeral(name),
      mounts: true,
      undo: [unpublish(name)],
    },
    {
      behaviour: `unpublishes ephemeral ${name} by ${how}`,
      options,
      given: [publishEphemeral(name)],
      call: unpublish(name),
      undo: [],
    },
  ])
}

for (const crash of crashes) {
  describeCrash({ ...crash, behaviour: `killed at any step, it still ${crash.behaviour}` }, { before: [1], after: [2] })
}

const LEFTOVER = /\.(making|leaving)\/.|\.holdfast-tmp/

// What a start may find: a new machine, or one on which the driver was killed in the middle of its work.
const starts: [behaviour: string, prepare: (machine: SimulatedHost) => Promise<unknown>][] = [
  ['the first start', () => Promise.resolve()],
  ['a start with much to clear away', leaveMuch],
]
for (const [behaviour, prepare] of starts) {
  test(`killed at any step of ${behaviour}, the next one goes as if nothing had happened`, async () => {
    const undisturbed = await startMachine()
    await prepare(undisturbed)
    const counted = createStoppableHost(undisturbed)
    const expected = stateOf((await openDriver({ machine: undisturbed, host: counted.host })).hostpath, undisturbed)
    ok(counted.steps() > 10)
    for (let step = 1; step <= counted.steps(); step++) {
      for (const power of ['kept', 'lost'] as const) {
        const machine = await startMachine({ seed: step })
        await prepare(machine)
        const view = createStoppableHost(machine)
        view.stopAfter(step, 'after')
        await openDriver({ machine, host: view.host }).catch(() => {})
        ok(view.isStopped())
        if (power === 'lost') machine.losePower()
        const { hostpath } = await openDriver({ machine })
        deepEqual(stateOf(hostpath, machine), expected, `step ${step}, power ${power}`)
        deepEqual(
          machine.snapshotTree().filter(({ path }) => LEFTOVER.test(path)),
          [],
        )
      }
    }
  })
}

async function leaveMuch(machine: SimulatedHost): Promise<void> {
  const ids = new Map<string, string>()
  const given = [create('fs'), write('fs'), create('fs-2'), write('fs-2'), create('fs-3'), snapshot('snap', 'fs')]
  const first = await openDriver({ machine })
  for (const call of given) await call({ ...first, ids })
  const view = createStoppableHost(machine)
  const opened = await openDriver({ machine, host: view.host, seed: 8 })
  view.stopAfter(31, 'after')
  const overAndOver =
    (...calls: Call[]): Call =>
    async (story) => {
      for (;;) for (const call of calls) await call(story)
    }
  const calls = [
    clone('fs-4', 'fs'),
    remove('fs-2'),
    removeSnapshot('snap'),
    overAndOver(modify('fs-3')),
    overAndOver(stage('fs'), unstage('fs')),
  ]
  await Promise.allSettled(calls.map((call) => call({ ...opened, ids })))
  const left = machine.snapshotTree().map(({ path }) => path)
  for (const leftover of [
    /volumes\.making\/./,
    /volumes\.leaving\/./,
    /snapshots\.leaving\/./,
    /volumes\/[^/]+\/\.holdfast-tmp/,
    /nodes\/[^/]+\/\.holdfast-tmp/,
  ]) {
    ok(
      left.some((path) => leftover.test(path)),
      `nothing like ${leftover} is left`,
    )
  }
}
