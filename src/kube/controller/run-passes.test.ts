import { deepEqual, equal, match } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError } from '../../api/api-error.ts'
import type { KubeObject } from '../../api/object.ts'
import type { Reason } from '../../api/reason.ts'
import { createLogger } from '../../base/logger.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { after, DONE, FAILED } from './work-queue.ts'
import { defineController } from './controller-definition.ts'
import type { ControllerDefinition, WaitStep } from './controller-definition.ts'
import { createHoldTable } from './hold-table.ts'
import { createPasses } from './run-passes.ts'

type Step =
  | (WaitStep & { readonly notice?: string })
  | { readonly kind: 'write'; readonly value: number }
  | { readonly kind: 'read' }
  | { readonly kind: 'fail'; readonly error: unknown }
type View = { readonly value: number; readonly memory: number | undefined; readonly read: string | undefined }
type Definition = ControllerDefinition<View, Step, number, { text: string }>

const OBJECT: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name: 'a', uid: 'u1' },
}
const waitFor = (waitsFor?: Reason['waitsFor'], more: Partial<WaitStep> = {}): Step => ({
  kind: 'wait',
  reason: { code: 'Waits', ...(waitsFor ? { waitsFor } : {}) },
  ...more,
})

/** A controller over numbers, whose decisions the test scripts. */
function open(decide: (view: View) => Step, more: Partial<Definition> = {}) {
  const clock = createSimulatedClock()
  const values = new Map<string, number>([['a', 0]])
  const lines: Record<string, unknown>[] = []
  const events: string[] = []
  const enqueued: string[] = []
  const stopping = new AbortController()
  const log = createLogger({
    clock,
    level: 'debug',
    format: 'json',
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  })
  const definition = defineController<View, Step, number, { text: string }>({
    name: 'numbers',
    watch: [],
    view: (key, { memory, reads }) => {
      const value = values.get(key)
      return value === undefined ? undefined : { value, memory, read: reads.text }
    },
    decide,
    perform: {
      wait: ({ notice }, pass) =>
        notice === undefined ? pass.unsay() : pass.say(OBJECT, { type: 'Warning', event: 'Stuck' }, notice),
      write: ({ value }, { key }) => void values.set(key, value),
      read: (_step, pass) => void (pass.reads = { text: 'read' }),
      fail: ({ error }) => Promise.reject(error as Error),
    },
    ...more,
  })
  const passes = createPasses(definition, {
    events: {
      record: (_about, type, reason, message) => void events.push(`${type} ${reason} ${message}`),
      flush: () => Promise.resolve(),
    },
    log,
    signal: stopping.signal,
    holds: createHoldTable(),
    enqueue: (key) => void enqueued.push(key),
  })
  return { passes, values, lines, events, enqueued, stopping }
}

describe('a pass', () => {
  test('that only waits is done without a promise', () => {
    const { passes } = open(() => waitFor())
    equal(passes.run('a'), DONE)
    deepEqual(open(() => waitFor(undefined, { retryInMs: 500 })).passes.run('a'), after(500))
  })

  test('takes steps until the decision is to wait, each on what the one before has changed', async () => {
    const { passes, values } = open(({ value }) => (value < 3 ? { kind: 'write', value: value + 1 } : waitFor()))
    equal(await passes.run('a'), DONE)
    equal(values.get('a'), 3)
  })

  test('that goes round in circles is broken off, and said so', async () => {
    const { passes, values, lines } = open(({ value }) => ({ kind: 'write', value: value + 1 }), { stepLimit: 5 })
    deepEqual(await passes.run('a'), { kind: 'failed' })
    equal(values.get('a'), 5)
    deepEqual(
      lines.filter(({ level }) => level === 'warn').map(({ message, key }) => [message, key]),
      [['a pass took too many steps', 'a']],
    )
  })

  test('keeps what it has read to its end, and no longer', async () => {
    const seen: unknown[] = []
    const { passes } = open(({ read }) => {
      seen.push(read)
      return read === undefined ? { kind: 'read' } : waitFor()
    })
    await passes.run('a')
    await passes.run('a')
    deepEqual(seen, [undefined, 'read', undefined, 'read'])
  })

  test('remembers of a key what its steps say, until the key is gone', async () => {
    const { passes, values } = open(({ memory }) => (memory === undefined ? { kind: 'write', value: 7 } : waitFor()), {
      perform: { write: (_step, pass) => void (pass.memory = 1), read: () => {}, fail: () => {}, wait: () => {} },
    })
    await passes.run('a')
    equal(passes.kept(), 1)
    values.delete('a')
    equal(passes.run('a'), DONE)
    equal(passes.kept(), 0)
  })

  test('ends when a step ends it', async () => {
    const { passes } = open(() => ({ kind: 'read' }), {
      perform: { read: () => after(42), write: () => {}, fail: () => {} },
    })
    deepEqual(await passes.run('a'), after(42))
  })

  test('goes on in another lane when the work has become another', async () => {
    const { passes, values, enqueued } = open(({ value }) => ({ kind: 'write', value: value + 1 }), {
      lane: () => (values.get('a') === 0 ? 'first' : 'second'),
    })
    equal(await passes.run('a'), DONE)
    deepEqual([values.get('a'), enqueued], [1, ['a']])
  })

  test('takes no step while another pass holds its resource, and comes back when that is free', async () => {
    const { passes, values, enqueued } = open(({ value }) => (value < 1 ? { kind: 'write', value: 1 } : waitFor()), {
      resource: () => 'shared',
      perform: {
        read: () => {},
        fail: () => {},
        write: async ({ value }, { key }) => {
          await Promise.resolve()
          values.set(key, value)
        },
      },
    })
    values.set('b', 0)
    const first = passes.run('a')
    deepEqual(await passes.run('b'), DONE)
    equal(values.get('b'), 0)
    await first
    deepEqual(enqueued, ['b'])
    await passes.run('b')
    equal(values.get('b'), 1)
  })

  test('takes steps that need no resource, and ends before the first one whose resource another pass holds', async () => {
    const reads: string[] = []
    const decide = ({ value, read }: View): Step =>
      read === undefined ? { kind: 'read' } : value < 1 ? { kind: 'write', value: 1 } : waitFor()
    const { passes, values, enqueued } = open(decide, {
      resource: (_view, _key, { kind }) => (kind === 'write' ? 'shared' : undefined),
      perform: {
        fail: () => {},
        read: (_step, pass) => {
          reads.push(pass.key)
          pass.reads = { text: 'read' }
        },
        write: async ({ value }, { key }) => {
          if (key === 'a') await passes.run('b')
          values.set(key, value)
        },
      },
    })
    values.set('b', 0)
    await passes.run('a')
    deepEqual([reads, values.get('a'), values.get('b'), enqueued], [['a', 'b'], 1, 0, ['b']])
  })

  test('logs each step, with the reason of a wait', async () => {
    const { passes, lines } = open(({ value }) => (value === 0 ? { kind: 'write', value: 1 } : waitFor()))
    await passes.run('a')
    deepEqual(
      lines.map(({ controller, key, pass, step, reason }) => ({ controller, key, pass, step, reason })),
      [
        { controller: 'numbers', key: 'a', pass: 1, step: 'write', reason: undefined },
        { controller: 'numbers', key: 'a', pass: 1, step: 'wait', reason: { code: 'Waits' } },
      ],
    )
  })
})

describe('a key that waits', () => {
  const volume = { kind: 'object', apiVersion: 'v1', kindName: 'PersistentVolume', name: 'pv-1' } as const

  test('is woken by the object that its reason names, once', () => {
    const { passes, enqueued } = open(() => waitFor(volume))
    void passes.run('a')
    passes.report('PersistentVolume pv-2')
    passes.report('PersistentVolume pv-1')
    passes.report('PersistentVolume pv-1')
    deepEqual(enqueued, ['a'])
  })

  test('is woken by a report of another part', () => {
    const { passes, enqueued } = open(() => waitFor(undefined, { wakeOn: ['call ended'] }))
    void passes.run('a')
    passes.report('call ended')
    deepEqual(enqueued, ['a'])
  })

  test('is no longer woken by what it waited for before', async () => {
    let awaited: Reason['waitsFor'] | undefined = volume
    const { passes, enqueued } = open(() => waitFor(awaited))
    await passes.run('a')
    awaited = { ...volume, name: 'pv-2' }
    await passes.run('a')
    passes.report('PersistentVolume pv-1')
    deepEqual(enqueued, [])
  })

  test('is woken after a step that failed, when the step says for what', async () => {
    const reason: Reason = { code: 'Refused', waitsFor: { kind: 'object', kindName: 'Secret', name: 's' } }
    const { passes, enqueued } = open(() => ({ kind: 'read' }), {
      perform: {
        write: () => {},
        fail: () => {},
        read: (_step, pass) => {
          pass.waitFor({ reason, wakeOn: ['nodes changed'] })
          return FAILED
        },
      },
    })
    deepEqual(await passes.run('a'), FAILED)
    passes.report('Secret s')
    deepEqual(enqueued, ['a'])
    await passes.run('a')
    passes.report('nodes changed')
    deepEqual(enqueued, ['a', 'a'])
  })
  test('says why once, again when the reason changes, and again after all was well', () => {
    let notice: string | undefined = 'no room'
    const { passes, events } = open(() => ({
      kind: 'wait',
      reason: { code: 'Waits' },
      ...(notice === undefined ? {} : { notice }),
    }))
    const said: (string | undefined)[] = ['no room', 'no room', 'no rights', undefined, 'no rights']
    for (notice of said) void passes.run('a')
    deepEqual(events, ['Warning Stuck no room', 'Warning Stuck no rights', 'Warning Stuck no rights'])
  })
})

describe('an error', () => {
  const failing = (error: unknown, more: Partial<Definition> = {}) => open(() => ({ kind: 'fail', error }), more)

  test('is logged once with its key, and tried again later', async () => {
    const { passes, lines } = failing(new Error('no room'))
    deepEqual(await passes.run('a'), { kind: 'failed' })
    deepEqual(
      lines.filter(({ level }) => level === 'warn').map(({ key, error }) => [key, error]),
      [['a', { message: 'no room' }]],
    )
  })

  test('that only says that the view was old alarms nobody', async () => {
    const { passes, lines } = failing(new ApiError('Conflict', 'modified'))
    deepEqual(await passes.run('a'), { kind: 'failed' })
    deepEqual(
      lines.filter(({ level }) => level === 'warn'),
      [],
    )
  })

  test('about an object that is gone waits for the cache', async () => {
    deepEqual(await failing(new ApiError('NotFound', 'gone')).passes.run('a'), after(1000))
  })

  test('that another try does not change is told once as an event', async () => {
    const { passes, events } = failing(new ApiError('Forbidden', 'you may not'), {
      report: { event: 'FailedWrite', about: () => OBJECT },
    })
    await passes.run('a')
    await passes.run('a')
    deepEqual(events, ['Warning FailedWrite you may not'])
  })

  test('may be decided by the controller itself', async () => {
    const { passes, lines } = failing(new Error('busy'), { onError: () => after(9) })
    deepEqual(await passes.run('a'), after(9))
    deepEqual(
      lines.filter(({ level }) => level === 'warn'),
      [],
    )
  })

  test('thrown while an error is decided takes its place', async () => {
    const { passes, lines } = failing(new Error('first'), { onError: () => Promise.reject(new Error('second')) })
    deepEqual(await passes.run('a'), { kind: 'failed' })
    match(JSON.stringify(lines.at(-1)), /second/)
  })

  test('after the controller was stopped is nobody’s concern', async () => {
    const { passes, lines, stopping } = failing(new Error('aborted'))
    stopping.abort(new Error('stopped'))
    equal(await passes.run('a'), DONE)
    deepEqual(
      lines.filter(({ level }) => level === 'warn'),
      [],
    )
  })
})
