import type { Api } from '../../api/api.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition, JSONSchemaProps } from '../../api/kinds/custom-resource-definition.ts'
import { gadgetCrd, versionOf } from '../crd/testing/crd-under-test.ts'
import type { RawRequest } from './raw-client.ts'
import type { StallAttack } from './stall-attack.ts'

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
const post = (path: string, object: unknown): RawRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(object),
})

// Each attack has a kind of its own.
const definitionOf = (plural: string, properties: Record<string, JSONSchemaProps>): CustomResourceDefinition =>
  gadgetCrd(
    { names: { plural, kind: plural[0]?.toUpperCase() + plural.slice(1) }, versions: [versionOf(properties)] },
    plural,
  )
const define =
  (plural: string, properties: Record<string, JSONSchemaProps>) =>
  async (api: Api): Promise<void> =>
    void (await api.create(CUSTOM_RESOURCE_DEFINITIONS, definitionOf(plural, properties)))
const create = (plural: string, attempt: number, spec: object): RawRequest =>
  post(`/apis/example.com/v1/namespaces/default/${plural}`, {
    apiVersion: 'example.com/v1',
    kind: plural[0]?.toUpperCase() + plural.slice(1),
    metadata: { name: `a-${attempt}` },
    spec,
  })
const createDefinition = (attempt: number, properties: Record<string, JSONSchemaProps>): RawRequest =>
  post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitionOf(`refused${attempt}`, properties))

// More values than this in one request are a question of their size, not of what checking them costs.
const MANY = 15_000
const ones = (count: number): number[] => times(count, () => 1)
/** A text of `a` and `b` in which no part repeats. */
function restless(length: number, seed: number): string {
  let state = seed
  const next = (): string => {
    state = (state * 48_271) % 2_147_483_647
    return (state & 64) === 0 ? 'a' : 'b'
  }
  return times(length, next).join('')
}
const OUT_OF_BUDGET = /validation failed due to running out of cost budget, no further validation rules will be run/
const ruled = (rule: string): Pick<JSONSchemaProps, 'x-kubernetes-validations'> => ({
  'x-kubernetes-validations': [{ rule }],
})

const PATTERNS: readonly StallAttack[] = [
  {
    name: 'a pattern that can match in many ways',
    prepare: define('ambiguous', {
      a: { type: 'string', pattern: '.*.*.*=.*' },
      b: { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' },
    }),
    request: (attempt) => create('ambiguous', attempt, { a: 'x'.repeat(400_000), b: 'a'.repeat(400_000) }),
    status: 422,
    answer: /should match '\.\*\.\*\.\*=\.\*'/,
  },
  {
    name: 'a pattern that has to remember much of the text',
    prepare: define('forgetful', {
      a: { type: 'array', items: { type: 'string', pattern: '^(?:[ab]*a[ab]{100}c|[ab]*)$' } },
    }),
    request: (attempt) => create('forgetful', attempt, { a: times(100, (index) => restless(10_000, index + 1)) }),
    status: 422,
    answer: OUT_OF_BUDGET,
  },
  {
    name: 'patterns that come with the object',
    prepare: define('matching', {
      a: {
        type: 'object',
        properties: {
          text: { type: 'string', maxLength: 1000 },
          patterns: { type: 'array', maxItems: 20, items: { type: 'string', maxLength: 1000 } },
        },
        ...ruled('self.patterns.exists(x, self.text.matches(x))'),
      },
    }),
    request: (attempt) =>
      create('matching', attempt, {
        a: { text: `${'a'.repeat(900)}!`, patterns: times(20, (index) => `^(?:a?){200}(?:a|${index})+$`) },
      }),
    status: 422,
    answer: /no further validation rules will be run/,
  },
]

const RULES: readonly StallAttack[] = [
  {
    name: 'a rule with a loop in a loop',
    prepare: define('looping', {
      a: { type: 'array', maxItems: 1000, items: { type: 'integer' }, ...ruled('self.all(x, self.all(y, x + y > 0))') },
    }),
    request: (attempt) => create('looping', attempt, { a: ones(1000) }),
    status: 422,
    answer:
      /'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self\.all\(x, self\.all\(y, x \+ y > 0\)\)/,
  },
  {
    name: 'rules on each of many items',
    prepare: define('repeated', {
      a: {
        type: 'array',
        items: { type: 'integer', 'x-kubernetes-validations': times(10, () => ({ rule: 'self > 0' })) },
      },
    }),
    request: (attempt) => create('repeated', attempt, { a: ones(MANY) }),
    status: 422,
    answer: OUT_OF_BUDGET,
  },
  {
    name: 'a rule that fails inside on each of many items',
    prepare: define('failing', {
      a: {
        type: 'array',
        items: { type: 'object', properties: { b: { type: 'integer' } } },
        ...ruled('self.exists(x, x.b > 0)'),
      },
    }),
    request: (attempt) => create('failing', attempt, { a: times(MANY, () => ({})) }),
    status: 422,
    answer: /no further validation rules will be run/,
  },
]

const VALUES: readonly StallAttack[] = [
  {
    name: 'many items with many alternatives',
    prepare: define('alternatives', {
      a: {
        type: 'array',
        items: { type: 'integer', anyOf: [...times(200, (index) => ({ maximum: -index })), { minimum: 1 }] },
      },
    }),
    request: (attempt) => create('alternatives', attempt, { a: ones(MANY) }),
    status: 422,
    answer: OUT_OF_BUDGET,
  },
  {
    name: 'many items of a long enumeration',
    prepare: define('enumerated', {
      a: { type: 'array', items: { type: 'string', enum: times(10_000, (index) => `v${index}`) } },
    }),
    request: (attempt) => create('enumerated', attempt, { a: times(MANY, () => 'v9999') }),
    status: 422,
    answer: OUT_OF_BUDGET,
  },
  {
    name: 'a quantity with many digits that is none',
    request: (attempt) =>
      post('/api/v1/namespaces/default/persistentvolumeclaims', {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: `digits-${attempt}` },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: `${'1'.repeat(1_000_000)}!` } } },
      }),
    status: 400,
    answer: /quantities must match the regular expression/,
  },
]

const DEFINITIONS: readonly StallAttack[] = [
  {
    name: 'a definition with a rule that is too deep',
    request: (attempt) =>
      createDefinition(attempt, { a: { type: 'integer', ...ruled(`${'('.repeat(1000)}true${')'.repeat(1000)}`) } }),
    status: 422,
    answer:
      /compilation failed: ERROR: \\u003cinput\\u003e:-1:0: expression recursion limit exceeded: 250|compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250/,
  },
  {
    name: 'a definition with a rule of long chains',
    request: (attempt) =>
      createDefinition(attempt, {
        a: { type: 'integer', ...ruled(`self${' + self'.repeat(10_000)} > 0`) },
        b: { type: 'integer', ...ruled(`self${'.a'.repeat(40_000)}`) },
      }),
    status: 422,
    answer: /expression recursion limit exceeded: 250/,
  },
  {
    name: 'a definition with three loops inside each other',
    request: (attempt) =>
      createDefinition(attempt, {
        a: {
          type: 'array',
          items: { type: 'integer' },
          ...ruled('self.all(x, self.all(y, self.all(z, x + y + z > 0)))'),
        },
      }),
    status: 422,
    answer: /estimated rule cost exceeds budget by factor of more than 100x/,
  },
  {
    name: 'a definition with long rules',
    request: (attempt) =>
      createDefinition(
        attempt,
        Object.fromEntries(
          times(25, (index) => [
            `p${index}`,
            { type: 'integer' as const, ...ruled(`self > 0${' || self > 0'.repeat(8000)}`) },
          ]),
        ),
      ),
    status: 422,
    answer: /the validation rules of the entire OpenAPIv3 schema are too long/,
  },
  {
    name: 'a definition with a pattern that becomes large',
    request: (attempt) =>
      createDefinition(attempt, {
        a: { type: 'string', pattern: 'a{1000}{1000}' },
        b: { type: 'string', pattern: '(?:\\pL{30}){33}'.repeat(1000) },
      }),
    status: 422,
    answer: /must be a valid regular expression, but isn't: error parsing regexp: expression too large/,
  },
  {
    name: 'a definition with many patterns',
    request: (attempt) =>
      createDefinition(
        attempt,
        Object.fromEntries(
          times(1000, (index) => [
            `p${index}`,
            { type: 'string' as const, pattern: index % 2 === 0 ? `^a{900}${index}$` : `^[\\pL\\pN]{90}${index}$` },
          ]),
        ),
      ),
    status: 422,
    answer: /the regular expressions of the entire OpenAPIv3 schema are too large/,
  },
  {
    name: 'a definition with defaults that cost much to check',
    request: (attempt) =>
      createDefinition(
        attempt,
        Object.fromEntries(
          times(40, (index) => [
            `p${index}`,
            {
              type: 'array' as const,
              maxItems: 300,
              items: { type: 'integer' as const },
              default: ones(300),
              ...ruled(`self.all(x, self.all(y, x + y > ${index} - 1000))`),
            },
          ]),
        ),
      ),
    status: 422,
    answer: OUT_OF_BUDGET,
  },
]

/** Requests whose check took longer than everybody else could wait. */
export const SCHEMA_STALL_ATTACKS: readonly StallAttack[] = [...PATTERNS, ...RULES, ...VALUES, ...DEFINITIONS]
