import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createSystemClock } from '../base/clock.ts'
import type { CaseInfo } from '../check/case.ts'
import type { ConnectionState } from '../csi/index.ts'
import { watchFailures } from './watch-failures.ts'
import type { WatchParts } from './watch-failures.ts'

const caseOf = (id: string): CaseInfo => ({ id, title: id, clause: '', section: '', needs: [] })
const [A, B] = [caseOf('a'), caseOf('b')]

/** A driver whose connection the test moves. */
function underTest(more: Partial<WatchParts> = {}) {
  const listeners = new Set<(state: ConnectionState) => void>()
  const watching = { resolve: (): void => {} }
  const parts: WatchParts = {
    clock: createSystemClock(),
    stopped: new Promise(() => {}),
    connect: () => ({
      ready: () => Promise.resolve(),
      watch: (listener) => {
        listeners.add(listener)
        watching.resolve()
        return () => listeners.delete(listener)
      },
      close: () => listeners.clear(),
    }),
    stamps: () => Promise.resolve(''),
    say: () => {},
    ...more,
  }
  const untilWatching = (): Promise<void> => new Promise((resolve) => (watching.resolve = resolve))
  const move = (state: ConnectionState): void => listeners.forEach((listener) => listener(state))
  return { parts, move, untilWatching }
}

test('a run without failures is not watched', async () => {
  const { parts } = underTest()
  equal(await watchFailures([A, B], () => Promise.resolve([]), parts), 0)
})

test('only the cases that failed run again when the driver comes back', async () => {
  const { parts, move, untilWatching } = underTest()
  const runs: (readonly CaseInfo[])[] = []
  const run = (cases: readonly CaseInfo[]): Promise<CaseInfo[]> => {
    runs.push(cases)
    return Promise.resolve(runs.length === 1 ? [B] : [])
  }
  const watched = untilWatching()
  const ended = watchFailures([A, B], run, parts)
  await watched
  move({ kind: 'lost', times: 1 })
  move({ kind: 'ready', times: 2 })
  equal(await ended, 0)
  deepEqual(runs, [[A, B], [B]])
})

test('a changed file restarts the driver before the cases run again', async () => {
  const done: string[] = []
  let stamp = 0
  const { parts } = underTest({
    stamps: () => Promise.resolve(String((stamp = Math.min(stamp + 1, 2)))),
    restart: () => Promise.resolve(void done.push('restart')),
  })
  const run = (cases: readonly CaseInfo[]): Promise<CaseInfo[]> => {
    done.push(`run ${cases.map(({ id }) => id).join()}`)
    return Promise.resolve(done.length === 1 ? [A] : [])
  }
  equal(await watchFailures([A, B], run, parts), 0)
  deepEqual(done, ['run a,b', 'restart', 'run a'])
})

test('a user who stops the program gets the failure', async () => {
  const { parts } = underTest({ stopped: Promise.resolve('SIGINT') })
  equal(await watchFailures([A], () => Promise.resolve([A]), parts), 1)
})
