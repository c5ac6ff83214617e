import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../src/base/index.ts'
import { VolumeCapability_AccessMode_Mode as AccessMode } from '../../src/csi/generated/csi/v1/csi.ts'
import { connectDriver } from '../../src/csi/index.ts'
import type { Driver } from '../../src/csi/index.ts'
import { startExample } from '../run-example.ts'
import type { RunningExample } from '../run-example.ts'

const capability = {
  accessMode: { mode: AccessMode.SINGLE_NODE_WRITER },
  accessType: { $case: 'mount', value: {} },
} as const
const claim = { name: 'pvc-1', capacityRange: { requiredBytes: 1024n }, volumeCapabilities: [capability] }

async function startDriver(
  t: TestContext,
): Promise<{ driver: Driver; folder: string; example: RunningExample; socket: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'csi.sock')
  const example = startExample(t, 'memory-driver/driver.ts', [
    `--endpoint=unix://${socket}`,
    `--data=${join(folder, 'data')}`,
    '--node-id=node-7',
  ])
  equal(await example.firstLine, `ready unix://${socket}`)
  const { driver, connection } = connectDriver({ endpoint: socket, clock: createSystemClock() })
  t.after(() => connection.close())
  return { driver, folder, example, socket }
}

test('the example driver makes, lists, publishes and removes a volume', async (t) => {
  const { driver, folder } = await startDriver(t)
  equal((await driver.getPluginInfo({})).name, 'memory.example.com')
  equal((await driver.nodeGetInfo({})).nodeId, 'node-7')

  const { volume } = await driver.createVolume(claim)
  ok(volume)
  deepEqual((await driver.createVolume(claim)).volume, volume)
  deepEqual(
    (await driver.listVolumes({})).entries.map((entry) => entry.volume?.volumeId),
    [volume.volumeId],
  )

  const target = { volumeId: volume.volumeId, targetPath: join(folder, 'target') }
  const publish = { ...target, volumeCapability: capability }
  await driver.nodePublishVolume(publish)
  await driver.nodePublishVolume(publish)
  writeFileSync(join(folder, 'target', 'file'), 'kept')
  equal(readFileSync(join(folder, 'data', volume.volumeId, 'file'), 'utf8'), 'kept')
  await rejects(driver.deleteVolume({ volumeId: volume.volumeId }), { code: 'FAILED_PRECONDITION' })

  await driver.nodeUnpublishVolume(target)
  await driver.nodeUnpublishVolume(target)
  ok(!existsSync(join(folder, 'target')))
  await driver.deleteVolume({ volumeId: volume.volumeId })
  await driver.deleteVolume({ volumeId: volume.volumeId })
  deepEqual(readdirSync(join(folder, 'data')), [])
})

test('the example driver leaves alone at a target what it has not made', async (t) => {
  const { driver, folder } = await startDriver(t)
  const { volume } = await driver.createVolume(claim)
  const path = join(folder, 'foreign')
  writeFileSync(path, 'not yours')
  await driver.nodeUnpublishVolume({ volumeId: volume?.volumeId ?? '', targetPath: path })
  equal(readFileSync(path, 'utf8'), 'not yours')
})

test('the example driver ends with 0 on SIGTERM and takes its socket with it', async (t) => {
  const { driver, example, socket } = await startDriver(t)
  await driver.probe({})
  const { code, signal } = await example.stop()
  deepEqual({ code, signal }, { code: 0, signal: null })
  ok(!existsSync(socket))
})

test('the in-process test of the example passes', async (t) => {
  const { code, out } = await startExample(t, 'memory-driver/join-driver.ts', [], ['--test', '--test-reporter=tap'])
    .ended
  equal(code, 0, out)
  match(out, /^# pass 1$/m)
})

test('docs/write-a-driver.md shows exactly these files', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/write-a-driver.md'), 'utf8')
  for (const name of ['driver.ts', 'join-driver.ts']) {
    const source = readFileSync(join(import.meta.dirname, name), 'utf8')
    ok(
      page.includes(`\n\`\`\`ts\n${source}\`\`\`\n`),
      `the block of ${name} in docs/write-a-driver.md differs from examples/memory-driver/${name}`,
    )
  }
})
