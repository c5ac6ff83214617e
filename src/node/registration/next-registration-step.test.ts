import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { nextRegistrationStep } from './next-registration-step.ts'
import type { PluginOffer } from './plugin-offer.ts'
import type { PluginRecord, PluginState, RegistrationView } from './registration-view.ts'
import { REASONS } from './reasons.ts'
import type { PublicationState } from './wanted-drivers.ts'

const SOCKET = { path: '/r/a-reg.sock', identity: '1:2:3', via: 'registrar' } as const
const OFFER: PluginOffer = {
  name: 'd',
  endpoint: '/p/csi.sock',
  version: [1, 0, 0],
  requiresPublishPod: false,
  isFlagOpen: false,
}
const REASON = REASONS.NobodyServesSocket

const record = (state: PluginState, rest: Partial<PluginRecord> = {}): PluginRecord => ({
  socket: SOCKET,
  failures: 0,
  state,
  ...rest,
})
const step = (view: Partial<RegistrationView>, socket: RegistrationView['socket'] = SOCKET) =>
  nextRegistrationStep({ socket, nowMs: 1000, record: undefined, ...view })
const registered = (version: number[], isLeaving = false, via: 'registrar' | 'driver' = 'registrar') => ({
  socket: '/r/b-reg.sock',
  version,
  isLeaving,
  via,
})

describe('nextRegistrationStep', () => {
  test('asks a socket that is new', () => deepEqual(step({}), { kind: 'ask', socket: SOCKET }))

  test('waits where there is none', () => equal(step({ socket: undefined }).kind, 'wait'))

  for (const state of [
    { kind: 'offered', offer: OFFER },
    { kind: 'registered', offer: OFFER },
    { kind: 'failed', reason: REASON, retryAtMs: 9e9 },
  ] as const) {
    test(`H22: forgets what is ${state.kind} when the socket has gone or is another one, however long the next try is off`, () => {
      equal(step({ socket: undefined, nowMs: 0, record: record(state) }).kind, 'forget')
      equal(step({ record: record(state) }, { ...SOCKET, identity: '1:2:4' }).kind, 'forget')
    })
  }

  test('waits after a failure, then asks again', () => {
    deepEqual(step({ record: record({ kind: 'failed', reason: REASON, retryAtMs: 1500 }) }), {
      kind: 'wait',
      reason: REASON,
      retryInMs: 500,
    })
    equal(step({ record: record({ kind: 'failed', reason: REASON, retryAtMs: 1000 }) }).kind, 'ask')
  })

  test('asks one that was refused as a duplicate again once the other one is gone or leaving, before its time', () => {
    const failed = record({ kind: 'failed', reason: REASON, retryAtMs: 9e9, duplicateOf: 'd' })
    equal(step({ record: failed }).kind, 'ask')
    equal(step({ record: failed, registered: registered([1], true) }).kind, 'ask')
    const { kind, wakeOn } = step({ record: failed, registered: registered([1]) }) as {
      kind: string
      wakeOn?: string[]
    }
    deepEqual([kind, wakeOn], ['wait', ['driver d']])
    equal(step({ record: record({ kind: 'failed', reason: REASON, retryAtMs: 9e9 }) }).kind, 'wait')
  })

  const offered = record({ kind: 'offered', offer: OFFER })
  const duels: [who: string, other: Parameters<typeof registered>, kind: string][] = [
    ['an equal version', [[1, 0]], 'refuse'],
    ['a higher version', [[1, 0, 1]], 'refuse'],
    ['a lower version', [[0, 9]], 'ask-node'],
    ['a driver whose socket has gone', [[1, 9], true], 'ask-node'],
    ['a driver that was only found', [[1, 9], false, 'driver'], 'ask-node'],
  ]
  for (const [who, other, kind] of duels) {
    test(`a registrar against ${who} of the same name: ${kind}`, () =>
      equal(step({ record: offered, registered: registered(...other) }).kind, kind))
  }
  test('H30: a driver that was only found never puts a registered one aside', () => {
    const found = { ...SOCKET, via: 'driver' as const }
    equal(step({ record: { ...offered, socket: found }, registered: registered([0, 1]) }, found).kind, 'refuse')
  })
  test('asks the driver about the node when nobody has its name', () =>
    deepEqual(step({ record: offered }), { kind: 'ask-node', offer: OFFER }))

  const known = record({ kind: 'known', offer: OFFER })
  const outcomes: [PublicationState | undefined, string][] = [
    [undefined, 'wait'],
    [{ kind: 'pending', reason: REASON }, 'wait'],
    [{ kind: 'refused', reason: REASON }, 'refuse'],
    [{ kind: 'published' }, 'confirm'],
    [{ kind: 'unserved', reason: REASON }, 'confirm'],
  ]
  for (const [publication, kind] of outcomes) {
    test(`S3-34: facts whose publication is ${publication?.kind ?? 'not asked for'}: ${kind}`, () =>
      equal(step({ record: known, ...(publication ? { publication } : {}) }).kind, kind))
  }

  test('waits for the publication, with its reason, until something about the driver changes', () => {
    const pending = REASONS.NotYetPublished('n')
    const waiting = { kind: 'wait', reason: pending, wakeOn: ['driver d'] }
    deepEqual(step({ record: known, publication: { kind: 'pending', reason: pending } }), waiting)
  })

  test('rests when registered, until something about the driver changes', () => {
    const registration = {
      record: record({ kind: 'registered', offer: OFFER }),
      publication: { kind: 'published' },
    } as const
    const resting = { kind: 'wait', reason: REASONS.Registered('d'), retryInMs: undefined, wakeOn: ['driver d'] }
    deepEqual(step(registration), resting)
  })

  test('a duplicate is refused as such, with the socket of the other one', () => {
    const reason = REASONS.DriverRegisteredTwice('d', '/r/b-reg.sock')
    const refused = { kind: 'refuse', offer: OFFER, reason, isDuplicate: true }
    deepEqual(step({ record: offered, registered: registered([1, 0]) }), refused)
  })
  test('H14: asks a registered one again when the time has come', () => {
    const state = { kind: 'registered', offer: OFFER } as const
    equal(step({ record: record(state, { again: { what: 'flag', atMs: 1000 } }) }).kind, 'ask-flag-again')
    equal(step({ record: record(state, { again: { what: 'node', atMs: 1000 } }) }).kind, 'ask-node-again')
    equal(
      (step({ record: record(state, { again: { what: 'node', atMs: 1600 } }) }) as { retryInMs?: number }).retryInMs,
      600,
    )
  })
})

test('one that is registered and whose publication is refused is refused, also when it is time to ask it again', () => {
  const state = { kind: 'registered', offer: OFFER } as const
  const refused = { kind: 'refuse', offer: OFFER, reason: REASON }
  deepEqual(step({ record: record(state), publication: { kind: 'refused', reason: REASON } }), refused)
  deepEqual(
    step({
      record: record(state, { again: { what: 'node', atMs: 1000 } }),
      publication: { kind: 'refused', reason: REASON },
    }),
    refused,
  )
})
