import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createLogger } from '../../base/logger.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import type { LeaderElection, LeaderState } from './leader-election.ts'
import type { RunningRole } from './running-role.ts'
import { START_LIMIT_MS, STOP_LIMIT_MS, superviseRole } from './supervise-role.ts'
import type { Leadership, SupervisedParts, SupervisedRole } from './supervise-role.ts'

/** Elections that the test controls: the newest one changes its state. */
function scriptedElections(events: string[]) {
  let current = {
    listeners: new Set<(state: LeaderState) => void>(),
    state: { kind: 'following', holder: 'other' } as LeaderState,
  }
  const campaign = (): LeaderElection => {
    const own = {
      listeners: new Set<(state: LeaderState) => void>(),
      state: { kind: 'following', holder: 'other' } as LeaderState,
    }
    current = own
    events.push('campaigns')
    return {
      state: () => own.state,
      isLeading: () => own.state.kind === 'leading',
      renewedMs: () => undefined,
      onChange: (listener) => {
        own.listeners.add(listener)
        return () => void own.listeners.delete(listener)
      },
      stop: async () => void events.push('gives the lease back'),
    }
  }
  const move = (next: LeaderState): void => {
    current.state = next
    for (const listener of [...current.listeners]) listener(next)
  }
  let term = 0
  return {
    campaign,
    lead: () => move({ kind: 'leading', term: ++term }),
    lose: () => move({ kind: 'following', holder: 'other' }),
  }
}

function open(
  start: (events: string[]) => SupervisedParts['start'],
  { kind = 'none' }: { kind?: Leadership['kind'] } = {},
) {
  const clock = createSimulatedClock()
  const events: string[] = []
  const lines: string[] = []
  const log = createLogger({ clock, format: 'json', write: (line) => void lines.push(line) })
  const elections = scriptedElections(events)
  const leadership: Leadership =
    kind === 'none'
      ? { kind }
      : kind === 'own'
        ? { kind, campaign: elections.campaign }
        : { kind, election: elections.campaign() }
  const role: SupervisedRole = superviseRole({
    name: 'r',
    start: start(events),
    leadership,
    clock,
    random: createSeededRandom(1),
    log,
  })
  return { clock, events, lines, role, ...elections }
}

const wellBehaved = (events: string[]) => async (): Promise<RunningRole> => {
  events.push('starts')
  return { isIdle: () => true, stop: async () => void events.push('stops') }
}
const forever = (): Promise<never> => new Promise(() => {})

describe('a supervised role', () => {
  test('works at once where there is no election', async () => {
    const { clock, role, events } = open(wellBehaved)
    await clock.advance(0)
    equal(role.state().kind, 'working')
    await role.stop()
    deepEqual(events, ['starts', 'stops'])
    equal(role.state().kind, 'stopped')
  })

  test('S3-138, S3-140: works only while its replica leads, again and again', async () => {
    const { clock, role, events, lead, lose } = open(wellBehaved, { kind: 'own' })
    await clock.advance(0)
    deepEqual(role.state(), { kind: 'waiting', why: 'another replica leads' })
    lead()
    await clock.advance(0)
    equal(role.state().kind, 'working')
    lose()
    await clock.advance(0)
    equal(role.state().kind, 'waiting')
    lead()
    await clock.advance(0)
    await role.stop()
    deepEqual(events, ['campaigns', 'starts', 'stops', 'starts', 'stops', 'gives the lease back'])
  })

  test('that loses and regains its lease in one moment is started anew', async () => {
    const { clock, role, events, lead, lose } = open(wellBehaved, { kind: 'own' })
    lead()
    await clock.advance(0)
    lose()
    lead()
    await clock.advance(0)
    await role.stop()
    deepEqual(events, ['campaigns', 'starts', 'stops', 'starts', 'stops', 'gives the lease back'])
  })

  test('that fails to start gives its lease back and comes back later', async () => {
    let tries = 0
    const failing = (events: string[]) => async (): Promise<RunningRole> => {
      if (++tries < 3) throw new Error('the cache can not be filled')
      return wellBehaved(events)()
    }
    const { clock, role, events, lead } = open(failing, { kind: 'own' })
    for (const waitMs of [1000, 2000]) {
      lead()
      await clock.advance(0)
      equal(role.state().kind, 'failed')
      await clock.advance(waitMs - 1)
      equal(role.state().kind, 'failed')
      await clock.advance(1)
      equal(role.state().kind, 'waiting')
    }
    lead()
    await clock.advance(0)
    deepEqual([role.state().kind, tries], ['working', 3])
    deepEqual(events, ['campaigns', 'gives the lease back', 'campaigns', 'gives the lease back', 'campaigns', 'starts'])
    await role.stop()
  })

  test('that fails keeps a lease which others share', async () => {
    const { clock, role, events, lead } = open(() => () => Promise.reject(new Error('no')), { kind: 'shared' })
    lead()
    await clock.advance(60_000)
    equal(role.state().kind, 'failed')
    await role.stop()
    deepEqual(events, ['campaigns'])
  })

  test('that can not go on is stopped and comes back', async () => {
    const failures: ((error: Error) => void)[] = []
    const breaking = (events: string[]) => async (): Promise<RunningRole> => {
      const { promise, reject } = Promise.withResolvers<never>()
      failures.push(reject)
      return { ...(await wellBehaved(events)()), failed: promise }
    }
    const { clock, role, events, lines } = open(breaking)
    await clock.advance(0)
    failures[0]?.(new Error('its loop broke'))
    await clock.advance(0)
    equal(role.state().kind, 'failed')
    await clock.advance(1000)
    deepEqual([role.state().kind, events], ['working', ['starts', 'stops', 'starts']])
    match(lines.join(''), /its loop broke/)
    await role.stop()
  })

  test('can be stopped while it waits to start again', async () => {
    const { clock, role } = open(() => () => Promise.reject(new Error('no')))
    await clock.advance(0)
    await role.stop()
    deepEqual([role.state().kind, clock.pendingTimers()], ['stopped', 0])
  })

  test('that hangs while it starts is reported, cut off, and started again', async () => {
    const fences: AbortSignal[] = []
    const hanging = () => (_ending: AbortSignal, fence: AbortSignal) => {
      fences.push(fence)
      return forever()
    }
    const { clock, role, lines, events, lead } = open(hanging, { kind: 'own' })
    lead()
    await clock.advance(START_LIMIT_MS - 1)
    deepEqual([role.state().kind, fences.map(({ aborted }) => aborted)], ['starting', [false]])
    match(lines.join(''), /still starting/)
    await clock.advance(1)
    deepEqual([role.state().kind, fences.map(({ aborted }) => aborted)], ['failed', [true]])
    match(lines.join(''), /did not start within 120 s/)
    await clock.advance(1000)
    lead()
    await clock.advance(0)
    equal(fences.length, 2)
    deepEqual(events, ['campaigns', 'gives the lease back', 'campaigns'])
    void role.stop()
    await clock.advance(STOP_LIMIT_MS)
    equal(role.state().kind, 'stopped')
  })

  test('that comes up after it was given up is stopped again', async () => {
    const late = Promise.withResolvers<RunningRole>()
    const { clock, role, events } = open(() => () => late.promise)
    await clock.advance(START_LIMIT_MS)
    equal(role.state().kind, 'failed')
    late.resolve(await wellBehaved(events)())
    await clock.advance(0)
    deepEqual(events, ['starts', 'stops'])
    await role.stop()
  })

  test('that hangs while it stops is left behind, cut off, and its lease is given back', async () => {
    const fences: AbortSignal[] = []
    const stubborn =
      () =>
      async (_ending: AbortSignal, fence: AbortSignal): Promise<RunningRole> => {
        fences.push(fence)
        return { isIdle: () => false, stop: forever }
      }
    const { clock, role, lines, events, lead } = open(stubborn, { kind: 'own' })
    lead()
    await clock.advance(0)
    void role.stop()
    await clock.advance(STOP_LIMIT_MS - 1)
    deepEqual([fences[0]?.aborted, events], [false, ['campaigns']])
    await clock.advance(1)
    deepEqual([fences[0]?.aborted, events, role.state().kind], [true, ['campaigns', 'gives the lease back'], 'stopped'])
    match(lines.join(''), /does not stop: it is cut off and left behind/)
    equal(clock.pendingTimers(), 0)
  })

  test('S3-140: is cut off the moment its lease is lost, even if it does not stop, and works again when it is regained', async () => {
    const fences: AbortSignal[] = []
    const stubborn =
      () =>
      async (_ending: AbortSignal, fence: AbortSignal): Promise<RunningRole> => {
        fences.push(fence)
        return { isIdle: () => false, stop: forever }
      }
    const { clock, role, lead, lose } = open(stubborn, { kind: 'own' })
    lead()
    await clock.advance(0)
    lose()
    equal(fences[0]?.aborted, true)
    lead()
    await clock.advance(STOP_LIMIT_MS)
    deepEqual([role.state().kind, fences.map(({ aborted }) => aborted)], ['working', [true, false]])
    void role.stop()
    await clock.advance(STOP_LIMIT_MS)
  })

  test('that starts and fails in a circle waits longer and longer', async () => {
    let starts = 0
    const broken = () => async (): Promise<RunningRole> => {
      starts++
      return { isIdle: () => true, stop: async () => {}, failed: Promise.reject(new Error('at once')) }
    }
    const { clock, role } = open(broken)
    await clock.advance(600_000)
    ok(starts >= 9 && starts <= 11, `${starts} starts in ten minutes`)
    await role.stop()
  })
})
