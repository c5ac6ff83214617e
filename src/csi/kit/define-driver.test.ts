import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HostError } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { joinDriver } from '../connect-driver.ts'
import { CsiError } from '../csi-error.ts'
import type { Driver } from '../rpc.ts'
import { createIdleHandlers, VALID_CALLS } from '../testing/valid-calls.ts'
import { defineDriver } from './define-driver.ts'
import type { CsiHandlers, DriverDescription } from './handlers.ts'
import { createLockTable } from './lock-table.ts'
import type { LockTable } from './lock-table.ts'

const idle = createIdleHandlers()
const log = createSilentLogger()

function open(
  handlers: CsiHandlers,
  options: { description?: Partial<DriverDescription>; locks?: LockTable; node?: string } = {},
): Driver {
  const { description, ...parts } = options
  return joinDriver(
    defineDriver({ name: 'test.holdfast.dev', version: '1', ...description }, { handlers, log, ...parts }),
    { clock: createSimulatedClock() },
  )
}

/** The code of an error with its detail, or OK. */
const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error instanceof CsiError ? error.code : error),
  )
const detailOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'OK',
    (error: unknown) => (error instanceof CsiError ? `${error.code}: ${error.detail}` : error),
  )

/** Handlers of which one waits until it is released. */
function holding(method: keyof CsiHandlers): { handlers: CsiHandlers; letGo(): void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  const valid = VALID_CALLS[method]
  const wait = async (): Promise<unknown> => {
    await promise
    return 'answer' in valid ? valid.answer : assert.fail('a stream holds no lock')
  }
  return { handlers: { ...idle, [method]: wait }, letGo: resolve }
}

describe('the description of a driver', () => {
  for (const name of ['a', 'hostpath.csi.k8s.io', 'A-1.b', 'x'.repeat(63)]) {
    it(`may have the name ${name}`, () => void open({}, { description: { name } }))
  }
  for (const name of ['', '-a', 'a-', '.a', 'a_b', 'a b', 'ä', 'a/b', 'x'.repeat(64)]) {
    it(`must not have the name ${JSON.stringify(name)}`, () => {
      assert.throws(
        () => open({}, { description: { name } }),
        /is invalid: use at most 63 letters, digits, dots and dashes/,
      )
    })
  }

  it('must have a version', () =>
    assert.throws(() => open({}, { description: { version: '' } }), /test\.holdfast\.dev needs a version/))

  it('is what the driver tells of itself', async () => {
    const driver = open({}, { description: { manifest: { build: 'abc' } } })
    assert.deepEqual(await driver.getPluginInfo({}), {
      name: 'test.holdfast.dev',
      vendorVersion: '1',
      manifest: { build: 'abc' },
    })
  })
})

describe('the calls of a driver', () => {
  for (const [method, valid] of Object.entries(VALID_CALLS)) {
    it(`reach the handler of ${method}, and are UNIMPLEMENTED without it`, async () => {
      const call = async (driver: Driver): Promise<unknown> => {
        // The request belongs to the method of the same name.
        const answer = (
          driver as unknown as Record<string, (request: object) => Promise<object> | AsyncIterable<object>>
        )[method]?.(valid.request)
        if (!answer || !(Symbol.asyncIterator in answer)) return answer
        const answers: object[] = []
        for await (const message of answer) answers.push(message)
        return answers
      }
      const answer = await call(open(idle))
      assert.equal(Array.isArray(answer), 'answers' in valid)
      if (method !== 'probe') assert.equal(await codeOf(call(open({}))), 'UNIMPLEMENTED')
    })
  }

  it('may replace the answer to Probe', async () => {
    assert.deepEqual(await open({}).probe({}), { ready: true })
    assert.deepEqual(await open({ probe: () => Promise.resolve({ ready: false }) }).probe({}), { ready: false })
    assert.deepEqual(await open({ probe: () => Promise.resolve({}) }).probe({}), { ready: undefined })
  })

  it('announce what is implemented, in the form of the protocol', async () => {
    const driver = open(idle, { description: { features: { topology: true, expansion: 'offline' } } })
    assert.deepEqual((await driver.getPluginCapabilities({})).capabilities, [
      ...[1, 2, 3, 4].map((type) => ({ type: { $case: 'service', value: { type } } })),
      { type: { $case: 'volumeExpansion', value: { type: 2 } } },
    ])
    const announced = (...types: number[]) => types.map((type) => ({ type: { $case: 'rpc', value: { type } } }))
    assert.deepEqual<unknown>(
      (await driver.controllerGetCapabilities({})).capabilities,
      announced(1, 2, 3, 4, 5, 6, 9, 12, 14, 15, 16, 17),
    )
    assert.deepEqual<unknown>((await driver.groupControllerGetCapabilities({})).capabilities, announced(1))
    assert.deepEqual<unknown>((await driver.nodeGetCapabilities({})).capabilities, announced(1, 2, 3, 7, 8))
    assert.deepEqual(await open({}).getPluginCapabilities({}), { capabilities: [] })
  })

  it('are refused as a whole when half of a pair is missing', () => {
    assert.throws(() => open({ createVolume: idle.createVolume }), /needs deleteVolume too/)
  })
})

describe('a wrong call', () => {
  it('does not reach the handler', async () => {
    const createVolume = (): never => assert.fail('must not be called')
    assert.equal(
      await detailOf(open({ ...idle, createVolume }).createVolume({ name: 'n' })),
      'INVALID_ARGUMENT: volume_capabilities is required',
    )
  })

  it('takes no lock', async () => {
    const driver = open(idle)
    assert.equal(await codeOf(driver.nodeStageVolume({ volumeId: 'v', stagingTargetPath: '/s' })), 'INVALID_ARGUMENT')
    assert.equal(await codeOf(driver.nodeStageVolume(VALID_CALLS.nodeStageVolume.request)), 'OK')
  })

  it('is a publish without a staging path, for a driver that stages and a volume that is not ephemeral', async () => {
    const unstaged = { ...VALID_CALLS.nodePublishVolume.request, stagingTargetPath: '' }
    const { nodePublishVolume, nodeUnpublishVolume, nodeGetInfo } = idle
    const detail = 'FAILED_PRECONDITION: staging_target_path is required: this driver stages volumes'
    assert.equal(await detailOf(open(idle).nodePublishVolume(unstaged)), detail)
    const ephemeral = { 'csi.storage.k8s.io/ephemeral': 'true' }
    assert.equal(await codeOf(open(idle).nodePublishVolume({ ...unstaged, volumeContext: ephemeral })), 'OK')
    assert.equal(
      await codeOf(open({ nodePublishVolume, nodeUnpublishVolume, nodeGetInfo }).nodePublishVolume(unstaged)),
      'OK',
    )
  })

  it('is one whose bytes are no message', async () => {
    const server = defineDriver({ name: 'a', version: '1' }, { handlers: idle, log })
    const { signal } = new AbortController()
    const call = server.unary('/csi.v1.Controller/DeleteVolume', Uint8Array.of(0x0a, 0x7f, 0x01), { signal })
    assert.equal(await detailOf(call), 'INVALID_ARGUMENT: the request is not a valid message')
  })
})

describe('a wrong answer', () => {
  it('becomes INTERNAL and names the field, for the author to see', async () => {
    const wrong = { ...idle, createVolume: () => Promise.resolve({ volume: { capacityBytes: 5n } }) }
    const blame = 'INTERNAL: the driver returned an invalid response'
    assert.equal(
      await detailOf(open(wrong).createVolume(VALID_CALLS.createVolume.request)),
      `${blame}: volume.volumeId is required`,
    )
    const oversize = { ...idle, nodeGetInfo: () => Promise.resolve({ nodeId: 'n'.repeat(300) }) }
    assert.equal(
      await detailOf(open(oversize).nodeGetInfo({})),
      `${blame}: node_id has 300 bytes, at most 256 are allowed`,
    )
  })

  it('becomes INTERNAL where it has no wire form at all', async () => {
    // Possible results of a handler written without a type checker.
    for (const answer of [undefined, { capacityBytes: 2n ** 80n }, { capacityBytes: 'many' }] as never[]) {
      const driver = open({ ...idle, controllerExpandVolume: () => Promise.resolve(answer) })
      assert.equal(await codeOf(driver.controllerExpandVolume(VALID_CALLS.controllerExpandVolume.request)), 'INTERNAL')
    }
  })
})

describe('a failure', () => {
  const thrown: [what: string, reason: unknown, code: string][] = [
    ['a code of its own', new CsiError('NOT_FOUND', 'no'), 'NOT_FOUND'],
    ['a full disk', new HostError('ENOSPC', 'writeFile', '/v'), 'RESOURCE_EXHAUSTED'],
    ['another failure of the machine', new HostError('EIO', 'writeFile', '/v'), 'INTERNAL'],
    ['a mistake', new TypeError('odd'), 'INTERNAL'],
    ['UNKNOWN', new CsiError('UNKNOWN', 'odd'), 'INTERNAL'],
  ]
  for (const [what, reason, code] of thrown) {
    it(`with ${what} is ${code}, and lets the next call through`, async () => {
      const failures: unknown[] = [reason]
      const driver = open({
        ...idle,
        deleteVolume: () => (failures.length > 0 ? Promise.reject(failures.pop()) : Promise.resolve({})),
      })
      assert.equal(await codeOf(driver.deleteVolume({ volumeId: 'v' })), code)
      assert.equal(await codeOf(driver.deleteVolume({ volumeId: 'v' })), 'OK')
    })
  }

  it('at once, before the first await, is no different', async () => {
    const driver = open({
      ...idle,
      deleteVolume: () => {
        throw new Error('at once')
      },
    })
    assert.equal(await detailOf(driver.deleteVolume({ volumeId: 'v' })), 'INTERNAL: at once')
    assert.equal(await codeOf(driver.controllerExpandVolume(VALID_CALLS.controllerExpandVolume.request)), 'OK')
  })
})

describe('calls for one volume', () => {
  it('are let through one at a time, each with its result', async () => {
    const { handlers, letGo } = holding('deleteVolume')
    const driver = open(handlers)
    const first = codeOf(driver.deleteVolume({ volumeId: 'v' }))
    assert.equal(
      await detailOf(driver.deleteVolume({ volumeId: 'v' })),
      'ABORTED: an operation is already pending for volume v',
    )
    assert.equal(await codeOf(driver.controllerExpandVolume(VALID_CALLS.controllerExpandVolume.request)), 'ABORTED')
    assert.equal(
      await codeOf(
        driver.controllerExpandVolume({ ...VALID_CALLS.controllerExpandVolume.request, volumeId: 'another' }),
      ),
      'OK',
    )
    letGo()
    assert.equal(await first, 'OK')
    assert.equal(await codeOf(driver.deleteVolume({ volumeId: 'v' })), 'OK')
  })

  it('may publish to two targets at once, but not delete meanwhile', async () => {
    const { handlers, letGo } = holding('nodePublishVolume')
    const driver = open(handlers)
    const request = VALID_CALLS.nodePublishVolume.request
    const both = [
      driver.nodePublishVolume({ ...request, targetPath: '/a' }),
      driver.nodePublishVolume({ ...request, targetPath: '/b' }),
    ].map(codeOf)
    assert.equal(await codeOf(driver.nodePublishVolume({ ...request, targetPath: '/a' })), 'ABORTED')
    assert.equal(await codeOf(driver.deleteVolume({ volumeId: 'v' })), 'ABORTED')
    letGo()
    assert.deepEqual(await Promise.all(both), ['OK', 'OK'])
  })

  it('may only read at any time', async () => {
    const { handlers, letGo } = holding('nodeStageVolume')
    const driver = open(handlers)
    const staging = codeOf(driver.nodeStageVolume(VALID_CALLS.nodeStageVolume.request))
    assert.equal(await codeOf(driver.nodeGetVolumeStats(VALID_CALLS.nodeGetVolumeStats.request)), 'OK')
    assert.equal(await codeOf(driver.controllerGetVolume({ volumeId: 'v' })), 'OK')
    letGo()
    assert.equal(await staging, 'OK')
  })

  it('are kept apart between nodes that share a table: deleting, but not staging', async () => {
    const locks = createLockTable()
    const { handlers, letGo } = holding('nodeStageVolume')
    const [first, second] = [open(handlers, { locks, node: 'n1' }), open(idle, { locks, node: 'n2' })]
    const staging = codeOf(first.nodeStageVolume(VALID_CALLS.nodeStageVolume.request))
    assert.equal(await codeOf(second.nodeStageVolume(VALID_CALLS.nodeStageVolume.request)), 'OK')
    assert.equal(await codeOf(second.deleteVolume({ volumeId: 'v' })), 'ABORTED')
    letGo()
    assert.equal(await staging, 'OK')
  })

  it('are of no interest to a driver with a table of its own', async () => {
    const { handlers, letGo } = holding('deleteVolume')
    const first = codeOf(open(handlers).deleteVolume({ volumeId: 'v' }))
    assert.equal(await codeOf(open(idle).deleteVolume({ volumeId: 'v' })), 'OK')
    letGo()
    assert.equal(await first, 'OK')
  })
})
