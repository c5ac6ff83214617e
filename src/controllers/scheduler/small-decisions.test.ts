import fc from 'fast-check'
import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Toleration } from '../../api/kinds/pod.ts'
import type { NodeSelectorRequirement } from '../../api/kinds/selectors.ts'
import { matchesNodeSelector } from '../../api/node-selector.ts'
import { quantityToMilli } from '../../api/quantity.ts'
import { SelectorError } from '../../api/selector-error.ts'
import { tolerates } from '../../api/tolerations.ts'
import { createSeededRandom } from '../../base/random.ts'
import { createSimulatedClock } from '../../base/simulated-clock.ts'
import { compileNodeSelector } from './anchored-shelves.ts'
import { enoughNodes, strideOf } from './choose-node.ts'
import { createRefusals, segmentOf } from './refusals.ts'
import { requestsOf } from './resource-amounts.ts'
import { clusterOf, csiNodeOf, DRIVER, nodeOf } from './testing/describe-scheduler.ts'

describe('tolerations', () => {
  const taint = { key: 'a', value: '5', effect: 'NoSchedule' } as const
  const cases: [toleration: Toleration, stands: boolean][] = [
    [{ key: 'a', value: '5' }, true],
    [{ key: 'a', value: '6' }, false],
    [{ key: 'b', value: '5' }, false],
    [{ key: 'a', operator: 'Exists' }, true],
    [{ operator: 'Exists' }, true],
    [{ operator: 'Equal' }, false],
    [{ operator: 'Exists', effect: 'NoExecute' }, false],
    [{ operator: 'Exists', effect: 'NoSchedule' }, true],
    [{ key: 'a', operator: 'Gt', value: '4' }, true],
    [{ key: 'a', operator: 'Gt', value: '5' }, false],
    [{ key: 'a', operator: 'Lt', value: '6' }, true],
    [{ key: 'a', operator: 'Lt', value: 'six' }, false],
  ]
  for (const [toleration, stands] of cases)
    test(`${JSON.stringify(toleration)} ${stands ? 'stands' : 'does not stand'} a=5:NoSchedule`, () =>
      equal(tolerates(toleration, taint), stands))
})

describe('amounts', () => {
  const container = (cpu: string, memory: string, restartPolicy?: string) => ({
    name: 'c',
    resources: { requests: { cpu, memory } },
    ...(restartPolicy ? { restartPolicy } : {}),
  })
  test('thousandths are rounded up', () =>
    deepEqual(['1', '1500m', '0.1', '1n', '2k'].map(quantityToMilli), [1000, 1500, 100, 1, 2_000_000]))
  test('containers add up', () =>
    deepEqual(requestsOf({ containers: [container('1', '1Ki'), container('500m', '1Ki')] }), {
      cpuMilli: 1500,
      memoryBytes: 2048,
    }))
  test('an init container counts when it needs more than all others', () =>
    deepEqual(requestsOf({ containers: [container('1', '2Ki')], initContainers: [container('3', '1Ki')] }), {
      cpuMilli: 3000,
      memoryBytes: 2048,
    }))
  test('one that goes on running counts beside all that come after it', () =>
    deepEqual(
      requestsOf({
        containers: [container('1', '1Ki')],
        initContainers: [container('1', '1Ki', 'Always'), container('3', '1Ki')],
      }),
      { cpuMilli: 4000, memoryBytes: 2048 },
    ))
  test('a limit alone is a request', () =>
    deepEqual(requestsOf({ containers: [{ name: 'c', resources: { limits: { cpu: '2' } } }] }), {
      cpuMilli: 2000,
      memoryBytes: 0,
    }))
})

describe('the search for a node', () => {
  test('every node gets its turn, however many there are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.nat(), (count, start) => {
        const seen = new Set<number>()
        for (let visited = 0, at = start % count; visited < count; visited++, at = (at + strideOf(count)) % count)
          seen.add(at)
        equal(seen.size, count)
      }),
      { numRuns: 50 },
    )
  })
  test('a hundred nodes are enough, and a part of many', () =>
    deepEqual([3, 100, 1000, 5000, 15_000].map(enoughNodes), [100, 100, 420, 500, 750]))
})

describe('a selector made ready', () => {
  const requirement: fc.Arbitrary<NodeSelectorRequirement> = fc.record({
    key: fc.constantFrom('a', 'b', 'not a key'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
    values: fc.array(fc.constantFrom('1', '2', 'x'), { maxLength: 2 }),
  })
  const field: fc.Arbitrary<NodeSelectorRequirement> = fc.record({
    key: fc.constant('metadata.name'),
    operator: fc.constantFrom('In', 'NotIn', 'Exists'),
    values: fc.array(fc.constantFrom('n1', 'n2'), { maxLength: 2 }),
  })
  const term = fc.record({
    matchExpressions: fc.array(requirement, { maxLength: 2 }),
    matchFields: fc.array(field, { maxLength: 1 }),
  })
  const labels = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom('1', '2', 'x'))

  test('says the same as one that is read each time', () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 3 }), labels, (nodeSelectorTerms, given) => {
        equal(
          compileNodeSelector({ nodeSelectorTerms })({ name: 'n1', labels: given }),
          matches(nodeSelectorTerms, given),
        )
      }),
      { numRuns: 1000 },
    )
  })
  const matches = (
    nodeSelectorTerms: Parameters<typeof matchesNodeSelector>[0]['nodeSelectorTerms'],
    given: Record<string, string>,
  ): boolean => {
    try {
      return matchesNodeSelector({ nodeSelectorTerms }, { metadata: { name: 'n1', labels: given } })
    } catch (error) {
      if (error instanceof SelectorError) return false
      throw error
    }
  }
})

describe('what a provisioner gave back', () => {
  const { nodeTable } = clusterOf(
    nodeOf('n1'),
    nodeOf('n2'),
    nodeOf('n3', { zone: 'b' }),
    nodeOf('n4'),
    csiNodeOf('n1'),
    csiNodeOf('n2'),
    csiNodeOf('n3'),
  )
  const segment = (name: string): string => segmentOf(DRIVER, nodeTable.find(name) ?? nodeFail(name))
  const nodeFail = (name: string): never => {
    throw new Error(`there is no node ${name}`)
  }
  test('nodes that look the same to the driver are one place', () => {
    equal(segment('n1'), segment('n2'))
    equal(new Set(['n1', 'n3', 'n4'].map(segment)).size, 3)
  })
  test('a round counts once, and each next one waits twice as long', async () => {
    const clock = createSimulatedClock()
    const refusals = createRefusals({ clock, random: createSeededRandom(1) }, { initialMs: 1000, maximumMs: 10_000 })
    const add = (name: string): number => {
      refusals.add('default/p1', { claim: 'default/c1', segment: name })
      return (refusals.find('default/p1')?.untilMs ?? 0) - clock.monotonicMs()
    }
    deepEqual([add('a'), add('b')], [1000, 1000])
    deepEqual([...(refusals.find('default/p1')?.segments ?? [])], ['a', 'b'])
    await clock.advance(1000)
    deepEqual([add('b')], [2000])
    deepEqual([...(refusals.find('default/p1')?.segments ?? [])], ['b'], 'the others may be tried again')
  })
})
