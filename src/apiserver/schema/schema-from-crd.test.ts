import { deepEqual, equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldProblem } from './field-problem.ts'
import { schemaFromCrd } from './schema-from-crd.ts'
import type { Schema } from './schema.ts'

const memberOf = (schema: Schema, name: string): Schema => {
  const member = schema.type === 'object' ? schema.properties.get(name)?.schema : undefined
  ok(member, `${name} is known`)
  return member
}

const inSpec = (members: object, rest: object = {}): object => ({
  type: 'object',
  properties: { spec: { type: 'object', properties: members, ...rest } },
})

test('makes every sort of node', () => {
  const { schema, problems } = schemaFromCrd(
    inSpec({
      text: { type: 'string', description: 'a text', maxLength: 5 },
      count: { type: 'integer', format: 'int64', minimum: 1 },
      ratio: { type: 'number', nullable: true },
      on: { type: 'boolean', default: true },
      port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      anything: { 'x-kubernetes-preserve-unknown-fields': true },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k'],
        items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } },
      },
    }),
  )
  deepEqual(problems, [])
  equal(schema.embedded, true)
  const spec = memberOf(schema, 'spec')
  deepEqual(memberOf(spec, 'text'), { type: 'string', description: 'a text', checks: { maxLength: 5 } })
  deepEqual(memberOf(spec, 'count'), { type: 'integer', checks: { minimum: 1, format: 'int64' } })
  deepEqual(memberOf(spec, 'ratio'), { type: 'number', nullable: true })
  deepEqual(memberOf(spec, 'on'), { type: 'boolean', default: true })
  deepEqual(memberOf(spec, 'port'), { type: 'int-or-string' })
  deepEqual(memberOf(spec, 'labels'), { type: 'map', values: { type: 'string' } })
  deepEqual(memberOf(spec, 'anything'), { type: 'any' })
  deepEqual(memberOf(spec, 'set'), { type: 'list', items: { type: 'string' }, listType: 'set', keys: [] })
  const [free, map] = [memberOf(spec, 'free'), memberOf(spec, 'map')]
  ok(free.type === 'object' && map.type === 'list')
  deepEqual([free.preserveUnknown, map.listType, map.keys], [true, 'map', ['k']])
})

test('keeps what a schema says of names', () => {
  const { schema, problems } = schemaFromCrd({
    type: 'object',
    properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 3 } } } },
  })
  deepEqual(problems, [])
  equal(schema.metadataChecks?.type, 'object')
  equal(schema.properties.has('metadata'), false)
})

test('parses rules', () => {
  const { schema, problems } = schemaFromCrd(
    inSpec({
      a: {
        type: 'string',
        'x-kubernetes-validations': [
          {
            rule: ' self == oldSelf ',
            message: ' immutable ',
            reason: 'FieldValueForbidden',
            messageExpression: 'quantity(1)',
          },
        ],
      },
    }),
  )
  deepEqual(problems, [])
  const [rule] = memberOf(memberOf(schema, 'spec'), 'a').rules ?? []
  ok(rule)
  deepEqual(
    [rule.text, rule.usesOldSelf, rule.message, rule.reason, rule.messageExpression],
    ['self == oldSelf', true, 'immutable', 'FieldValueForbidden', undefined],
  )
})

const rule = (text: string): object => ({ 'x-kubernetes-validations': [{ rule: text }] })
const nonStructural: [behaviour: string, source: unknown, problems: string[]][] = [
  ['no type at the root', {}, ['s.type: FieldValueRequired: must not be empty at the root']],
  ['another type at the root', { type: 'string' }, ['s.type: FieldValueInvalid: must be object at the root']],
  [
    'a field without a type',
    { type: 'object', properties: { a: {} } },
    ['s.properties[a].type: FieldValueRequired: must not be empty for specified object fields'],
  ],
  [
    'an unknown type',
    { type: 'object', properties: { a: { type: 'file' } } },
    [
      's.properties[a].type: FieldValueNotSupported: supported values: "array", "boolean", "integer", "number", "object", "string"',
    ],
  ],
  [
    'a list without items',
    { type: 'object', properties: { a: { type: 'array' } } },
    ['s.properties[a].items: FieldValueRequired: must be specified'],
  ],
  [
    'items without a type',
    { type: 'object', properties: { a: { type: 'array', items: {} } } },
    ['s.properties[a].items.type: FieldValueRequired: must not be empty for specified array items'],
  ],
  [
    'a map at the root',
    { type: 'object', additionalProperties: { type: 'string' } },
    ['s.additionalProperties: FieldValueForbidden: must not be used at the root'],
  ],
  [
    'properties beside additionalProperties',
    {
      type: 'object',
      properties: {
        a: { type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } },
      },
    },
    [
      's.properties[a].additionalProperties: FieldValueForbidden: additionalProperties and properties are mutual exclusive',
    ],
  ],
  [
    'references',
    { type: 'object', properties: { a: { type: 'string', $ref: '#/x' } } },
    ['s.properties[a].$ref: FieldValueForbidden: $ref is not supported'],
  ],
  [
    'a type below anyOf',
    { type: 'object', properties: { a: { type: 'string', anyOf: [{ type: 'string' }] } } },
    ['s.properties[a].anyOf[0].type: FieldValueForbidden: must be empty to be structural'],
  ],
  [
    'a part that only anyOf knows',
    { type: 'object', anyOf: [{ properties: { c: { minLength: 1 } } }] },
    ['s.properties[c]: FieldValueRequired: because it is defined in s.anyOf[0].properties[c]'],
  ],
  [
    'a broken pattern',
    { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
    [
      "s.properties[a].pattern: FieldValueInvalid: must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
    ],
  ],
  [
    'a pattern that only backtracking can match',
    { type: 'object', properties: { a: { type: 'string', pattern: '^(?!x)' } } },
    [
      "s.properties[a].pattern: FieldValueInvalid: must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?!`",
    ],
  ],
  [
    'a pattern that becomes too large',
    { type: 'object', properties: { a: { type: 'string', pattern: 'a{1000}{1000}' } } },
    [
      "s.properties[a].pattern: FieldValueInvalid: must be a valid regular expression, but isn't: error parsing regexp: expression too large",
    ],
  ],
  [
    'a rule that is too deep',
    { type: 'object', 'x-kubernetes-validations': [{ rule: `${'('.repeat(1000)}true${')'.repeat(1000)}` }] },
    [
      's.x-kubernetes-validations[0].rule: FieldValueInvalid: compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250',
    ],
  ],
  [
    'a rule that is too long',
    { type: 'object', 'x-kubernetes-validations': [{ rule: `true${' '.repeat(100_000)}` }] },
    [
      's.x-kubernetes-validations[0].rule: FieldValueInvalid: compilation failed: ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100004, limit 100000',
    ],
  ],
  [
    'more of metadata than names',
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    [
      's.properties[metadata]: FieldValueForbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    'keys that items do not have, or need not have',
    {
      type: 'object',
      properties: {
        a: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'l'],
          items: { type: 'object', properties: { k: { type: 'string' } } },
        },
      },
    },
    [
      's.properties[a].items.properties[k].default: FieldValueRequired: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      's.properties[a].x-kubernetes-list-map-keys[1]: FieldValueInvalid: entries must all be names of item properties',
    ],
  ],
  [
    'a default of the wrong type',
    { type: 'object', properties: { a: { type: 'integer', default: 'x' } } },
    ['s.properties[a].default: FieldValueTypeInvalid: in body must be of type integer: "string"'],
  ],
  [
    'a default that would be pruned',
    { type: 'object', properties: { a: { type: 'object', default: { b: 1 }, properties: {} } } },
    ['s.properties[a].default: FieldValueInvalid: must not have unknown fields: b'],
  ],
  [
    'a rule that does not parse',
    { type: 'object', ...rule('self.spec ==') },
    ['s.x-kubernetes-validations[0].rule: FieldValueInvalid: compilation failed: unexpected the end'],
  ],
  [
    'a rule with a function that it does not have',
    { type: 'object', ...rule("isURL('x')") },
    ['s.x-kubernetes-validations[0].rule: FieldValueInvalid: compilation failed: function isURL is not supported'],
  ],
  [
    'a rule on a field that is not there',
    { type: 'object', properties: { spec: { type: 'object' } }, ...rule('has(self.spec.a)') },
    ["s.x-kubernetes-validations[0].rule: FieldValueInvalid: compilation failed: undefined field 'a'"],
  ],
  [
    'a rule that compares items which cannot be told apart',
    {
      type: 'object',
      properties: {
        a: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 5, ...rule('self == oldSelf') } },
      },
    },
    [
      's.properties[a].items.x-kubernetes-validations[0].rule: FieldValueInvalid: oldSelf cannot be used on the uncorrelatable portion of the schema',
    ],
  ],
]
const show = ({ field, type, detail }: FieldProblem): string => `${field}: ${type}: ${detail}`
for (const [behaviour, source, problems] of nonStructural) {
  test(`refuses ${behaviour}`, () => deepEqual(schemaFromCrd(source, 's').problems.map(show), problems))
}

test('refuses patterns that take too long to compile together, and compiles one that stands in many places once', () => {
  const properties = (pattern: (index: number) => string) =>
    Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`p${index}`, { type: 'string', pattern: pattern(index) }]),
    )
  const distinct = schemaFromCrd(
    { type: 'object', properties: properties((index) => `^a{900}${index}$`) },
    's',
  ).problems
  deepEqual(
    new Set(distinct.map(({ type, detail }) => `${type}: ${detail}`)),
    new Set(['FieldValueForbidden: the regular expressions of the entire OpenAPIv3 schema are too large']),
  )
  deepEqual(schemaFromCrd({ type: 'object', properties: properties(() => '^a{900}$') }, 's').problems, [])
  deepEqual(
    schemaFromCrd({ type: 'object', properties: properties((index) => `^[a-z0-9]([-a-z0-9]*[a-z0-9])?${index}$`) }, 's')
      .problems,
    [],
  )
})

test('the defaults of one definition share a budget', () => {
  const rule = { rule: 'self.all(x, self.all(y, x + y >= 0))' }
  const list = {
    type: 'array',
    maxItems: 200,
    items: { type: 'integer' },
    default: Array.from({ length: 200 }, () => 1),
    'x-kubernetes-validations': [rule],
  }
  const { problems } = schemaFromCrd(
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`p${index}`, list])) },
    's',
  )
  ok(problems.length > 10)
  equal(
    problems[0]?.detail,
    'validation failed due to running out of cost budget, no further validation rules will be run',
  )
})

const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
const TOTAL =
  'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of'
const list = (items: object, rest: object = {}): object => ({ type: 'array', items, ...rest })
const ruled = (rule: string) => ({ 'x-kubernetes-validations': [{ rule }] })
const LOOPS = 'self.all(x, self.all(y, self.all(z, x + y + z > 0)))'

// The words are those of Kubernetes.
const estimates: [behaviour: string, schema: object, details: string[]][] = [
  [
    'three loops over a list without a limit',
    list({ type: 'integer' }, ruled(LOOPS)),
    [
      `${TOTAL} more than 100x ${ADVICE}`,
      `estimated rule cost exceeds budget by factor of more than 100x ${ADVICE}`,
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
    ],
  ],
  [
    'three loops over a list of two hundred',
    list({ type: 'integer' }, { maxItems: 200, ...ruled(LOOPS) }),
    [`estimated rule cost exceeds budget by factor of 7.2x ${ADVICE}`],
  ],
  ['three loops over a list of fifty', list({ type: 'integer' }, { maxItems: 50, ...ruled(LOOPS) }), []],
  ['one loop over a list without a limit', list({ type: 'integer' }, ruled('self.all(x, x > 0)')), []],
  [
    'a loop over long texts',
    list({ type: 'string' }, ruled("self.all(x, x.startsWith('a'))")),
    [
      `${TOTAL} more than 100x ${ADVICE}`,
      `estimated rule cost exceeds budget by factor of more than 100x ${ADVICE}`,
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
    ],
  ],
  [
    'a loop over short texts',
    list({ type: 'string', maxLength: 63 }, { maxItems: 1000, ...ruled("self.all(x, x.startsWith('a'))") }),
    [],
  ],
  [
    'a rule on a text in a list without a limit',
    list({ type: 'string', ...ruled("self == 'a' || self.contains('bbbbbbbbbbb')") }),
    [
      `${TOTAL} more than 100x ${ADVICE}`,
      `estimated rule cost exceeds budget by factor of more than 100x ${ADVICE}`,
      'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
    ],
  ],
  [
    'a pattern on a long text',
    { type: 'string', ...ruled(`self.matches('${'a'.repeat(200)}')`) },
    [`estimated rule cost exceeds budget by factor of 1.572864x ${ADVICE}`.replace('1.572864', '1.6')],
  ],
  [
    'a pattern on a short text',
    { type: 'string', maxLength: 1000, ...ruled(`self.matches('${'a'.repeat(200)}')`) },
    [],
  ],
  [
    'a rule on one object',
    { type: 'object', properties: { b: { type: 'string' } }, ...ruled('self == oldSelf || self.b == oldSelf.b') },
    [],
  ],
]
for (const [behaviour, schema, details] of estimates) {
  test(`${details.length === 0 ? 'takes' : 'refuses'} ${behaviour}`, () => {
    const { problems } = schemaFromCrd({ type: 'object', properties: { a: schema } }, 's')
    deepEqual(
      problems.map(({ detail }) => detail),
      details,
    )
    ok(problems.every(({ type }) => type === 'FieldValueForbidden'))
  })
}

test('refuses rules that are cheap each, and too much together', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`p${index}`, list({ type: 'integer' }, ruled('self.all(x, x > 0)'))]),
  )
  const { problems } = schemaFromCrd({ type: 'object', properties }, 's')
  deepEqual(problems[0], { field: 's', type: 'FieldValueForbidden', detail: `${TOTAL} 3.1x ${ADVICE}` })
  deepEqual(
    problems.slice(1).map(({ detail }) => detail),
    Array.from(
      { length: 4 },
      () => 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema',
    ),
  )
})

test('refuses rules that take too long to read together', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [
      `p${index}`,
      { type: 'integer', ...ruled(`self > 0${' || self > 0'.repeat(5000)}`) },
    ]),
  )
  const { problems } = schemaFromCrd({ type: 'object', properties }, 's')
  ok(
    problems.some(
      ({ type, detail }) =>
        type === 'FieldValueForbidden' && detail === 'the validation rules of the entire OpenAPIv3 schema are too long',
    ),
  )
})
