import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NodeSelectorTerm } from './kinds/selectors.ts'
import { matchesNodeSelector, matchesTopologyTerms } from './node-selector.ts'

const node = { metadata: { name: 'n1', labels: { zone: 'a', cores: '8' } } }
const matches = (...nodeSelectorTerms: NodeSelectorTerm[]): boolean => matchesNodeSelector({ nodeSelectorTerms }, node)
const inZone = (...values: string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key: 'zone', operator: 'In', values }],
})

const cases: [behaviour: string, terms: NodeSelectorTerm[], picked: boolean][] = [
  ['no terms pick no node', [], false],
  ['an empty term picks no node', [{}], false],
  ['a term with empty lists picks no node', [{ matchExpressions: [], matchFields: [] }], false],
  ['one of the terms is enough', [inZone('b'), inZone('a', 'c')], true],
  ['no term holds', [inZone('b')], false],
  [
    'all expressions of a term must hold',
    [{ matchExpressions: [...(inZone('a').matchExpressions ?? []), { key: 'gpu', operator: 'Exists' }] }],
    false,
  ],
  [
    'a missing label is not among the values',
    [{ matchExpressions: [{ key: 'gpu', operator: 'NotIn', values: ['x'] }] }],
    true,
  ],
  ['a label may have to be missing', [{ matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }], true],
  ['a label may have to be greater', [{ matchExpressions: [{ key: 'cores', operator: 'Gt', values: ['7'] }] }], true],
  ['a label may have to be less', [{ matchExpressions: [{ key: 'cores', operator: 'Lt', values: ['8'] }] }], false],
  [
    'a missing label is neither greater nor less',
    [{ matchExpressions: [{ key: 'gpus', operator: 'Gt', values: ['0'] }] }],
    false,
  ],
  ['a node can be picked by name', [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }], true],
  [
    'a node can be left out by name',
    [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] }],
    false,
  ],
  [
    'fields and labels must both hold',
    [{ ...inZone('b'), matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }],
    false,
  ],
]
for (const [behaviour, terms, picked] of cases) test(behaviour, () => assert.equal(matches(...terms), picked))

const broken: NodeSelectorTerm = { matchExpressions: [{ key: 'zone', operator: 'Gt', values: ['x'] }] }

test('a term that makes no sense does not hide one that holds', () => assert.equal(matches(broken, inZone('a')), true))

test('a term that makes no sense is told when nothing holds', () => {
  assert.throws(() => matches(inZone('b'), broken), {
    name: 'SelectorError',
    message:
      "nodeSelectorTerms[1].matchExpressions[0].values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
  })
})

test('fields are picked by one value only', () => {
  assert.throws(() => matches({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }] }), {
    message: 'nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["n1","n2"]: must have one element',
  })
  assert.throws(() => matches({ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }), {
    message:
      'nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
  })
})

test('an operator that nobody knows is refused', () => {
  assert.throws(() => matches({ matchExpressions: [{ key: 'a', operator: 'Near' as 'In' }] }), {
    message:
      'nodeSelectorTerms[0].matchExpressions[0].operator: Unsupported value: "Near": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"',
  })
})

test('a storage class without topologies allows every place', () => {
  assert.equal(matchesTopologyTerms([], {}), true)
  assert.equal(matchesTopologyTerms([{}], { zone: 'a' }), false)
})

test('a storage class allows what one of its terms describes', () => {
  const terms = [
    {
      matchLabelExpressions: [
        { key: 'zone', values: ['a', 'b'] },
        { key: 'rack', values: ['1'] },
      ],
    },
    { matchLabelExpressions: [{ key: 'zone', values: ['c'] }] },
  ]
  assert.equal(matchesTopologyTerms(terms, { zone: 'b', rack: '1' }), true)
  assert.equal(matchesTopologyTerms(terms, { zone: 'b' }), false)
  assert.equal(matchesTopologyTerms(terms, { zone: 'c' }), true)
  assert.equal(matchesTopologyTerms(terms, undefined), false)
})
