import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import type { SimulatedClock } from '../base/simulated-clock.ts'
import { createClient } from './create-client.ts'
import type { CallObserver } from './create-client.ts'
import { CsiError } from './csi-error.ts'
import { GetMetadataAllocatedResponse, ProbeResponse } from './generated/csi/v1/csi.ts'
import { joinTransport } from './join.ts'
import { outcomeOf } from './outcome-of.ts'
import { CSI_SERVICES } from './rpc.ts'
import type { CsiMethods, Driver } from './rpc.ts'
import { defineTestDriver } from './testing/start-test-driver.ts'
import type { Transport, TransportCall } from './transport.ts'

type Observed = Parameters<CallObserver>[0]
type Opened = { driver: Driver; clock: SimulatedClock; observed: Observed[] }

function open(transport: Partial<Transport>, timeoutMs?: number): Opened {
  const clock = createSimulatedClock()
  const observed: Observed[] = []
  const all: Transport = {
    unary: () => assert.fail('not expected'),
    serverStream: () => assert.fail('not expected'),
    ...transport,
  }
  const observe: CallObserver = (call) => void observed.push(call)
  return {
    driver: createClient<CsiMethods>(CSI_SERVICES, {
      transport: all,
      clock,
      observe,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }),
    clock,
    observed,
  }
}

const errorOf = async (call: Promise<unknown>): Promise<CsiError> => {
  const error: unknown = await call.then(
    () => assert.fail('the call should have failed'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof CsiError, String(error))
  return error
}

const READY = ProbeResponse.encode({ ready: true }).finish()
const GARBAGE = Uint8Array.of(0x0a, 0xff)

describe('the time limit of a call', () => {
  // Never answers, but fails when its signal aborts, like a transport.
  const mute: Transport['unary'] = (rpc, _request, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(CsiError.aborted(signal, rpc.name)))
    })

  const limits: [what: string, client: number | undefined, call: number | undefined, limitMs: number][] = [
    ['is 15 s', undefined, undefined, 15_000],
    ["is the client's", 7000, undefined, 7000],
    ["is the call's own before the client's", 7000, 60_000, 60_000],
  ]
  for (const [what, clientMs, callMs, limitMs] of limits) {
    it(what, async () => {
      const calls: TransportCall[] = []
      const { driver, clock, observed } = open(
        { unary: (rpc, request, call) => (calls.push(call), mute(rpc, request, call)) },
        clientMs,
      )
      const call = errorOf(driver.probe({}, callMs === undefined ? {} : { timeoutMs: callMs }))
      assert.equal(calls[0]?.deadlineAtMs, clock.nowMs() + limitMs)
      await clock.advance(limitMs - 1)
      assert.equal(observed.length, 0)
      await clock.advance(1)
      const error = await call
      assert.equal(error.message, `Probe: DeadlineExceeded: no answer within ${limitMs} ms`)
      assert.equal(outcomeOf('Probe', error), 'in-doubt')
      assert.deepEqual(
        observed.map(({ code, tookMs }) => [code, tookMs]),
        [['DEADLINE_EXCEEDED', limitMs]],
      )
    })
  }

  it('leaves neither a timer nor a listener behind, however the call ends', async () => {
    const { signal } = new AbortController()
    const answers = [
      () => Promise.resolve(READY),
      () => Promise.reject(new CsiError('ABORTED', 'no')),
      () => Promise.resolve(GARBAGE),
    ]
    const { driver, clock } = open({
      unary: () => answers.shift()?.() ?? Promise.reject(new Error('no more')),
      serverStream: async function* () {
        yield await Promise.resolve(READY)
      },
    })
    for (let round = 0; round < 3; round++) await driver.probe({}, { signal }).catch(() => {})
    for await (const _ of driver.getMetadataAllocated({}, { signal }));
    for await (const _ of driver.getMetadataAllocated({}, { signal })) break
    assert.equal(clock.pendingTimers(), 0)
    assert.equal(getEventListeners(signal, 'abort').length, 0)
  })

  it('holds under a simulated clock for a driver joined in memory', async () => {
    const server = defineTestDriver({ getCapacity: () => new Promise(() => {}) })
    const { driver, clock } = open(joinTransport(server))
    const call = errorOf(driver.getCapacity({}, { timeoutMs: 3_600_000 }))
    await clock.advance(3_600_000)
    assert.equal((await call).code, 'DEADLINE_EXCEEDED')
  })
})

describe('an answer that can not be read', () => {
  it('leaves the call in doubt, without a code', async () => {
    const { driver, observed } = open({ unary: () => Promise.resolve(GARBAGE) })
    const error = await errorOf(driver.createVolume({ name: 'n' }))
    assert.equal(error.message, 'CreateVolume: no gRPC status: the response is not a valid message')
    assert.equal(error.code, undefined)
    assert.equal(outcomeOf('CreateVolume', error), 'in-doubt')
    assert.deepEqual(
      observed.map(({ code, response }) => [code, response]),
      [[undefined, undefined]],
    )
  })

  it('ends a stream and the work of its server', async () => {
    let ended = false
    const { driver } = open({
      serverStream: async function* () {
        try {
          yield GetMetadataAllocatedResponse.encode({
            blockMetadataType: 1,
            volumeCapacityBytes: 1n,
            blockMetadata: [],
          }).finish()
          yield await Promise.resolve(GARBAGE)
        } finally {
          ended = true
        }
      },
    })
    const read = async (): Promise<void> => {
      for await (const _ of driver.getMetadataAllocated({}));
    }
    assert.equal((await errorOf(read())).code, undefined)
    assert.equal(ended, true)
  })
})

describe('the error of a call', () => {
  const secrets = { password: 'hunter2' }
  const thrown: [what: string, reason: unknown][] = [
    ['what the driver said', new CsiError('INTERNAL', 'mount -o password=hunter2 failed', { rpc: 'CreateVolume' })],
    ['what another kind of error said', new TypeError('hunter2 is not iterable')],
    [
      'its cause',
      new CsiError('INTERNAL', 'mount failed', { rpc: 'CreateVolume', cause: new Error('password=hunter2') }),
    ],
    [
      "its cause's cause",
      new CsiError('INTERNAL', 'mount failed', { cause: new Error('exit 1', { cause: 'password=hunter2' }) }),
    ],
  ]
  for (const [what, reason] of thrown) {
    it(`does not repeat secrets of the request from ${what}`, async () => {
      const { driver, observed } = open({ unary: () => Promise.reject(reason) })
      const error = await errorOf(driver.createVolume({ secrets }))
      const seen: string[] = []
      for (let link: unknown = error; link instanceof Error; link = link.cause)
        seen.push(link.message, String(link.stack), JSON.stringify(link))
      assert.doesNotMatch(seen.join('\n'), /hunter2/)
      assert.equal(error.code, reason instanceof CsiError ? 'INTERNAL' : undefined)
      assert.equal(observed[0]?.error, error)
    })
  }

  it('is cut where a driver says too much, and a secret that lies across the cut is not seen', async () => {
    const { driver } = open({
      unary: () =>
        Promise.reject(
          new CsiError('INTERNAL', `${'ä'.repeat(4093)}hunter2${'x'.repeat(100_000)}`, { rpc: 'CreateVolume' }),
        ),
    })
    const error = await errorOf(driver.createVolume({ secrets }))
    assert.equal(error.detail, `${'ä'.repeat(4093)}***…`)
    assert.equal(error.code, 'INTERNAL')
    assert.equal(error.message.length, `CreateVolume: Internal: ${error.detail}`.length)
  })

  it('keeps its cause when that holds no secret', async () => {
    const cause = new Error('socket hang up')
    const { driver } = open({ unary: () => Promise.reject(cause) })
    assert.equal((await errorOf(driver.createVolume({ secrets }))).cause, cause)
  })
})

describe('the observer of calls', () => {
  it('sees request and response, and how long it took', async () => {
    const { driver, clock, observed } = open({
      unary: async () => {
        await clock.advance(40)
        return READY
      },
    })
    await driver.probe({})
    const [{ rpc, request, response, code, error, tookMs } = assert.fail()] = observed
    assert.deepEqual(
      [rpc.path, request, response, code, error, tookMs],
      ['/csi.v1.Identity/Probe', {}, { ready: true }, 'OK', undefined, 40],
    )
  })

  it('is asked once even when it throws', async () => {
    let asked = 0
    const observe = (): never => {
      asked++
      throw new Error('observer failed')
    }
    const transport: Transport = {
      unary: () => Promise.resolve(READY),
      serverStream: () => assert.fail('not expected'),
    }
    const driver = createClient<CsiMethods>(CSI_SERVICES, { transport, clock: createSimulatedClock(), observe })
    await assert.rejects(driver.probe({}), { message: 'observer failed' })
    assert.equal(asked, 1)
  })

  it('hears nothing of a stream that nobody reads', () => {
    const { driver, observed, clock } = open({})
    driver.getMetadataAllocated({})
    assert.deepEqual([observed.length, clock.pendingTimers()], [0, 0])
  })
})
