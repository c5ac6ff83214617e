import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { schemaFromCrd, schemaFromStoredCrd } from './schema-from-crd.ts'
import { validateStructure } from './validate-structure.ts'

const specOf = (members: object, rest: object = {}): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: members, ...rest } },
})

/** Problems as `type field value detail`, of a spec with one member `a` of the schema. */
function problemsOf(schema: object, value: unknown, old?: unknown): string[] {
  const { schema: root, problems } = schemaFromCrd(specOf({ a: schema }))
  deepEqual(problems, [])
  return validate(root, { spec: { a: value } }, old === undefined ? undefined : { spec: { a: old } })
}

const validate = (...parameters: Parameters<typeof validateStructure>): string[] =>
  validateStructure(...parameters).map(({ type, field, value, detail }) =>
    [type.replace('FieldValue', ''), field, value === undefined ? '-' : JSON.stringify(value), detail].join(' ').trim(),
  )

const cases: [behaviour: string, schema: object, value: unknown, problems: string[]][] = [
  ['takes a value of its type', { type: 'string' }, 'x', []],
  [
    'names both types',
    { type: 'integer' },
    'x',
    ['TypeInvalid spec.a "string" spec.a in body must be of type integer: "string"'],
  ],
  [
    'takes no fraction for an integer',
    { type: 'integer' },
    1.5,
    ['TypeInvalid spec.a "number" spec.a in body must be of type integer: "number"'],
  ],
  ['takes an integer for a number', { type: 'number' }, 1, []],
  [
    'takes null only where it is a value',
    { type: 'string' },
    null,
    ['TypeInvalid spec.a "null" spec.a in body must be of type string: "null"'],
  ],
  ['takes null where it is a value', { type: 'string', nullable: true, minLength: 3 }, null, []],
  [
    'takes either an integer or a text',
    { 'x-kubernetes-int-or-string': true },
    true,
    ['TypeInvalid spec.a "boolean" spec.a in body must be of type integer,string: "boolean"'],
  ],
  [
    'asks for what is required',
    { type: 'object', required: ['b'], properties: { b: { type: 'string' } } },
    {},
    ['Required spec.a.b -'],
  ],
  [
    'asks for one of a few',
    { type: 'string', enum: ['x', 'y'] },
    'z',
    ['NotSupported spec.a "z" supported values: "x", "y"'],
  ],
  [
    'compares with a pattern',
    { type: 'string', pattern: '^[a-z]+$' },
    'A',
    ['Invalid spec.a "A" spec.a in body should match \'^[a-z]+$\''],
  ],
  ['counts characters, not bytes', { type: 'string', maxLength: 2 }, '💾💾', []],
  ['limits length', { type: 'string', maxLength: 2 }, 'abc', ['TooLong spec.a - may not be more than 2 bytes']],
  [
    'says only once that a text is too short',
    { type: 'string', minLength: 1, pattern: 'x' },
    '',
    ['Invalid spec.a "" spec.a in body should be at least 1 chars long'],
  ],
  [
    'limits numbers',
    { type: 'integer', minimum: 1, maximum: 3 },
    4,
    ['Invalid spec.a 4 spec.a in body should be less than or equal to 3'],
  ],
  [
    'limits numbers exclusively',
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    1,
    ['Invalid spec.a 1 spec.a in body should be greater than 1'],
  ],
  [
    'asks for a multiple',
    { type: 'number', multipleOf: 0.1 },
    0.35,
    ['Invalid spec.a 0.35 spec.a in body should be a multiple of 0.1'],
  ],
  ['takes a multiple that a double only comes near', { type: 'number', multipleOf: 0.1 }, 0.3, []],
  [
    'limits 32 bits',
    { type: 'integer', format: 'int32' },
    2 ** 31,
    ['Invalid spec.a 2147483648 Checked value must be of type integer with format int32 in spec.a'],
  ],
  [
    'checks a time',
    { type: 'string', format: 'date-time' },
    '2030-13-01T00:00:00Z',
    ['TypeInvalid spec.a "2030-13-01T00:00:00Z" spec.a in body must be of type date-time: "2030-13-01T00:00:00Z"'],
  ],
  [
    'limits lists',
    { type: 'array', items: { type: 'string' }, maxItems: 1 },
    ['x', 'y'],
    ['TooMany spec.a 2 must have at most 1 item'],
  ],
  [
    'asks for items',
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    [],
    ['Invalid spec.a 0 spec.a in body should have at least 1 items'],
  ],
  [
    'looks at items',
    { type: 'array', items: { type: 'string' } },
    ['x', 1],
    ['TypeInvalid spec.a[1] "integer" spec.a[1] in body must be of type string: "integer"'],
  ],
  [
    'looks at the values of maps',
    { type: 'object', additionalProperties: { type: 'integer' } },
    { k: 'x' },
    ['TypeInvalid spec.a.k "string" spec.a.k in body must be of type integer: "string"'],
  ],
  [
    'limits members',
    { type: 'object', additionalProperties: { type: 'integer' }, maxProperties: 1 },
    { k: 1, l: 2 },
    ['TooMany spec.a 2 must have at most 1 item'],
  ],
  [
    'finds what stands twice in a set',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    ['x', 'y', 'x', 'x'],
    ['Duplicate spec.a[2] "x"'],
  ],
  ['takes anything where anything is allowed', { 'x-kubernetes-preserve-unknown-fields': true }, [1, { x: null }], []],
  [
    'asks for exactly one of two',
    {
      type: 'object',
      properties: { b: { type: 'string' }, c: { type: 'string' } },
      oneOf: [{ required: ['b'] }, { required: ['c'] }],
    },
    { b: 'x', c: 'y' },
    ['Invalid spec.a "" "spec.a" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
  ],
  [
    'asks for any of two',
    { type: 'integer', anyOf: [{ minimum: 10 }, { enum: [1] }] },
    5,
    [
      'Invalid spec.a "" "spec.a" must validate at least one schema (anyOf)',
      'Invalid spec.a 5 spec.a in body should be greater than or equal to 10',
    ],
  ],
  [
    'asks for not',
    { type: 'integer', not: { minimum: 10 } },
    12,
    ['Invalid spec.a "" "spec.a" must not validate the schema (not)'],
  ],
  [
    'asks for all',
    { type: 'integer', allOf: [{ minimum: 10 }, { maximum: 20 }] },
    5,
    [
      'Invalid spec.a 5 spec.a in body should be greater than or equal to 10',
      'Invalid spec.a "" "spec.a" must validate all the schemas (allOf)',
    ],
  ],
  [
    'asks an embedded object for its kind',
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    { apiVersion: 'v1' },
    ['Required spec.a.kind - must not be empty'],
  ],
]
for (const [behaviour, schema, value, problems] of cases)
  test(behaviour, () => deepEqual(problemsOf(schema, value), problems))

const CONDITIONS = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string' }, status: { type: 'string', maxLength: 2 } },
  },
}

test('finds items with the same keys', () => {
  deepEqual(problemsOf(CONDITIONS, [{ type: 'a', status: '1' }, { type: 'b' }, { type: 'a', status: '2' }]), [
    'Duplicate spec.a[2] {"type":"a"}',
  ])
})

test('lets be what was wrong before and did not change', () => {
  const schema = {
    type: 'object',
    properties: { b: { type: 'string', maxLength: 1 }, c: { type: 'string', maxLength: 1 } },
  }
  deepEqual(problemsOf(schema, { b: 'long', c: 'x' }, { b: 'long', c: 'y' }), [])
  deepEqual(problemsOf(schema, { b: 'longer', c: 'y' }, { b: 'long', c: 'y' }), [
    'TooLong spec.a.b - may not be more than 1 byte',
  ])
})

test('lets an item be that stands elsewhere in its list now', () => {
  deepEqual(
    problemsOf(CONDITIONS, [{ type: 'new' }, { type: 'a', status: 'long' }], [{ type: 'a', status: 'long' }]),
    [],
  )
})

test('looks again at a list without keys when any of its items changed', () => {
  const schema = { type: 'array', items: { type: 'string', maxLength: 1 } }
  deepEqual(problemsOf(schema, ['long', 'x'], ['long']), ['TooLong spec.a[0] - may not be more than 1 byte'])
})

test('checks names of objects where the schema says something of them', () => {
  const { schema } = schemaFromCrd({
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } },
  })
  deepEqual(validate(schema, { metadata: { name: 'long', labels: {} } }), [
    'TooLong metadata.name - may not be more than 3 bytes',
  ])
})

const RULES = schemaFromCrd(
  specOf(
    {
      source: {
        type: 'object',
        properties: { claim: { type: 'string' }, content: { type: 'string' } },
        'x-kubernetes-validations': [
          { rule: '!has(oldSelf.claim) || has(self.claim)', message: 'claim is required once set' },
          { rule: '(has(self.claim) && !has(self.content)) || (!has(self.claim) && has(self.content))' },
        ],
      },
      size: {
        type: 'integer',
        'x-kubernetes-validations': [
          { rule: 'self > 0', messageExpression: '"too small"', reason: 'FieldValueForbidden' },
        ],
      },
      labels: {
        type: 'object',
        maxProperties: 100,
        additionalProperties: {
          type: 'string',
          maxLength: 63,
          'x-kubernetes-validations': [{ rule: "self.startsWith('a')" }],
        },
      },
      items: {
        type: 'array',
        maxItems: 100,
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string' },
            __namespace__: { type: 'string', maxLength: 63 },
            namespace: { type: 'string', maxLength: 63 },
          },
          'x-kubernetes-validations': [{ rule: 'self.__namespace__ == oldSelf.__namespace__' }],
        },
      },
    },
    {
      'x-kubernetes-validations': [
        {
          rule: "!has(self.size) || self.size < 100 || self.source.claim == 'big'",
          fieldPath: '.size',
          message: 'too large',
        },
      ],
    },
  ),
)

test('the rules are taken', () => deepEqual(RULES.problems, []))

const rules: [behaviour: string, value: object, old: object | undefined, problems: string[]][] = [
  ['holds', { source: { claim: 'c' }, size: 5, labels: { k: 'a' } }, undefined, []],
  [
    'shows the rule that failed, without the object',
    { source: {} },
    undefined,
    [
      'Invalid spec.source - failed rule: (has(self.claim) && !has(self.content)) || (!has(self.claim) && has(self.content))',
    ],
  ],
  [
    'shows plain values, the reason and a message made from the value',
    { size: 0 },
    undefined,
    ['Forbidden spec.size 0 too small'],
  ],
  [
    'names the field that is to blame',
    { source: { claim: 'c' }, size: 200 },
    undefined,
    ['Invalid spec.size - too large'],
  ],
  [
    'tells when a rule has no value',
    { size: 200, source: { content: 'x' } },
    undefined,
    ['Invalid spec "object" no such key: claim evaluating rule: too large'],
  ],
  [
    'names keys of maps in brackets',
    { labels: { k: 'b' } },
    undefined,
    ['Invalid spec.labels[k] "b" failed rule: self.startsWith(\'a\')'],
  ],
  ['does not compare with nothing', { source: { content: 'x' } }, {}, []],
  [
    'compares with what was before',
    { source: { content: 'x' } },
    { source: { claim: 'c' } },
    ['Invalid spec.source - claim is required once set'],
  ],
  ['lets a failed rule be on what did not change', { size: 0, labels: { k: 'a' } }, { size: 0 }, []],
  [
    'compares items by their keys',
    {
      items: [
        { name: 'y', namespace: '1' },
        { name: 'x', namespace: '2' },
      ],
    },
    { items: [{ name: 'x', namespace: '1' }] },
    ['Invalid spec.items[1] - failed rule: self.__namespace__ == oldSelf.__namespace__'],
  ],
]
for (const [behaviour, value, old, problems] of rules) {
  test(`rules: ${behaviour}`, () => deepEqual(validate(RULES.schema, { spec: value }, old && { spec: old }), problems))
}

test('does not ask rules about values of the wrong type, and says so', () => {
  deepEqual(validate(RULES.schema, { spec: { size: 'x' } }), [
    'TypeInvalid spec.size "string" spec.size in body must be of type integer: "string"',
    'Invalid <nil> null some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
  ])
})

// Such rules cannot be stored any more; those of old may be there.
const costly = (rules: readonly { rule: string; message?: string; messageExpression?: string }[], items: object = {}) =>
  schemaFromStoredCrd({
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'integer', ...items }, 'x-kubernetes-validations': rules } },
  })
const ones = (length: number): { a: number[] } => ({ a: Array.from({ length }, () => 1) })
const LOOP = 'self.all(x, self.all(y, self.all(z, x + y + z > 0)))'
const PAIRS = 'self.all(x, self.all(y, x + y > 0))'

const overBudget: [behaviour: string, rules: Parameters<typeof costly>[0], length: number, detail: string][] = [
  [
    'one rule',
    [{ rule: LOOP }, { rule: 'false' }],
    200,
    `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${LOOP}`,
  ],
  [
    'one rule with a message',
    [{ rule: LOOP, message: 'all are large' }],
    200,
    `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: all are large`,
  ],
  [
    'all rules together',
    [...Array.from({ length: 10 }, () => ({ rule: PAIRS })), { rule: 'false' }],
    200,
    'validation failed due to running out of cost budget, no further validation rules will be run',
  ],
  [
    'a message',
    [{ rule: 'false', messageExpression: `${LOOP} ? 'a' : 'b'` }, { rule: 'false' }],
    200,
    `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(`${LOOP} ? 'a' : 'b'`)}`,
  ],
]
for (const [behaviour, rules, length, detail] of overBudget) {
  test(`refuses an object when ${behaviour} costs too much, in the words of Kubernetes`, () => {
    deepEqual(validateStructure(costly(rules), ones(length)), [
      { field: 'a', type: 'FieldValueInvalid', value: 'array', detail },
    ])
  })
}

test('rules on each item of a list share the budget of the object', () => {
  const schema = schemaFromStoredCrd({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        items: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule: PAIRS }] },
      },
    },
  })
  const items = (length: number) => ({ a: Array.from({ length }, () => ones(100).a) })
  deepEqual(validateStructure(schema, items(10)), [])
  const [problem, ...others] = validateStructure(schema, items(200))
  deepEqual(others, [])
  equal(problem?.detail, 'validation failed due to running out of cost budget, no further validation rules will be run')
})

test('patterns share the budget of the object', () => {
  const { schema } = schemaFromCrd({
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'string', pattern: '^(?:[ab]*a[ab]{12}c|[ab]*)$' } } },
  })
  const text = (seed: number): string => {
    let state = seed
    return Array.from({ length: 500 }, () =>
      ((state = (state * 48_271) % 2_147_483_647) & 64) === 0 ? 'a' : 'b',
    ).join('')
  }
  deepEqual(validateStructure(schema, { a: [text(3), text(5)] }), [])
  const problems = validateStructure(schema, { a: Array.from({ length: 200 }, (_, index) => text(index + 1)) })
  deepEqual(
    problems.map(({ type, detail }) => `${type}: ${detail}`),
    ['FieldValueInvalid: validation failed due to running out of cost budget, no further validation rules will be run'],
  )
})

test('many names with a usual pattern stay far below the budget', () => {
  const { schema } = schemaFromCrd({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        items: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$' },
      },
    },
  })
  deepEqual(
    validateStructure(schema, { a: Array.from({ length: 20_000 }, (_, index) => `name-${index}.example.com`) }),
    [],
  )
})

test('alternatives of many items share the budget of the object', () => {
  const { schema } = schemaFromCrd({
    type: 'object',
    properties: {
      a: {
        type: 'array',
        items: {
          type: 'integer',
          anyOf: [...Array.from({ length: 200 }, (_, index) => ({ maximum: -index })), { minimum: 1 }],
        },
      },
    },
  })
  const problems = validateStructure(schema, ones(100_000))
  equal(
    problems.at(-1)?.detail,
    'validation failed due to running out of cost budget, no further validation rules will be run',
  )
})

test('tells of a thousand problems, not of a million', () => {
  const { schema } = schemaFromCrd({
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'integer', maximum: 0 } } },
  })
  equal(validateStructure(schema, ones(200_000)).length, 1000)
  const ruled = costly([], { 'x-kubernetes-validations': [{ rule: 'self < 0' }] })
  equal(validateStructure(ruled, ones(100_000)).length, 1000)
})

test('an old object whose rule costs too much may be changed elsewhere', () => {
  const schema = schemaFromStoredCrd({
    type: 'object',
    properties: {
      a: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-validations': [{ rule: LOOP }] },
      b: { type: 'string' },
    },
  })
  deepEqual(validateStructure(schema, { ...ones(200), b: 'new' }, { ...ones(200), b: 'old' }), [])
})
