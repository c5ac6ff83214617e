import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { makeDirectories } from '../../base/host/index.ts'
import type { SimulatedHost } from '../../base/host/index.ts'
import { createSeededRandom } from '../../base/random.ts'
import type { Random } from '../../base/random.ts'
import { isCsiError } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { createStoppableHost, forEachSeed, seedsOf } from '../../testing/index.ts'
import type { StoppableHost } from '../../testing/index.ts'
import { assertNothingLeft, freshTree } from './testing/describe-crashes.ts'
import {
  asBlock,
  asMount,
  bytes,
  fromSnapshot,
  fromVolume,
  openDriver,
  ROOT,
  startMachine,
} from './testing/hostpath-under-test.ts'
import type { DriverUnderTest } from './testing/hostpath-under-test.ts'

const ROUNDS = 14
const SLOTS = 4
const BLOCK = 4096n
const NODE = 'node-1'
const CAPACITY = 10_000n * BLOCK

/** What the caller was told, and has written: all of it must exist after any crash. */
type Volume = {
  id: string
  mode: 'mount' | 'block'
  ephemeral: boolean
  sizeBytes: bigint
  text: string
  attached: boolean
  staged: boolean
  /** Target paths, and whether each is read-only. */
  targets: Map<string, boolean>
}
type Snapshot = { id: string; mode: Volume['mode']; text: string; groupId: string }
type Model = { volumes: Map<string, Volume>; snapshots: Map<string, Snapshot>; counter: number }

/** A call that the caller wants to succeed. If its result is in doubt, it is repeated, or completed and undone. */
type Operation = {
  what: string
  /** The volume or snapshot that it creates or deletes. It may or may not exist while the call is in doubt. */
  makes?: string
  removes?: string
  /** The sources that it copies. No sensible caller deletes them at the same time. */
  copies?: string[]
  /** The volume that it resizes. */
  resizes?: string
  run(driver: Driver): Promise<() => void>
  undo?: () => Operation
}

const useOf = ({ mode }: Pick<Volume, 'mode'>) => (mode === 'block' ? asBlock : asMount)('SINGLE_NODE_MULTI_WRITER')
const stagingOf = (name: string): string => `/staging/${name}`
const pick = <T>(random: Random, items: readonly T[]): T | undefined => items[random.below(Math.max(items.length, 1))]
const chance = (random: Random, share: number): boolean => random.fraction() < share

test('the driver keeps what it has answered for, through kills and power losses', () =>
  forEachSeed(seedsOf(process.env), async (seed) => {
    const trace: string[] = []
    try {
      await simulate(seed, trace)
    } catch (cause) {
      throw new Error(
        `${cause instanceof Error ? cause.message : String(cause)}\nits last rounds:\n  ${trace.slice(-25).join('\n  ')}`,
        { cause },
      )
    }
  }))

async function simulate(seed: number, trace: string[]): Promise<void> {
  const random = createSeededRandom(seed)
  const options = {
    attach: true,
    capacityBytes: CAPACITY,
    publish: chance(random, 0.3) ? ('link' as const) : ('bind' as const),
  }
  const machine = await startMachine({ seed: seed + 1000 })
  for (let slot = 0; slot < SLOTS; slot++) await makeDirectories(machine.files, stagingOf(`volume-${slot}`))
  const model: Model = { volumes: new Map(), snapshots: new Map(), counter: 0 }
  let opens = 0
  const open = async (view: StoppableHost): Promise<DriverUnderTest> =>
    openDriver({ ...options, machine, host: view.host, seed: seed * 1000 + ++opens })

  for (let round = 0; round < ROUNDS; round++) {
    const view = createStoppableHost(machine)
    const opened = await open(view)
    const operations = chooseOperations(random, model)
    if (chance(random, 0.8)) view.stopAfter(1 + random.below(45), chance(random, 0.5) ? 'before' : 'after')
    const results = await Promise.all(operations.map((operation) => attempt(operation, opened.driver, view)))
    trace.push(`round ${round}: ${operations.map(({ what }, index) => `${what} ${results[index]}`).join(', ')}`)
    await recover(operations.filter((_, index) => results[index] === 'in doubt'))
    await writeAsPods(random, machine, model, options.publish)
  }
  await undoAll()

  /** Restarts the driver, with further kills, until nothing is in doubt and the node has its mounts again. */
  async function recover(inDoubt: Operation[]): Promise<void> {
    let pending = inDoubt
    let rebooted = false
    for (let tries = 0; ; tries++) {
      if (chance(random, 0.4)) {
        trace.push('power lost')
        machine.losePower()
        rebooted = true
      }
      const view = createStoppableHost(machine)
      if (chance(random, 0.6 / (tries + 1)))
        view.stopAfter(1 + random.below(120), chance(random, 0.5) ? 'before' : 'after')
      let opened: DriverUnderTest
      try {
        opened = await open(view)
      } catch (error) {
        if (!view.isStopped()) throw error
        trace.push('killed while it started')
        continue
      }
      if (view.isStopped()) continue
      await checkInvariants({ opened, machine, model, pending, rebooted, link: options.publish === 'link' })
      if (await work(view, opened)) return
      trace.push('killed while it recovered')
    }

    // False if the driver was killed before the end.
    async function work(view: StoppableHost, opened: DriverUnderTest): Promise<boolean> {
      if (rebooted) {
        for (const operation of remountOperations(model, pending)) {
          if ((await attempt(operation, opened.driver, view)) !== 'done') return false
        }
        if (view.isStopped()) return false
        rebooted = false
      }
      while (pending.length > 0) {
        const [operation, ...rest] = pending
        if (!operation) break
        const result = await attempt(operation, opened.driver, view)
        if (result !== 'done') {
          ok(view.isStopped(), `${operation.what} is ${result} though nothing else goes on`)
          return false
        }
        trace.push(`again: ${operation.what}`)
        pending = operation.undo && chance(random, 0.3) ? [operation.undo(), ...rest] : rest
      }
      return true
    }
  }

  async function undoAll(): Promise<void> {
    const view = createStoppableHost(machine)
    const opened = await open(view)
    for (const [name, volume] of model.volumes) {
      for (const targetPath of volume.targets.keys())
        await opened.driver.nodeUnpublishVolume({ volumeId: volume.id, targetPath })
      if (volume.ephemeral) continue
      await opened.driver.nodeUnstageVolume({ volumeId: volume.id, stagingTargetPath: stagingOf(name) })
      await opened.driver.controllerUnpublishVolume({ volumeId: volume.id, nodeId: NODE })
      await opened.driver.deleteVolume({ volumeId: volume.id })
    }
    for (const { id, groupId } of model.snapshots.values()) {
      if (groupId === '') await opened.driver.deleteSnapshot({ snapshotId: id })
      else await opened.driver.deleteVolumeGroupSnapshot({ groupSnapshotId: groupId })
    }
    equal((await opened.driver.getCapacity({})).availableCapacity, CAPACITY)
    machine.losePower()
    assertNothingLeft(await openDriver({ ...options, machine }), await freshTree(options))
  }
}

/** Done only if the response arrived while the process was alive; refused if another call was in progress. */
async function attempt(
  operation: Operation,
  driver: Driver,
  view: StoppableHost,
): Promise<'done' | 'refused' | 'in doubt'> {
  try {
    const apply = await operation.run(driver)
    if (view.isStopped()) return 'in doubt'
    apply()
    return 'done'
  } catch (error) {
    if (view.isStopped()) return 'in doubt'
    if (isCsiError(error, 'ABORTED')) return 'refused'
    throw new Error(`${operation.what}: ${String(error)}`, { cause: error })
  }
}

/** One to three concurrent calls for different volumes. */
function chooseOperations(random: Random, model: Model): Operation[] {
  const slots = Array.from({ length: SLOTS }, (_, slot) => `volume-${slot}`)
  const chosen = slots.filter(() => chance(random, 0.45)).slice(0, 3)
  const operations = chosen.map((name) => chooseOperation(random, model, name))
  if (chance(random, 0.15)) operations.push(...chooseGroup(random, model))
  const [name] =
    pick(
      random,
      [...model.snapshots].filter(([, { groupId }]) => groupId === ''),
    ) ?? []
  if (name !== undefined && chance(random, 0.25)) operations.push(deleteSnapshot(model, name))
  const copied = new Set(operations.flatMap(({ copies = [] }) => copies))
  return operations.filter(({ removes }) => removes === undefined || !copied.has(removes))
}

function chooseOperation(random: Random, model: Model, name: string): Operation {
  const volume = model.volumes.get(name)
  if (!volume) return chooseCreation(random, model, name)
  const [target] = volume.targets.keys()
  if (volume.ephemeral) return unpublish(model, name, target ?? '')
  const choices: Operation[] = [expand(name, volume), modify(name, volume), snapshot(model, name, volume)]
  if (!volume.attached) choices.push(attach(volume), attach(volume), remove(model, name, volume))
  else if (!volume.staged) choices.push(stage(name, volume), stage(name, volume), detach(volume))
  else if (volume.targets.size === 0)
    choices.push(publish(random, model, name, volume), publish(random, model, name, volume), unstage(name, volume))
  else
    choices.push(
      unpublish(model, name, target ?? ''),
      unpublish(model, name, target ?? ''),
      publish(random, model, name, volume),
    )
  return pick(random, choices) ?? remove(model, name, volume)
}

function chooseCreation(random: Random, model: Model, name: string): Operation {
  const mode = chance(random, 0.5) ? 'block' : 'mount'
  const kind = random.below(4)
  const [sourceName, source] =
    pick(
      random,
      [...model.volumes].filter(([, other]) => other.mode === mode && !other.ephemeral),
    ) ?? []
  const [snapshotName, restored] =
    pick(
      random,
      [...model.snapshots].filter(([, other]) => other.mode === mode),
    ) ?? []
  if (kind === 0) return publishEphemeral(model, name, mode)
  if (kind === 1 && source)
    return create(model, name, mode, {
      name: sourceName ?? '',
      what: `clone of ${sourceName}`,
      source: fromVolume(source.id),
      text: source.text,
    })
  if (kind === 2 && restored)
    return create(model, name, mode, {
      name: (snapshotName ?? '').split('/')[0] ?? '',
      what: `restore of ${snapshotName}`,
      source: fromSnapshot(restored.id),
      text: restored.text,
    })
  return create(model, name, mode)
}

type Origin = {
  name: string
  what: string
  source: ReturnType<typeof fromVolume> | ReturnType<typeof fromSnapshot>
  text: string
}

function create(model: Model, name: string, mode: Volume['mode'], origin?: Origin): Operation {
  return {
    what: `create ${name} ${mode} ${origin?.what ?? ''}`,
    makes: name,
    copies: origin ? [origin.name] : [],
    run: async (driver) => {
      const { volume } = await driver.createVolume({
        name,
        volumeCapabilities: [useOf({ mode })],
        ...(origin ? { volumeContentSource: origin.source } : { capacityRange: { requiredBytes: 4n * BLOCK } }),
      })
      const { volumeId: id = '', capacityBytes: sizeBytes = 0n } = volume ?? {}
      const made: Volume = {
        id,
        mode,
        ephemeral: false,
        sizeBytes,
        text: origin?.text ?? '',
        attached: false,
        staged: false,
        targets: new Map(),
      }
      return () => void model.volumes.set(name, made)
    },
    undo: () => remove(model, name, model.volumes.get(name) ?? missing(name)),
  }
}

const remove = (model: Model, name: string, { id }: Volume): Operation => ({
  what: `delete ${name}`,
  removes: name,
  run: async (driver) => {
    await driver.deleteVolume({ volumeId: id })
    return () => void model.volumes.delete(name)
  },
})

const expand = (name: string, volume: Volume): Operation => {
  const sizeBytes = volume.sizeBytes + 2n * BLOCK
  return {
    what: `expand ${name}`,
    resizes: name,
    run: async (driver) => {
      const { capacityBytes } = await driver.controllerExpandVolume({
        volumeId: volume.id,
        capacityRange: { requiredBytes: sizeBytes },
      })
      return () => void (volume.sizeBytes = capacityBytes)
    },
  }
}

const modify = (name: string, { id }: Volume): Operation => ({
  what: `modify ${name}`,
  run: async (driver) => {
    await driver.controllerModifyVolume({ volumeId: id, mutableParameters: { iops: '7' } })
    return () => {}
  },
})

function snapshot(model: Model, of: string, { id: sourceVolumeId, mode, text }: Volume): Operation {
  const name = `snapshot-${++model.counter}`
  return {
    what: `snapshot ${name} of ${of}`,
    makes: name,
    copies: [of],
    run: async (driver) => {
      const made = await driver.createSnapshot({ name, sourceVolumeId })
      return () => void model.snapshots.set(name, { id: made.snapshot?.snapshotId ?? '', mode, text, groupId: '' })
    },
    undo: () => deleteSnapshot(model, name),
  }
}

const deleteSnapshot = (model: Model, name: string): Operation => {
  const { id } = model.snapshots.get(name) ?? missing(name)
  return {
    what: `delete ${name}`,
    removes: name,
    run: async (driver) => {
      await driver.deleteSnapshot({ snapshotId: id })
      return () => void model.snapshots.delete(name)
    },
  }
}

/** Creates a group snapshot of all volumes, or deletes one. */
function chooseGroup(random: Random, model: Model): Operation[] {
  const members = [...model.volumes].filter(([, { ephemeral }]) => !ephemeral)
  const [old] = [...model.snapshots].filter(([, { groupId }]) => groupId !== '')
  if (old && chance(random, 0.5)) return [deleteGroup(model, old[0].split('/')[0] ?? '', old[1].groupId)]
  if (members.length === 0 || old) return []
  const name = `group-${++model.counter}`
  const make: Operation = {
    what: `group snapshot ${name}`,
    makes: name,
    copies: members.map(([member]) => member),
    run: async (driver) => {
      const { groupSnapshot } = await driver.createVolumeGroupSnapshot({
        name,
        sourceVolumeIds: members.map(([, { id }]) => id),
      })
      return () => {
        for (const { snapshotId, sourceVolumeId } of groupSnapshot?.snapshots ?? []) {
          const [memberName, { mode, text }] =
            members.find(([, { id }]) => id === sourceVolumeId) ?? missing(sourceVolumeId)
          model.snapshots.set(`${name}/${memberName}`, {
            id: snapshotId,
            mode,
            text,
            groupId: groupSnapshot?.groupSnapshotId ?? '',
          })
        }
      }
    },
  }
  return [make]
}

const deleteGroup = (model: Model, name: string, groupSnapshotId: string): Operation => ({
  what: `delete ${name}`,
  removes: name,
  run: async (driver) => {
    await driver.deleteVolumeGroupSnapshot({ groupSnapshotId })
    return () => {
      for (const key of model.snapshots.keys()) if (key.startsWith(`${name}/`)) model.snapshots.delete(key)
    }
  },
})

const attach = (volume: Volume): Operation => ({
  what: `attach ${volume.id}`,
  run: async (driver) => {
    await driver.controllerPublishVolume({ volumeId: volume.id, nodeId: NODE, volumeCapability: useOf(volume) })
    return () => void (volume.attached = true)
  },
  undo: () => detach(volume),
})
const detach = (volume: Volume): Operation => ({
  what: `detach ${volume.id}`,
  run: async (driver) => {
    await driver.controllerUnpublishVolume({ volumeId: volume.id, nodeId: NODE })
    return () => void (volume.attached = false)
  },
  undo: () => attach(volume),
})

const stage = (name: string, volume: Volume): Operation => ({
  what: `stage ${name}`,
  run: async (driver) => {
    await driver.nodeStageVolume({
      volumeId: volume.id,
      stagingTargetPath: stagingOf(name),
      volumeCapability: useOf(volume),
    })
    return () => void (volume.staged = true)
  },
  undo: () => unstage(name, volume),
})
const unstage = (name: string, volume: Volume): Operation => ({
  what: `unstage ${name}`,
  run: async (driver) => {
    await driver.nodeUnstageVolume({ volumeId: volume.id, stagingTargetPath: stagingOf(name) })
    return () => void (volume.staged = false)
  },
  undo: () => stage(name, volume),
})

const publish = (random: Random, model: Model, name: string, volume: Volume): Operation =>
  publishAt(model, name, volume, `/pods/${name}-${++model.counter}`, chance(random, 0.3))
const publishAt = (model: Model, name: string, volume: Volume, targetPath: string, readonly: boolean): Operation => ({
  what: `publish ${name} at ${targetPath}${readonly ? ' read-only' : ''}`,
  run: async (driver) => {
    await driver.nodePublishVolume({
      volumeId: volume.id,
      stagingTargetPath: stagingOf(name),
      targetPath,
      volumeCapability: useOf(volume),
      readonly,
    })
    return () => void volume.targets.set(targetPath, readonly)
  },
  undo: () => unpublish(model, name, targetPath),
})
function unpublish(model: Model, name: string, targetPath: string): Operation {
  const volume = model.volumes.get(name) ?? missing(name)
  return {
    what: `unpublish ${name} at ${targetPath}`,
    ...(volume.ephemeral ? { removes: name } : {}),
    run: async (driver) => {
      await driver.nodeUnpublishVolume({ volumeId: volume.id, targetPath })
      return () => {
        volume.targets.delete(targetPath)
        if (volume.ephemeral) model.volumes.delete(name)
      }
    },
  }
}
function publishEphemeral(model: Model, name: string, mode: Volume['mode']): Operation {
  const volume: Volume = {
    id: `csi-${name}`,
    mode,
    ephemeral: true,
    sizeBytes: 4n * BLOCK,
    text: '',
    attached: false,
    staged: false,
    targets: new Map(),
  }
  const targetPath = `/pods/${name}`
  return {
    what: `publish ephemeral ${name} ${mode}`,
    makes: volume.id,
    run: async (driver) => {
      const volumeContext = { 'csi.storage.k8s.io/ephemeral': 'true', size: '16Ki' }
      await driver.nodePublishVolume({
        volumeId: volume.id,
        targetPath,
        volumeCapability: useOf(volume),
        volumeContext,
      })
      return () => {
        volume.targets.set(targetPath, false)
        model.volumes.set(name, volume)
      }
    },
    undo: () => unpublish(model, name, targetPath),
  }
}

/** What a node does after a reboot, for all volumes that it knows and still wants. */
function remountOperations(model: Model, pending: readonly Operation[]): Operation[] {
  const wanted = (operation: Operation): Operation[] =>
    pending.some(({ what }) => what === `un${operation.what.replace(' read-only', '')}`) ? [] : [operation]
  return [...model.volumes].flatMap(([name, volume]) => {
    if (volume.ephemeral)
      return pending.some(({ removes }) => removes === name) ? [] : [publishEphemeral(model, name, volume.mode)]
    if (!volume.staged) return []
    return [
      ...wanted(stage(name, volume)),
      ...[...volume.targets].flatMap(([path, readonly]) => wanted(publishAt(model, name, volume, path, readonly))),
    ]
  })
}

/** Programs in pods write to their volumes and wait for the sync. */
async function writeAsPods(random: Random, machine: SimulatedHost, model: Model, how: 'bind' | 'link'): Promise<void> {
  const { files } = machine
  for (const volume of model.volumes.values()) {
    if (volume.targets.size === 0 || !chance(random, 0.5)) continue
    volume.text = `text ${++model.counter}`
    const path = contentPath(volume)
    // A simulated device cannot be written to, so this writes to its file.
    await files.writeFile(path, volume.mode === 'block' ? padded(volume.text, volume.sizeBytes) : bytes(volume.text))
    await files.sync(path)
    if (volume.mode === 'mount') await files.sync(path.slice(0, path.lastIndexOf('/')))
    if (volume.mode === 'mount' && how === 'bind' && volume.staged) {
      const [target] = (await machine.mounts.list()).filter((mount) => volume.targets.has(mount.target))
      if (target) equal(new TextDecoder().decode(await files.readFile(`${target.target}/file`)), volume.text)
    }
  }
}
const contentPath = ({ id, mode }: Volume): string =>
  `${ROOT}/volumes/${id}/${mode === 'block' ? 'image' : 'data/file'}`
function padded(text: string, sizeBytes: bigint): Uint8Array {
  const content = new Uint8Array(Number(sizeBytes))
  content.set(bytes(text))
  return content
}

type Check = {
  opened: DriverUnderTest
  machine: SimulatedHost
  model: Model
  pending: readonly Operation[]
  rebooted: boolean
  link: boolean
}

/** Everything that was confirmed exists, and nothing exists that nobody knows about. */
async function checkInvariants({
  opened: { hostpath },
  machine,
  model,
  pending,
  rebooted,
  link,
}: Check): Promise<void> {
  const mayBe = new Set(pending.flatMap(({ makes }) => makes ?? []))
  const mayBeGone = new Set(pending.flatMap(({ removes }) => removes ?? []))
  for (const [name, volume] of model.volumes) {
    const record = hostpath.volumes.find(volume.id)
    if (mayBeGone.has(name) && !record) continue
    ok(record, `${name} is gone`)
    if (!pending.some(({ resizes }) => resizes === name)) equal(record.sizeBytes, volume.sizeBytes, `size of ${name}`)
    if (volume.text !== '')
      equal(await readText(machine, contentPath(volume), volume.text.length), volume.text, `content of ${name}`)
  }
  for (const [name, { id, mode, text }] of model.snapshots) {
    const found = hostpath.findSnapshot(id)
    if (!found && (mayBeGone.has(name) || mayBeGone.has(name.split('/')[0] ?? ''))) continue
    ok(found, `${name} is gone`)
    if (text !== '')
      equal(
        await readText(machine, `${found.folder}/${mode === 'block' ? 'image' : 'data/file'}`, text.length),
        text,
        `content of ${name}`,
      )
  }
  const known = new Set([
    ...model.volumes.keys(),
    ...model.snapshots.keys(),
    ...[...model.volumes.values()].map(({ id }) => id),
    ...mayBe,
  ])
  for (const { name, id } of hostpath.volumes.all()) ok(known.has(name || id), `nobody knows of volume ${name || id}`)
  for (const { name } of hostpath.snapshots.all()) ok(known.has(name), `nobody knows of ${name}`)
  for (const { name } of hostpath.groups.all())
    ok(mayBe.has(name) || [...known].some((key) => key.startsWith(`${name}/`)), `nobody knows of ${name}`)
  checkDirectories(hostpath, machine)

  const records = [...(hostpath.nodes.get(NODE)?.records.all() ?? [])]
  const paths = new Set(
    records.flatMap(({ staged, published }) => [...(staged ? [staged.path] : []), ...Object.keys(published)]),
  )
  const tree = machine.snapshotTree()
  for (const { path, kind } of tree) {
    if (kind === 'mount' || path.startsWith('/pods/')) ok(paths.has(path), `${kind} ${path} has no record`)
    if (kind === 'loop-device')
      ok(
        records.some(({ volumeId }) => tree.some((entry) => entry.path === path && entry.detail.includes(volumeId))),
        `${path} has no record`,
      )
  }
  if (rebooted) return
  for (const [name, { mode, staged, targets, ephemeral }] of model.volumes) {
    if (pending.some(({ what }) => what.includes(name))) continue
    const expected = [
      ...targets.keys(),
      ...(staged && mode === 'mount' && !ephemeral && !link ? [stagingOf(name)] : []),
    ]
    const seen = expected.filter((path) =>
      tree.some((entry) => entry.path === path && entry.kind === (link ? 'symlink' : 'mount')),
    )
    deepEqual(seen, expected, `mounts of ${name}`)
  }
}

function checkDirectories(hostpath: DriverUnderTest['hostpath'], machine: SimulatedHost): void {
  const below = (path: string): string[] =>
    machine
      .snapshotTree()
      .flatMap((entry) =>
        entry.path.startsWith(`${path}/`) && entry.kind !== 'mount' ? [entry.path.slice(path.length + 1)] : [],
      )
  const names = (path: string): string[] => below(path).filter((name) => !name.includes('/'))
  deepEqual(names(`${ROOT}/volumes`), [...hostpath.volumes.all()].map(({ id }) => id).sort())
  deepEqual(names(`${ROOT}/snapshots`), [...hostpath.snapshots.all()].map(({ id }) => id).sort())
  deepEqual(names(`${ROOT}/groups`), [...hostpath.groups.all()].map(({ id }) => id).sort())
  for (const kind of ['volumes', 'snapshots', 'groups'])
    deepEqual([...below(`${ROOT}/${kind}.making`), ...below(`${ROOT}/${kind}.leaving`)], [])
  for (const { id, mode } of hostpath.volumes.all())
    deepEqual(names(`${ROOT}/volumes/${id}`), [mode === 'block' ? 'image' : 'data', 'record.json'].sort())
}

async function readText(machine: SimulatedHost, path: string, length: number): Promise<string> {
  return new TextDecoder().decode(await machine.files.readRange(path, 0n, length))
}

function missing(name: string): never {
  throw new Error(`the model has no ${name}`)
}
