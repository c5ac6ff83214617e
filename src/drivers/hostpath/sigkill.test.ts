import { deepEqual, equal, ok } from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost } from '../../base/host/index.ts'
import { createSystemRandom } from '../../base/random.ts'
import { killChild } from '../../base/testing/kill-child.ts'
import { connectDriver } from '../../csi/index.ts'
import type { Driver } from '../../csi/index.ts'
import { asBlock, asMount } from './testing/hostpath-under-test.ts'

const ROUNDS = 15
const MAIN = join(import.meta.dirname, '../../cli/main.ts')
// The content of an empty data directory.
const FRAME = ['groups', 'groups.leaving', 'groups.making', 'holdfast-hostpath.json', 'nodes', 'nodes/node-1'].concat([
  'snapshots',
  'snapshots.leaving',
  'snapshots.making',
  'volumes',
  'volumes.leaving',
  'volumes.making',
])

const clock = createSystemClock()
const random = createSystemRandom()
const host = createSystemHost()
let directory = ''
let child: ChildProcess | undefined

before(async () => {
  directory = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-sigkill-')))
  for (const name of ['staging', 'pods']) await mkdir(join(directory, name))
})

after(async () => {
  await kill()
  for (const { target } of (await ourMounts()).reverse()) await host.mounts.unmount(target)
  for (const { device } of await ourDevices()) await host.loops.detach(device)
  await rm(directory, { recursive: true, force: true })
})

const ourMounts = async () => (await host.mounts.list()).filter(({ target }) => target.startsWith(`${directory}/`))
const ourDevices = async () =>
  (await host.loops.available())
    ? (await host.loops.list()).filter(({ backingFile }) => backingFile.startsWith(`${directory}/`))
    : []

/** Starts the driver as a separate process; `ready` resolves with its output once it is ready. */
async function start(): Promise<{ ready: Promise<string> }> {
  const args = [
    'driver',
    `--endpoint=${join(directory, 'csi.sock')}`,
    '--node-id=node-1',
    `--data=${join(directory, 'data')}`,
    '--publish=auto',
    '--attach',
  ]
  const started = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  child = started
  let errors = ''
  started.stderr.on('data', (chunk: Buffer) => void (errors += chunk.toString()))
  const ready = new Promise<string>((resolve, reject) => {
    createInterface(started.stdout).on('line', (line) => line.startsWith('ready ') && resolve(line))
    started.once('exit', (code, signal) => reject(new Error(`the driver ended with ${code ?? signal}: ${errors}`)))
  })
  ready.catch(() => {})
  await once(started, 'spawn')
  return { ready }
}

async function kill(): Promise<void> {
  const ending = child
  child = undefined
  await killChild(ending)
}

/** One client of the driver, which repeats the life cycle of a volume, and repeats each call until it is answered. */
type Lane = {
  name: string
  use: ReturnType<typeof asMount>
  step: number
  cycles: number
  volumeId: string
  snapshotId: string
  copyId: string
}
type Step = (driver: Driver, lane: Lane) => Promise<unknown>

const stagingOf = ({ name }: Lane): string => join(directory, 'staging', name)
const targetOf = ({ name }: Lane): string => join(directory, 'pods', name)
const textOf = ({ name, cycles }: Lane): string => `${name} in cycle ${cycles}`
const isBlock = ({ use }: Lane): boolean => use.accessType?.$case === 'block'

const create: Step = async (driver, lane) => {
  const capacityRange = { requiredBytes: 64n * 1024n }
  lane.volumeId =
    (await driver.createVolume({ name: `${lane.name}-${lane.cycles}`, volumeCapabilities: [lane.use], capacityRange }))
      .volume?.volumeId ?? ''
}
const attach: Step = (driver, { volumeId, use }) =>
  driver.controllerPublishVolume({ volumeId, nodeId: 'node-1', volumeCapability: use })
const stage: Step = async (driver, lane) => {
  await mkdir(stagingOf(lane), { recursive: true })
  return driver.nodeStageVolume({
    volumeId: lane.volumeId,
    volumeCapability: lane.use,
    stagingTargetPath: stagingOf(lane),
  })
}
const publish: Step = (driver, lane) =>
  driver.nodePublishVolume({
    volumeId: lane.volumeId,
    volumeCapability: lane.use,
    stagingTargetPath: stagingOf(lane),
    targetPath: targetOf(lane),
  })
const write: Step = async (_driver, lane) => {
  if (isBlock(lane)) await writeFile(targetOf(lane), textOf(lane), { flag: 'r+', flush: true })
  else await writeFile(join(targetOf(lane), 'file'), textOf(lane), { flush: true })
}
const read: Step = async (_driver, lane) => {
  const content = await readFile(isBlock(lane) ? targetOf(lane) : join(targetOf(lane), 'file'))
  equal(content.subarray(0, textOf(lane).length).toString(), textOf(lane))
}
const snapshot: Step = async (driver, lane) => {
  const made = await driver.createSnapshot({ name: `${lane.name}-${lane.cycles}`, sourceVolumeId: lane.volumeId })
  lane.snapshotId = made.snapshot?.snapshotId ?? ''
}
const restore: Step = async (driver, lane) => {
  const volumeContentSource = { type: { $case: 'snapshot' as const, value: { snapshotId: lane.snapshotId } } }
  const made = await driver.createVolume({
    name: `${lane.name}-${lane.cycles}-copy`,
    volumeCapabilities: [lane.use],
    volumeContentSource,
  })
  lane.copyId = made.volume?.volumeId ?? ''
}
const unpublish: Step = (driver, lane) =>
  driver.nodeUnpublishVolume({ volumeId: lane.volumeId, targetPath: targetOf(lane) })
const unstage: Step = (driver, lane) =>
  driver.nodeUnstageVolume({ volumeId: lane.volumeId, stagingTargetPath: stagingOf(lane) })
const detach: Step = (driver, { volumeId }) => driver.controllerUnpublishVolume({ volumeId, nodeId: 'node-1' })
const deleteVolume: Step = (driver, { volumeId }) => driver.deleteVolume({ volumeId })
const deleteCopy: Step = (driver, { copyId }) => driver.deleteVolume({ volumeId: copyId })
const deleteSnapshot: Step = (driver, { snapshotId }) => driver.deleteSnapshot({ snapshotId })
const again: Step = (_driver, lane) => Promise.resolve(lane.cycles++)

const LIFE = [
  create,
  attach,
  stage,
  publish,
  write,
  snapshot,
  unpublish,
  publish,
  read,
  restore,
  unpublish,
  unstage,
  detach,
].concat([deleteVolume, deleteSnapshot, deleteCopy, again])

/** Continues until the driver is killed. Before that, no call may fail. */
async function live(
  lane: Lane,
  driver: Driver,
  world: { killed: boolean; answered(): void },
  untilCycle = Number.POSITIVE_INFINITY,
): Promise<void> {
  while (!world.killed && lane.cycles < untilCycle) {
    try {
      await LIFE[lane.step]?.(driver, lane)
      lane.step = (lane.step + 1) % LIFE.length
      world.answered()
    } catch (error) {
      if (!world.killed) throw new Error(`${lane.name} at ${LIFE[lane.step]?.name}: ${String(error)}`, { cause: error })
    }
  }
}

/** Runs the driver and kills it at a random moment. */
async function liveAndDie(lanes: readonly Lane[]): Promise<void> {
  const { ready } = await start()
  if (random.below(5) === 0) {
    // Kills it before it is ready.
    await Promise.race([ready, afterMs(random.below(400))])
    return kill()
  }
  await ready
  const { driver, connection } = connectDriver({ endpoint: join(directory, 'csi.sock'), clock })
  const { promise: due, resolve: isDue } = Promise.withResolvers<void>()
  let left = random.below(40)
  const world = { killed: false, answered: () => void (left-- <= 0 && isDue()) }
  const lives = Promise.all(lanes.map((lane) => live(lane, driver, world)))
  try {
    await Promise.race([due.then(() => afterMs(random.below(15))), lives])
  } finally {
    world.killed = true
    await kill()
    connection.close()
  }
  await lives
}

const afterMs = (delayMs: number): Promise<void> => new Promise((resolve) => clock.setTimer(delayMs, resolve))

test('killed over and over, the driver ends with nothing but its frame', async (t) => {
  const lane = (name: string, use: Lane['use']): Lane => ({
    name,
    use,
    step: 0,
    cycles: 0,
    volumeId: '',
    snapshotId: '',
    copyId: '',
  })
  const lanes = [lane('one', asMount()), lane('two', asMount('SINGLE_NODE_MULTI_WRITER'))]
  const bind = await host.mounts.available()
  if (!bind || (await host.loops.available())) lanes.push(lane('three', asBlock()))
  t.diagnostic(
    bind
      ? `bind mounts${lanes.length === 3 ? ' and loop devices' : ', without loop devices'}`
      : 'links: this process may not mount',
  )

  for (let round = 0; round < ROUNDS; round++) await liveAndDie(lanes)

  const { ready } = await start()
  ok((await ready).includes(`publish=${bind ? 'bind' : 'link'}`))
  const { driver, connection } = connectDriver({ endpoint: join(directory, 'csi.sock'), clock })
  t.diagnostic(
    `${lanes.map(({ name, cycles, step }) => `${name} was in cycle ${cycles} at ${LIFE[step]?.name}`).join(', ')}`,
  )
  try {
    // To the end of the cycle, which also undoes a create that was in doubt.
    await Promise.all(lanes.map((one) => live(one, driver, { killed: false, answered: () => {} }, one.cycles + 1)))
    deepEqual((await driver.listVolumes({})).entries, [])
  } finally {
    connection.close()
  }

  deepEqual(await ourMounts(), [])
  deepEqual(await ourDevices(), [])
  deepEqual(await readdir(join(directory, 'pods')), [])
  deepEqual((await readdir(join(directory, 'data'), { recursive: true })).sort(), FRAME.sort())
})
