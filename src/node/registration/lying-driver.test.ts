import { deepEqual, ok } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { collectGarbage } from '../../base/testing/collect-garbage.ts'
import { answerOf, startRawDriver } from '../../csi/testing/start-raw-driver.ts'
import type { RawAnswer } from '../../csi/testing/start-raw-driver.ts'
import { DRIVER, openNode, pluginInfo } from './testing/describe-registration.ts'
import type { NodeUnderTest } from './testing/describe-registration.ts'

const segments = (count: number, value = 'x'): object => ({
  segments: Object.fromEntries(Array.from({ length: count }, (_, index) => [`example.com/key-${index}`, value])),
})

const LIES: readonly [what: string, answer: (count: number) => RawAnswer][] = [
  ['bytes that are no message', () => ({ kind: 'message', bytes: randomBytes(100_000) })],
  ['more than a message may have', () => ({ kind: 'message', bytes: new Uint8Array(17 * 1024 * 1024) })],
  ['an error with a long text', (count) => ({ kind: 'error', code: 13, text: `${count} `.padEnd(48 * 1024, 'x') })],
  [
    'twenty thousand topology keys',
    (count) => answerOf('nodeGetInfo', { nodeId: `n-${count}`, accessibleTopology: segments(20_000) }),
  ],
  [
    'a topology value of a million characters',
    () => answerOf('nodeGetInfo', { nodeId: 'n', accessibleTopology: segments(1, 'x'.repeat(1_000_000)) }),
  ],
  [
    'a node id of a million characters',
    (count) => answerOf('nodeGetInfo', { nodeId: `${count}`.padEnd(1_000_000, 'x') }),
  ],
]

/** Registers the driver anew, and gives what its registrar is told. */
async function refusalOf(node: NodeUnderTest, endpoint: string): Promise<string> {
  const told = Promise.withResolvers<string>()
  const registrar = await node.serveRegistrar('lying-reg.sock', {
    getInfo: () => Promise.resolve(pluginInfo(endpoint, DRIVER)),
    notifyRegistrationStatus: ({ pluginRegistered, error }) => {
      told.resolve(pluginRegistered ? 'registered' : error)
      return Promise.resolve({})
    },
  })
  const refusal = await told.promise
  await registrar.stop({ graceMs: 0 })
  await node.until('forgotten', () => node.registration().plugins().length === 0)
  return refusal
}

test(
  'S3-13: whatever a driver says about the node, it is refused in few words, nothing is written, and nothing of it is kept',
  { timeout: 60_000 },
  async (context) => {
    const node = await openNode(context)
    const path = join(node.root, 'csi.sock')
    let answer: (count: number) => RawAnswer = () => ({ kind: 'hang' })
    let count = 0
    await startRawDriver(context, path, (method) =>
      method === 'nodeGetInfo' ? answer(++count) : answerOf(method, { name: DRIVER }),
    )
    const pass = async (): Promise<number> => {
      for (const [what, lie] of LIES) {
        answer = lie
        const refusal = await refusalOf(node, path)
        ok(
          /^(RegisterPlugin failed at )?CSI\.NodeGetInfo of driver /.test(refusal) && refusal.length < 1000,
          `${what}: ${refusal.slice(0, 2000)}`,
        )
      }
      await collectGarbage()
      return process.memoryUsage().heapUsed
    }
    const before = await pass()
    await pass()
    const grown = (await pass()) - before
    ok(grown < 2 * 1024 * 1024, `${grown} bytes more after two more passes`)
    deepEqual(node.writes, [])
    ok(Math.max(...node.logged.map((line) => line.length)) < 10_000)
    ok(Math.max(...(await node.events()).map((message) => Buffer.byteLength(message))) <= 1024)
  },
)
