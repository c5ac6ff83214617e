import { deepEqual, equal, match } from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../api/kinds/persistent-volume.ts'
import { PODS } from '../api/kinds/pod.ts'
import { createClaim, createPod } from '../cluster/testing/describe-cluster.ts'
import { openClusterDirectory } from '../cluster/testing/describe-up.ts'
import { AccessMode } from '../csi/index.ts'
import type { Driver } from '../csi/index.ts'
import { connectTest } from '../csi/testing/start-test-driver.ts'
import { startCommand } from './testing/cli-under-test.ts'
import type { RunningCommand } from './testing/cli-under-test.ts'
import { connectTo, untilObject } from './testing/driver-under-test.ts'

const LIMIT = { timeout: 120_000 }
const MOUNT = {
  accessType: { $case: 'mount' as const, value: { fsType: '', mountFlags: [], volumeMountGroup: '' } },
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
}

async function startDriver(context: TestContext, directory: string, name: string): Promise<string> {
  const socket = join(directory, `${name}.sock`)
  const words = ['--node-id=n1', `--data=${join(directory, name)}`, '--attach', '--publish=link', '--capacity=1Gi']
  const driver = startCommand(context, ['driver', `--endpoint=${socket}`, ...words])
  await driver.untilOut(/^ready/m)
  return socket
}

/** The whole life of a volume, with a snapshot, an error, and two calls at a time. */
async function live(driver: Driver, directory: string): Promise<void> {
  await driver.probe({})
  await driver.getPluginInfo({})
  const { nodeId } = await driver.nodeGetInfo({})
  const secrets = { password: 'hunter2hunter2' }
  const create = { name: 'pvc-1', volumeCapabilities: [MOUNT], capacityRange: { requiredBytes: 1048576n } }
  const { volume } = await driver.createVolume({ ...create, secrets })
  const { volumeId = '', volumeContext = {} } = volume ?? {}
  await driver.createVolume(create)
  const publish = { volumeId, nodeId, volumeCapability: MOUNT, volumeContext }
  const { publishContext } = await driver.controllerPublishVolume(publish)
  const stagingTargetPath = join(directory, 'staging')
  const targetPath = join(directory, 'pods/target')
  const node = { volumeId, publishContext, stagingTargetPath, volumeCapability: MOUNT, volumeContext }
  await driver.nodeStageVolume(node)
  await driver.nodePublishVolume({ ...node, targetPath })
  const [{ snapshot }] = await Promise.all([
    driver.createSnapshot({ name: 'snap-1', sourceVolumeId: volumeId }),
    driver.listVolumes({}),
  ])
  await driver.nodeUnpublishVolume({ volumeId, targetPath })
  await driver.nodeUnstageVolume({ volumeId, stagingTargetPath })
  await driver.controllerUnpublishVolume({ volumeId, nodeId })
  await driver.deleteSnapshot({ snapshotId: snapshot?.snapshotId ?? '' })
  await driver.deleteVolume({ volumeId })
  await driver.controllerPublishVolume(publish).catch(() => {})
}

async function record(context: TestContext, directory: string): Promise<string> {
  const file = join(directory, 'calls.jsonl')
  const listen = join(directory, 'proxy.sock')
  const to = await startDriver(context, directory, 'first')
  const proxy = startCommand(context, ['proxy', `--listen=${listen}`, `--to=${to}`, `--record=${file}`])
  await proxy.untilOut(/^ready/m)
  const { driver, connection } = connectTest(context, listen)
  await mkdir(join(directory, 'pods'))
  await mkdir(join(directory, 'staging'))
  await live(driver, directory)
  connection.close()
  equal(await proxy.stop(), 0)
  return file
}

const replay = (context: TestContext, ...words: string[]): RunningCommand => startCommand(context, ['replay', ...words])

test('a recorded volume lifecycle replays identically against the bundled driver', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const file = await record(context, directory)
  const to = await startDriver(context, directory, 'second')
  const played = replay(context, file, `--to=${to}`)
  equal(await played.ended, 0, played.out() + played.err())
  match(played.out(), /every answer is the same: 16 same, 0 different, 0 skipped/)
  match(played.out(), /CreateVolume {2}same \(OK\)/)
  match(played.out(), /ControllerPublishVolume {2}same \(NOT_FOUND\)/)
})

test('a changed answer is found and shown field by field', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const file = await record(context, directory)
  const to = await startDriver(context, directory, 'second')
  const listen = join(directory, 'changed.sock')
  const faults = join(directory, 'faults.yaml')
  await writeFile(
    faults,
    'faults:\n  - {rpc: CreateVolume, times: 1, alter: {volume.capacity_bytes: 7}}\n  - {rpc: DeleteVolume, error: INTERNAL}\n',
  )
  const proxy = startCommand(context, ['proxy', `--listen=${listen}`, `--to=${to}`, `--faults=${faults}`])
  await proxy.untilOut(/^ready/m)
  const played = replay(context, file, `--to=${listen}`)
  equal(await played.ended, 1)
  match(played.out(), /CreateVolume {2}DIFFERENT\n +volume\.capacity_bytes\n +recorded +"1048576"\n +now +"7"\n/)
  match(played.out(), /DeleteVolume {2}DIFFERENT\n +code\n +recorded +"OK"\n +now +"INTERNAL"\n/)
  match(played.out(), /the driver answers differently: \d+ same, [23] different, 0 skipped/)
  const again = replay(context, file, `--to=${listen}`, '--ignore=*', '--json')
  equal(await again.ended, 0)
  deepEqual((JSON.parse(again.out().split('\n')[0] ?? '') as { kind: string }).kind, 'same')
})

test('a recording serves a cluster in place of its driver', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const file = join(directory, 'cluster.jsonl')
  const run = async (name: string, claim: string, flags: readonly string[]): Promise<string> => {
    const up = startCommand(context, ['up', '--in-memory', `--data=${join(directory, name)}`, ...flags])
    await up.untilOut(/^ready/m)
    const api = await connectTo(context, join(directory, name, 'kubeconfig'))
    await createClaim(api, claim)
    await createPod(api, 'web', claim)
    await untilObject(api, PERSISTENT_VOLUME_CLAIMS, ({ status }) => status?.phase === 'Bound')
    await untilObject(api, PODS, ({ status }) => status?.phase === 'Running')
    const [volume] = (await api.list(PERSISTENT_VOLUMES)).items
    equal(await up.stop(), 0)
    return volume?.spec.csi?.volumeHandle ?? ''
  }
  const handle = await run('customer', 'data', [`--record=${file}`])
  const socket = join(directory, 'replay.sock')
  const served = replay(context, file, `--serve=${socket}`)
  await served.untilOut(/^ready unix:.*calls=\d+/m)
  // The cluster chose another name, and got the recorded volume for it.
  equal(await run('desk', 'other', [`--driver=unix://${socket}`, '--no-bundled-driver']), handle)
  equal(await served.stop(), 0)
})

test('replay names the line of a broken recording', LIMIT, async (context) => {
  const directory = await openClusterDirectory(context)
  const file = join(directory, 'broken.jsonl')
  await writeFile(file, '{"recording":"holdfast","version":1,"secrets":"hidden"}\n{"call":1}\n')
  const played = replay(context, file, '--to=/tmp/none.sock')
  equal(await played.ended, 2)
  match(played.err(), /broken\.jsonl:2: expected a call with the keys/)
})
