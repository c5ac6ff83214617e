import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { createSystemClock } from '../../base/clock.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createTracer } from '../../base/tracing/index.ts'
import type { Span, Tracer } from '../../base/tracing/index.ts'
import { CODES } from '../codes.ts'
import { CsiError, isCsiError } from '../csi-error.ts'
import { BlockMetadataType, VolumeCapability_AccessMode_Mode as AccessMode } from '../generated/csi/v1/csi.ts'
import { outcomeOf } from '../outcome-of.ts'
import type { CallObserver } from '../create-client.ts'
import type { CsiHandlers, Dispatcher } from '../kit/index.ts'
import type { CallContext, Driver } from '../rpc.ts'
import { defineTestDriver } from './start-test-driver.ts'
import { MOUNT, streamOf, VALID_CALLS } from './valid-calls.ts'

/** Puts a server behind a transport for the duration of one test. */
export type OpenTransport = (test: TestContext, server: Dispatcher, options?: TransportOptions) => Promise<Driver>

export type TransportOptions = { observe?: CallObserver; tracer?: Tracer }

const CREATE = VALID_CALLS.createVolume.request
const VOLUME = VALID_CALLS.createVolume.answer
const deleteVolume = () => Promise.resolve({})

type CreateVolume = NonNullable<CsiHandlers['createVolume']>
type GetMetadataAllocated = NonNullable<CsiHandlers['getMetadataAllocated']>

async function collect<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = []
  for await (const message of messages) collected.push(message)
  return collected
}

/** What every transport between a client and a driver must do. */
export function describeDriverTransport(name: string, open: OpenTransport): void {
  const openWith = (test: TestContext, handlers: CsiHandlers, options?: TransportOptions): Promise<Driver> =>
    open(test, defineTestDriver(handlers), options)
  const failing = (createVolume: CreateVolume): CsiHandlers => ({ createVolume, deleteVolume })
  const errorOf = async (call: Promise<unknown>): Promise<CsiError> => {
    const error: unknown = await call.then(
      () => assert.fail('the call should have failed'),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof CsiError, String(error))
    return error
  }

  describe(`${name}: answers`, () => {
    it('carries requests and answers unchanged, with maps, numbers beyond 2^53, choices and absent members', async (test) => {
      const request = {
        ...CREATE,
        name: 'größe 😀',
        capacityRange: { requiredBytes: 2n ** 60n, limitBytes: 2n ** 62n + 1n },
        volumeCapabilities: [
          MOUNT,
          {
            accessType: { $case: 'block' as const, value: {} },
            accessMode: { mode: AccessMode.MULTI_NODE_MULTI_WRITER },
          },
        ],
        parameters: { 'a/b': '1', '': 'empty key' },
        secrets: { password: 'hunter2' },
        volumeContentSource: { type: { $case: 'snapshot' as const, value: { snapshotId: 's' } } },
        accessibilityRequirements: { requisite: [{ segments: { zone: 'a' } }, { segments: {} }], preferred: [] },
        mutableParameters: {},
      }
      const volume = {
        capacityBytes: 2n ** 60n,
        volumeId: 'v',
        volumeContext: { k: 'v' },
        contentSource: undefined,
        accessibleTopology: [],
      }
      let received: unknown
      const createVolume: CreateVolume = (seen) => {
        received = seen
        return Promise.resolve({ volume })
      }
      const driver = await openWith(test, { createVolume, deleteVolume })
      assert.deepEqual(await driver.createVolume(request), { volume })
      assert.deepEqual(received, request)
    })

    it('tells an absent value from a zero one', async (test) => {
      const answers = [{ availableCapacity: 5n }, { availableCapacity: 5n, maximumVolumeSize: 0n }]
      const driver = await openWith(test, { getCapacity: () => Promise.resolve(answers.shift() ?? {}) })
      assert.equal((await driver.getCapacity({})).maximumVolumeSize, undefined)
      assert.equal((await driver.getCapacity({})).maximumVolumeSize, 0n)
    })

    it('serves what the kit answers by itself', async (test) => {
      const driver = await openWith(test, {})
      assert.equal((await driver.getPluginInfo({})).name, 'test.holdfast.dev')
      assert.deepEqual(await driver.probe({}), { ready: true })
    })

    it('carries an answer of several megabytes', async (test) => {
      const entries = Array.from({ length: 20_000 }, (_, index) => ({
        volume: { volumeId: `volume-${index}`, volumeContext: { note: 'x'.repeat(200) } },
      }))
      const driver = await openWith(test, { listVolumes: () => Promise.resolve({ entries }) })
      const answer = await driver.listVolumes({})
      assert.equal(answer.entries.length, entries.length)
      assert.equal(answer.entries.at(-1)?.volume?.volumeId, 'volume-19999')
    })

    it('keeps many calls at once apart', async (test) => {
      const createVolume: CreateVolume = async ({ name: wanted }) => {
        await Promise.resolve()
        return { volume: { volumeId: `id of ${wanted}` } }
      }
      const driver = await openWith(test, { createVolume, deleteVolume })
      const names = Array.from({ length: 200 }, (_, index) => `n${index}`)
      const made = await Promise.all(names.map((wanted) => driver.createVolume({ ...CREATE, name: wanted })))
      assert.deepEqual(
        made.map(({ volume }) => volume?.volumeId),
        names.map((wanted) => `id of ${wanted}`),
      )
    })

    it('does not tell the handler that its caller has gone once it has answered', async (test) => {
      const signals: AbortSignal[] = []
      const createVolume: CreateVolume = ({ name: wanted }, { signal }) => {
        signals.push(signal)
        return wanted === 'bad' ? Promise.reject(new CsiError('NOT_FOUND', 'no')) : Promise.resolve(VOLUME)
      }
      const driver = await openWith(test, { createVolume, deleteVolume })
      await driver.createVolume(CREATE)
      await errorOf(driver.createVolume({ ...CREATE, name: 'bad' }))
      // Another complete round trip, so that late effects of the first two calls have arrived.
      await driver.createVolume(CREATE)
      assert.deepEqual(
        signals.map(({ aborted }) => aborted),
        [false, false, false],
      )
    })
  })

  describe(`${name}: errors`, () => {
    for (const code of CODES.filter((each) => each !== 'OK' && each !== 'UNKNOWN')) {
      it(`carries ${code} with the driver's own words`, async (test) => {
        const driver = await openWith(
          test,
          failing(() => Promise.reject(new CsiError(code, 'because: 100%'))),
        )
        const error = await errorOf(driver.createVolume(CREATE))
        assert.deepEqual([error.code, error.detail, error.rpc], [code, 'because: 100%', 'CreateVolume'])
      })
    }

    const details: [what: string, detail: string, arrives: string][] = [
      ['nothing', '', 'the driver gave no reason'],
      ['several lines', 'first\nsecond\r\n\tthird', 'first\nsecond\r\n\tthird'],
      ['other alphabets', 'größe 体积 😀', 'größe 体积 😀'],
      ['half a character', 'a\ud800b', 'a\ufffdb'],
      ['a whole megabyte', 'x'.repeat(1024 * 1024), `${'x'.repeat(4096)}…`],
      ['a text cut within a character', `${'x'.repeat(4095)}😀`, `${'x'.repeat(4095)}\ufffd…`],
    ]
    for (const [what, detail, arrives] of details) {
      it(`carries an error that says ${what}`, async (test) => {
        const driver = await openWith(
          test,
          failing(() => Promise.reject(new CsiError('NOT_FOUND', detail))),
        )
        const error = await errorOf(driver.createVolume(CREATE))
        assert.deepEqual([error.code, error.detail], ['NOT_FOUND', arrives])
      })
    }

    it('makes INTERNAL of what a handler throws by mistake, also at once', async (test) => {
      const thrown: unknown[] = [new TypeError('x is not a function'), 'a text', undefined]
      const createVolume = (): Promise<never> => {
        throw thrown.shift()
      }
      const driver = await openWith(test, failing(createVolume))
      for (const detail of ['x is not a function', 'a text', 'undefined']) {
        const error = await errorOf(driver.createVolume(CREATE))
        assert.deepEqual([error.code, error.detail], ['INTERNAL', detail])
      }
    })

    it('answers UNIMPLEMENTED for what the driver leaves out', async (test) => {
      const driver = await openWith(test, {})
      assert.equal((await errorOf(driver.createVolume(CREATE))).code, 'UNIMPLEMENTED')
      await assert.rejects(collect(driver.getMetadataAllocated({ snapshotId: 's' })), (error) =>
        isCsiError(error, 'UNIMPLEMENTED'),
      )
    })

    it('checks requests and answers on the way', async (test) => {
      const driver = await openWith(
        test,
        failing(() => Promise.resolve({ volume: {} })),
      )
      assert.equal((await errorOf(driver.createVolume({}))).code, 'INVALID_ARGUMENT')
      assert.equal((await errorOf(driver.createVolume(CREATE))).code, 'INTERNAL')
    })

    it("hides the request's secrets in what the driver says, and carries none of its causes", async (test) => {
      const refused = new CsiError('FAILED_PRECONDITION', 'login with hunter2 failed', {
        cause: new Error('mount -o password=hunter2'),
      })
      const quiet = new CsiError('FAILED_PRECONDITION', 'login failed', {
        cause: new Error('mount -o password=hunter2'),
      })
      const driver = await openWith(
        test,
        failing(({ name: wanted }) => Promise.reject(wanted === 'quiet' ? quiet : refused)),
      )
      for (const wanted of ['loud', 'quiet']) {
        const error = await errorOf(driver.createVolume({ ...CREATE, name: wanted, secrets: { password: 'hunter2' } }))
        assert.equal(error.code, 'FAILED_PRECONDITION')
        assert.equal(error.cause, undefined)
        assert.doesNotMatch(`${error.message} ${error.detail} ${error.stack}`, /hunter2/)
      }
    })

    it('surely fails a request that has no wire form, without calling the driver', async (test) => {
      const driver = await openWith(
        test,
        failing(() => assert.fail('must not be called')),
      )
      const error = await errorOf(driver.createVolume({ ...CREATE, capacityRange: { requiredBytes: 2n ** 70n } }))
      assert.equal(outcomeOf('CreateVolume', error), 'failed')
      assert.match(error.message, /^CreateVolume: InvalidArgument: the request can't be encoded: /)
    })
  })

  describe(`${name}: traces`, () => {
    const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
    const traced = async (test: TestContext) => {
      const spans: Span[] = []
      const tracer = createTracer({ clock: createSystemClock(), random: createSeededRandom(1) }, (span) =>
        spans.push(span),
      )
      const received: CallContext['trace'][] = []
      const createVolume: CreateVolume = (_request, { trace }) => {
        received.push(trace)
        return Promise.resolve(VOLUME)
      }
      return { tracer, spans, received, driver: await openWith(test, { createVolume, deleteVolume }, { tracer }) }
    }
    it('carries the span of a call that is made in a step', async (test) => {
      const { tracer, spans, received, driver } = await traced(test)
      await tracer.step([TRACE], { name: 'create' }, () => driver.createVolume(CREATE))
      const [call] = spans
      assert.equal(call?.name, 'CreateVolume')
      assert.deepEqual(received, [{ traceId: TRACE, spanId: call?.spanId }])
    })
    it('carries none for other calls', async (test) => {
      const { spans, received, driver } = await traced(test)
      await driver.createVolume(CREATE)
      assert.deepEqual(received, [undefined])
      assert.deepEqual(spans, [])
    })
  })

  describe(`${name}: giving up`, () => {
    // A handler that reports when it runs and what its signal did, and ends on command.
    const hanging = () => {
      const started = Promise.withResolvers<void>()
      const aborted = Promise.withResolvers<unknown>()
      const mayEnd = Promise.withResolvers<void>()
      const work = async ({ signal }: CallContext): Promise<void> => {
        signal.addEventListener('abort', () => aborted.resolve(signal.reason))
        started.resolve()
        await mayEnd.promise
      }
      const createVolume: CreateVolume = async (_request, call) => {
        await work(call)
        return VOLUME
      }
      return {
        createVolume,
        deleteVolume,
        work,
        started: started.promise,
        aborted: aborted.promise,
        end: mayEnd.resolve,
      }
    }
    const isGone = (reason: unknown): void =>
      assert.ok(isCsiError(reason, 'CANCELLED') && /caller disconnected/.test(reason.message), String(reason))

    it('fails with DEADLINE_EXCEEDED after the time limit, and the handler is told', async (test) => {
      const { createVolume, aborted, end } = hanging()
      const driver = await openWith(test, { createVolume, deleteVolume })
      // Connects first, so that the timeout covers only the call.
      await driver.probe({})
      const error = await errorOf(driver.createVolume(CREATE, { timeoutMs: 200 }))
      assert.equal(error.message, 'CreateVolume: DeadlineExceeded: no answer within 200 ms')
      isGone(await aborted)
      end()
    })

    it('fails with CANCELLED when the caller cancels, and the handler is told', async (test) => {
      const { createVolume, started, aborted, end } = hanging()
      const driver = await openWith(test, { createVolume, deleteVolume })
      const controller = new AbortController()
      const call = errorOf(driver.createVolume(CREATE, { signal: controller.signal }))
      await started
      const reason = new Error('stopping')
      controller.abort(reason)
      const error = await call
      assert.equal(error.message, 'CreateVolume: Canceled: cancelled by the caller')
      assert.equal(error.cause, reason)
      assert.equal(outcomeOf('CreateVolume', error), 'in-doubt')
      isGone(await aborted)
      end()
    })

    it('does not call the driver when the caller has cancelled before', async (test) => {
      const driver = await openWith(test, {
        ...failing(() => assert.fail('must not be called')),
        getMetadataAllocated: () => assert.fail('must not be called'),
      })
      const signal = AbortSignal.abort()
      assert.equal((await errorOf(driver.createVolume(CREATE, { signal }))).code, 'CANCELLED')
      assert.equal(
        (await errorOf(collect(driver.getMetadataAllocated({ snapshotId: 's' }, { signal })))).code,
        'CANCELLED',
      )
    })

    it('keeps the lock of a call that was given up until its work has ended', async (test) => {
      const { createVolume, started, end } = hanging()
      const driver = await openWith(test, { createVolume, deleteVolume })
      const controller = new AbortController()
      const call = errorOf(driver.createVolume(CREATE, { signal: controller.signal }))
      await started
      controller.abort()
      await call
      assert.equal(
        (await errorOf(driver.createVolume(CREATE))).message,
        'CreateVolume: Aborted: an operation is already pending for volume name n',
      )
      end()
      const isStillPending = async (): Promise<boolean> => {
        const error: unknown = await driver.createVolume(CREATE).catch((reason: unknown) => reason)
        assert.ok(!(error instanceof Error) || isCsiError(error, 'ABORTED'), String(error))
        return error instanceof Error
      }
      while (await isStillPending());
    })

    it('cancels on the server a stream whose reader stops early', async (test) => {
      const { work, aborted, end } = hanging()
      const returned = Promise.withResolvers<AbortSignal>()
      const getMetadataAllocated: GetMetadataAllocated = async function* (_request, call) {
        try {
          yield { volumeCapacityBytes: 1n }
          await work(call)
          yield { volumeCapacityBytes: 2n }
        } finally {
          returned.resolve(call.signal)
        }
      }
      const driver = await openWith(test, { getMetadataAllocated })
      for await (const { volumeCapacityBytes } of driver.getMetadataAllocated({ snapshotId: 's' })) {
        assert.equal(volumeCapacityBytes, 1n)
        break
      }
      // In memory, nothing requests the second message, so the handler may never get to its work.
      await Promise.race([aborted, returned.promise])
      end()
      isGone((await returned.promise).reason)
    })

    it('fails a stream with DEADLINE_EXCEEDED in its middle', async (test) => {
      const { work, aborted, end } = hanging()
      const getMetadataAllocated: GetMetadataAllocated = async function* (_request, call) {
        yield { volumeCapacityBytes: 1n }
        await work(call)
      }
      const driver = await openWith(test, { getMetadataAllocated })
      await driver.probe({})
      const received: bigint[] = []
      const read = async (): Promise<void> => {
        for await (const { volumeCapacityBytes } of driver.getMetadataAllocated(
          { snapshotId: 's' },
          { timeoutMs: 200 },
        ))
          received.push(volumeCapacityBytes)
      }
      assert.equal((await errorOf(read())).message, 'GetMetadataAllocated: DeadlineExceeded: no answer within 200 ms')
      assert.deepEqual(received, [1n])
      isGone(await aborted)
      end()
    })
  })

  describe(`${name}: streams`, () => {
    const block = (byteOffset: bigint) => ({
      blockMetadataType: BlockMetadataType.VARIABLE_LENGTH,
      volumeCapacityBytes: 100n,
      blockMetadata: [{ byteOffset, sizeBytes: 1n }],
    })

    it('carries no message, one, and many, in order', async (test) => {
      const getMetadataAllocated: GetMetadataAllocated = ({ maxResults }) =>
        streamOf(Array.from({ length: maxResults }, (_, index) => block(BigInt(index))))
      const driver = await openWith(test, { getMetadataAllocated })
      for (const count of [0, 1, 500]) {
        const received = await collect(driver.getMetadataAllocated({ snapshotId: 's', maxResults: count }))
        assert.deepEqual(
          received,
          Array.from({ length: count }, (_, index) => block(BigInt(index))),
        )
      }
    })

    it('lets a slow reader hold back the driver', async (test) => {
      let made = 0
      const getMetadataAllocated: GetMetadataAllocated = async function* () {
        const blockMetadata = Array.from({ length: 5000 }, (_, index) => ({
          byteOffset: BigInt(index) << 40n,
          sizeBytes: 1n,
        }))
        for (; made < 100; made++) yield { blockMetadata }
      }
      const driver = await openWith(test, { getMetadataAllocated })
      const messages = driver.getMetadataAllocated({ snapshotId: 's' })[Symbol.asyncIterator]()
      await messages.next()
      // Other calls keep the event loop busy while nothing is being read.
      for (let round = 0; round < 100; round++) await driver.probe({})
      assert.ok(made < 100, `${made} messages were made for a reader of one`)
      let read = 1
      while (!(await messages.next()).done) read++
      assert.equal(read, 100)
    })

    it('gives the messages before an error, then the error', async (test) => {
      const getMetadataAllocated: GetMetadataAllocated = async function* () {
        yield await Promise.resolve(block(1n))
        throw new CsiError('OUT_OF_RANGE', 'starting_offset is beyond the end')
      }
      const driver = await openWith(test, { getMetadataAllocated })
      const received: unknown[] = []
      const read = async (): Promise<void> => {
        for await (const message of driver.getMetadataAllocated({ snapshotId: 's' })) received.push(message)
      }
      const error = await errorOf(read())
      assert.deepEqual(
        [error.code, error.detail, error.rpc],
        ['OUT_OF_RANGE', 'starting_offset is beyond the end', 'GetMetadataAllocated'],
      )
      assert.deepEqual(received, [block(1n)])
    })

    it('checks the request of a stream', async (test) => {
      const driver = await openWith(test, { getMetadataAllocated: () => assert.fail('must not be called') })
      assert.equal((await errorOf(collect(driver.getMetadataAllocated({})))).code, 'INVALID_ARGUMENT')
    })
  })

  describe(`${name}: observation`, () => {
    it('is told once about every call, with its code', async (test) => {
      const seen: string[] = []
      const observe: CallObserver = ({ rpc, code, error, tookMs }) => {
        assert.ok(tookMs >= 0)
        seen.push(`${rpc.name} ${code} ${error?.code}`)
      }
      const getMetadataAllocated = () => streamOf([{ volumeCapacityBytes: 1n }, { volumeCapacityBytes: 2n }])
      const driver = await openWith(
        test,
        { ...failing(() => Promise.reject(new CsiError('NOT_FOUND', 'no'))), getMetadataAllocated },
        { observe },
      )
      await driver.probe({})
      await errorOf(driver.createVolume(CREATE))
      await collect(driver.getMetadataAllocated({ snapshotId: 's' }))
      for await (const _ of driver.getMetadataAllocated({ snapshotId: 's' })) break
      await errorOf(collect(driver.getMetadataDelta({ baseSnapshotId: 's', targetSnapshotId: 't' })))
      assert.deepEqual(seen, [
        'Probe OK undefined',
        'CreateVolume NOT_FOUND NOT_FOUND',
        'GetMetadataAllocated OK undefined',
        'GetMetadataAllocated CANCELLED undefined',
        'GetMetadataDelta UNIMPLEMENTED UNIMPLEMENTED',
      ])
    })
  })
}
