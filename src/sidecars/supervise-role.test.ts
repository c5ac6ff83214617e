import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSilentLogger } from '../base/logger.ts'
import { createSeededRandom } from '../base/random.ts'
import { createSimulatedClock } from '../base/simulated-clock.ts'
import type { LeaderElection, LeaderState } from '../kube/leader-election.ts'
import { superviseRole } from './supervise-role.ts'

/** An election whose outcome the test decides. */
function scriptedElection() {
  const listeners = new Set<(state: LeaderState) => void>()
  let state: LeaderState = { kind: 'following', holder: 'other' }
  const events: string[] = []
  const election: LeaderElection = {
    state: () => state,
    isLeading: () => state.kind === 'leading',
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    stop: async () => void events.push('lease given back'),
  }
  const move = (next: LeaderState): void => {
    state = next
    for (const listener of listeners) listener(next)
  }
  return { election, move, events }
}

function scriptedRole(events: string[]) {
  return async () => {
    events.push('started')
    return { isIdle: () => true, stop: async () => void events.push('stopped') }
  }
}

describe('a supervised role', () => {
  const parts = () => ({ clock: createSimulatedClock(), random: createSeededRandom(1), log: createSilentLogger() })

  test('works at once where there is no election', async () => {
    const world = parts()
    const events: string[] = []
    const role = superviseRole({ name: 'r', start: scriptedRole(events), ...world })
    await world.clock.advance(0)
    equal(role.state().kind, 'working')
    await role.stop()
    deepEqual(events, ['started', 'stopped'])
    equal(role.state().kind, 'stopped')
  })

  test('works only while its replica leads, again and again', async () => {
    const world = parts()
    const { election, move, events } = scriptedElection()
    const role = superviseRole({ name: 'r', start: scriptedRole(events), election, ...world })
    await world.clock.advance(0)
    deepEqual([role.state().kind, events], ['waiting', []])
    move({ kind: 'leading', term: 1 })
    await world.clock.advance(0)
    equal(role.state().kind, 'working')
    move({ kind: 'following', holder: 'other' })
    await world.clock.advance(0)
    equal(role.state().kind, 'waiting')
    move({ kind: 'leading', term: 2 })
    await world.clock.advance(0)
    deepEqual(events, ['started', 'stopped', 'started'])
    await role.stop()
  })

  test('gives its lease back only after its work has ended', async () => {
    const world = parts()
    const { election, move, events } = scriptedElection()
    const role = superviseRole({ name: 'r', start: scriptedRole(events), election, ...world })
    move({ kind: 'leading', term: 1 })
    await world.clock.advance(0)
    await role.stop()
    deepEqual(events, ['started', 'stopped', 'lease given back'])
  })

  test('that fails to start comes back later', async () => {
    const world = parts()
    let tries = 0
    const role = superviseRole({
      name: 'r',
      start: async () => {
        if (++tries < 3) throw new Error('the cache can not be filled')
        return { isIdle: () => true, stop: async () => {} }
      },
      ...world,
    })
    await world.clock.advance(0)
    deepEqual([role.state().kind, tries], ['failed', 1])
    await world.clock.advance(1000)
    deepEqual([role.state().kind, tries], ['failed', 2])
    await world.clock.advance(2000)
    deepEqual([role.state().kind, tries], ['working', 3])
    await role.stop()
  })

  test('can be stopped while it waits to start again', async () => {
    const world = parts()
    const role = superviseRole({ name: 'r', start: () => Promise.reject(new Error('no')), ...world })
    await world.clock.advance(0)
    await role.stop()
    deepEqual([role.state().kind, world.clock.pendingTimers()], ['stopped', 0])
  })
})
