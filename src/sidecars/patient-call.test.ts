import { deepEqual, equal, rejects } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import type { CallOptions } from '../csi/call-options.ts'
import type { Code } from '../csi/codes.ts'
import { CsiError } from '../csi/csi-error.ts'
import { patientCall } from './patient-call.ts'

const BUSY = 'an operation with the given Volume ID vol-1 already exists'
const VOLUME = { volumeId: 'vol-1', nodeId: 'n1' }

/** A driver that answers with these codes in turn, and the timeouts that it saw. */
function start(...codes: readonly (Code | 'OK')[]) {
  const clock = createSimulatedClock()
  const timeouts: (number | undefined)[] = []
  const left = [...codes]
  const call = (_request: object, { timeoutMs }: CallOptions = {}): Promise<unknown> => {
    timeouts.push(timeoutMs)
    const code = left.shift() ?? 'OK'
    return code === 'OK'
      ? Promise.resolve({})
      : Promise.reject(new CsiError(code, BUSY, { rpc: 'ControllerPublishVolume' }))
  }
  const patient = patientCall(call, clock)
  const attempt = async (request: object = VOLUME): Promise<string> => {
    await clock.advance(1000)
    return patient(request, { timeoutMs: 15_000 }).then(
      () => 'OK',
      (error: Error) => error.message,
    )
  }
  return { attempt, timeouts, patient, clock }
}

describe('a call that an earlier one holds up', () => {
  test('gets twice the time after each ABORTED, at most eight times', async () => {
    const { attempt, timeouts } = start('DEADLINE_EXCEEDED', 'ABORTED', 'ABORTED', 'ABORTED', 'ABORTED', 'ABORTED')
    for (let attempts = 0; attempts < 6; attempts++) await attempt()
    deepEqual(timeouts, [15_000, 15_000, 30_000, 60_000, 120_000, 120_000])
  })

  test('says when the first attempt was made, with the same words each time', async () => {
    const { attempt, clock } = start('DEADLINE_EXCEEDED', 'ABORTED', 'ABORTED')
    const firstMs = clock.nowMs() + 1000
    equal(await attempt(), `ControllerPublishVolume: DeadlineExceeded: ${BUSY}`)
    const since = `(the first call was made at ${new Date(firstMs).toISOString().replace('.000Z', 'Z')})`
    equal(await attempt(), `ControllerPublishVolume: Aborted: ${BUSY} ${since}`)
    equal(await attempt(), `ControllerPublishVolume: Aborted: ${BUSY} ${since}`)
  })

  test('a driver that only hangs gets no more time', async () => {
    const { attempt, timeouts } = start('DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED', 'DEADLINE_EXCEEDED')
    for (let attempts = 0; attempts < 3; attempts++) await attempt()
    deepEqual(timeouts, [15_000, 15_000, 15_000])
  })

  for (const end of ['OK', 'INTERNAL', 'UNAVAILABLE'] as const)
    test(`is forgotten after ${end}`, async () => {
      const { attempt, timeouts } = start('ABORTED', end, 'ABORTED')
      await attempt()
      await attempt()
      equal(await attempt(), `ControllerPublishVolume: Aborted: ${BUSY}`)
      deepEqual(timeouts, [15_000, 30_000, 15_000])
    })

  test('has nothing to do with calls for other objects', async () => {
    const { attempt, timeouts } = start('ABORTED', 'ABORTED', 'OK')
    await attempt()
    await attempt({ ...VOLUME, nodeId: 'n2' })
    await attempt({ name: 'pvc-1' })
    deepEqual(timeouts, [15_000, 15_000, 15_000])
  })

  test('has the default timeout of a client if the caller gives none', async () => {
    const { patient, timeouts } = start('ABORTED', 'OK')
    await rejects(patient(VOLUME))
    await patient(VOLUME)
    deepEqual(timeouts, [undefined, 30_000])
  })
})
