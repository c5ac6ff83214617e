import { equal, match } from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { createSilentLogger, createSystemClock, createSystemHost, createSystemRandom } from '../src/base/index.ts'
import { defineDriver, pageOf, serve } from '../src/csi/kit/index.ts'
import type { CsiHandlers } from '../src/csi/kit/index.ts'
import { startExample } from './run-example.ts'
import type { Ended } from './run-example.ts'

async function runAgainst(t: TestContext, handlers: CsiHandlers): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-example-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const log = createSilentLogger()
  const running = await serve({
    endpoint: join(folder, 'csi.sock'),
    servers: [defineDriver({ name: 'lists.example.com', version: '2.0.0' }, { handlers, log })],
    files: createSystemHost().files,
    random: createSystemRandom(),
    clock: createSystemClock(),
    log,
  })
  t.after(() => running.stop())
  return startExample(t, 'list-volumes.ts', [`unix://${running.path}`]).ended
}

test('list-volumes follows the pages to the end', async (t) => {
  const volumes = Array.from({ length: 250 }, (_, index) => ({
    volumeId: `v${String(index).padStart(3, '0')}`,
    capacityBytes: BigInt(index + 1),
  }))
  const listVolumes: CsiHandlers['listVolumes'] = async (request) => {
    const { entries, nextToken } = pageOf(volumes, ({ volumeId }) => volumeId, request)
    return { entries: entries.map((volume) => ({ volume })), nextToken }
  }
  const { code, out, err } = await runAgainst(t, { listVolumes })
  equal(code, 0, err)
  equal(
    out,
    `lists.example.com 2.0.0\n${volumes.map(({ volumeId, capacityBytes }) => `${volumeId}  ${capacityBytes} bytes\n`).join('')}`,
  )
})

test('list-volumes says that a driver can not list, and fails', async (t) => {
  const { code, err } = await runAgainst(t, {})
  equal(code, 1)
  equal(err, 'this driver does not list its volumes\n')
})

test('list-volumes says that nobody serves the socket, and fails', async (t) => {
  const { code, err } = await startExample(t, 'list-volumes.ts', ['/nonexistent/csi.sock']).ended
  equal(code, 1)
  match(err, /^CsiError: GetPluginInfo: Unavailable: /)
})
