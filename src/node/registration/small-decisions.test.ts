import { deepEqual, equal, throws } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatReason } from '../../api/reason.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { createDriverStore } from './driver-store.ts'
import type { RegisteredDriver } from './driver-store.ts'
import { compareDriverVersions, findSupportedVersion, parseDriverVersion } from './plugin-offer.ts'
import { checkNodeInfo } from './node-facts.ts'
import { REASONS } from './reasons.ts'

describe('versions of a plugin', () => {
  const rows: [string, readonly number[] | undefined][] = [
    ['1.0.0', [1, 0, 0]],
    ['v1.2', [1, 2]],
    ['1', undefined],
    ['', undefined],
    ['x1.0', undefined],
    ['1.2.3-rc1', [1, 2, 3]],
    ['01.0', [1, 0]],
  ]
  for (const [text, expected] of rows)
    test(`${JSON.stringify(text)}`, () => deepEqual(parseDriverVersion(text), expected))

  test('H46: the highest with major 1 counts; others are passed over', () => {
    deepEqual(findSupportedVersion(['0.3.0', '1.0.0', 'v1.10.0', '1.9', '2.0.0', 'soon']), [1, 10, 0])
    equal(findSupportedVersion(['0.3.0', '2.0']), undefined)
  })
  test('missing numbers are zero', () => equal(compareDriverVersions([1, 0], [1, 0, 0]), 0))
})

describe('S3-13: the answer of NodeGetInfo', () => {
  const check = (nodeId: string, maxVolumesPerNode = 0n, segments: Record<string, string> = {}) =>
    checkNodeInfo('d', { nodeId, maxVolumesPerNode, accessibleTopology: { segments } })
  const limits: [bigint, number | undefined][] = [
    [0n, undefined],
    [-5n, undefined],
    [12n, 12],
    [2n ** 40n, 2 ** 31 - 1],
  ]
  for (const [given, expected] of limits)
    test(`S3-30: a limit of ${given} is ${expected}`, () =>
      deepEqual(check('n', given), { nodeId: 'n', topology: {}, maxVolumes: expected }))

  const wrong: [string, ...Parameters<typeof check>][] = [
    ['is empty', ''],
    ['257 bytes', 'ä'.repeat(128) + 'x'],
    ["can't be a label", 'n', 0n, { 'a/b/c': 'x' }],
    ["can't be a label", 'n', 0n, { a: 'not a value' }],
    ['101 keys', 'n', 0n, Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`k${index}`, 'x']))],
  ]
  for (const [problem, ...answer] of wrong)
    test(`S3-29, S3-143: is refused: ${problem}`, () => throws(() => check(...answer), new RegExp(problem)))
})

test('what a plugin says is cut in a reason', () =>
  equal(formatReason(REASONS.DriverNameInvalid('x'.repeat(5000), 'y')).length < 400, true))

describe('the store of drivers', () => {
  const key = (path: string, identity = '1') => ({ path, identity, via: 'registrar' as const })
  const driver = (endpoint: string, closed: string[]): RegisteredDriver =>
    ({
      name: 'd',
      endpoint,
      version: [1],
      requiresPublishPod: false,
      facts: undefined,
      connection: { close: () => void closed.push(endpoint) },
    }) as unknown as RegisteredDriver

  test('the newest that is not leaving serves, and each goes only by its own removal', () => {
    const store = createDriverStore(createSimulatedClock(), 10_000, () => {})
    const [closed, seen]: [string[], (string | undefined)[]] = [[], []]
    store.onChange((_name, now) => seen.push(now?.endpoint))
    store.add(key('/a'), driver('a', closed))
    store.add(key('/b'), driver('b', closed))
    equal(store.find('d')?.endpoint, 'b')
    store.leave(key('/b'))
    equal(store.find('d')?.endpoint, 'a')
    store.remove(key('/a', 'another'))
    equal(store.find('d')?.endpoint, 'a')
    store.remove(key('/b'))
    store.remove(key('/a'))
    deepEqual([closed, seen, store.find('d')], [['b', 'a'], ['a', 'b', 'a', undefined], undefined])
  })

  test('one that leaves serves for the grace period, unless its socket comes back', async () => {
    const clock = createSimulatedClock()
    const [closed, free]: [string[], string[]] = [[], []]
    const store = createDriverStore(clock, 10_000, (name) => free.push(name))
    store.add(key('/a'), driver('a', closed))
    store.leave(key('/a'))
    await clock.advance(9999)
    deepEqual([store.find('d')?.endpoint, closed, free], ['a', [], ['d']])
    store.add(key('/a'), driver('again', closed))
    await clock.advance(60_000)
    deepEqual([store.find('d')?.endpoint, closed], ['again', ['a']])
    store.leave(key('/a'))
    await clock.advance(10_000)
    deepEqual([store.find('d'), closed, free], [undefined, ['a', 'again'], ['d', 'd', 'd']])
  })

  test('a change is told, and one that is not seen is not', () => {
    const store = createDriverStore(createSimulatedClock(), 10_000, () => {})
    let changes = 0
    store.add(key('/a'), driver('a', []))
    store.add(key('/b'), driver('b', []))
    store.onChange(() => changes++)
    store.change(key('/a'), { requiresPublishPod: true })
    equal(changes, 0)
    store.change(key('/b'), { requiresPublishPod: true })
    equal(changes, 1)
    equal(store.find('d')?.requiresPublishPod, true)
  })
})
