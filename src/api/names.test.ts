import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  validateAnnotations,
  validateConfigMapKey,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabels,
  validateLabelValue,
  validateName,
  validatePathSegmentName,
  validatePathSegmentPrefix,
  validateQualifiedName,
} from './names.ts'

// The exact messages of k8s.io/apimachinery.
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
const LABEL_1035 =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

type Row = [given: string, problems: string[]]
const a = (count: number): string => 'a'.repeat(count)

const tables: [name: string, validate: (text: string) => string[], rows: Row[]][] = [
  [
    'DNS subdomain',
    validateDnsSubdomain,
    [
      ['a', []],
      ['a-1.b', []],
      [a(253), []],
      [a(254), ['must be no more than 253 characters']],
      ['', [SUBDOMAIN]],
      ['A', [SUBDOMAIN]],
      ['a..b', [SUBDOMAIN]],
      ['-a', [SUBDOMAIN]],
      ['a_b', [SUBDOMAIN]],
      ['a\n', [SUBDOMAIN]],
      ['é'.repeat(127), ['must be no more than 253 characters', SUBDOMAIN]],
    ],
  ],
  [
    'DNS label',
    validateDnsLabel,
    [
      ['a-1', []],
      [a(63), []],
      [a(64), ['must be no more than 63 characters']],
      ['a.b', ['must not contain dots']],
      ['a-', [LABEL]],
      ['', [LABEL]],
    ],
  ],
  [
    'DNS 1035 label',
    validateDns1035Label,
    [
      ['a1', []],
      ['1a', [LABEL_1035]],
      [a(64), ['must be no more than 63 characters']],
    ],
  ],
  [
    'qualified name',
    validateQualifiedName,
    [
      ['simple', []],
      ['example.com/Upper_OK.1', []],
      [`${a(253)}/${a(63)}`, []],
      ['', ['name part must be non-empty', `name part ${QUALIFIED}`]],
      ['a/', ['name part must be non-empty', `name part ${QUALIFIED}`]],
      ['/a', ['prefix part must be non-empty']],
      ['Example.com/a', [`prefix part ${SUBDOMAIN}`]],
      [a(64), ['name part must be no more than 63 bytes']],
      [`${a(254)}/a`, ['prefix part must be no more than 253 bytes']],
      ['-a', [`name part ${QUALIFIED}`]],
      [
        'a/b/c',
        [`a valid label key ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
      ],
    ],
  ],
  [
    'label value',
    validateLabelValue,
    [
      ['', []],
      ['Some_value.1', []],
      [a(64), ['must be no more than 63 bytes']],
      ['a b', [VALUE]],
      ['a-', [VALUE]],
    ],
  ],
  [
    'path segment',
    validatePathSegmentName,
    [
      ['system:node', []],
      ['', []],
      ['...', []],
      ['.', ["may not be '.'"]],
      ['..', ["may not be '..'"]],
      ['a/b%', ["may not contain '/'", "may not contain '%'"]],
    ],
  ],
  [
    'path segment prefix',
    validatePathSegmentPrefix,
    [
      ['.', []],
      ['/', ["may not contain '/'"]],
    ],
  ],
  [
    'config map key',
    validateConfigMapKey,
    [
      ['ca.crt', []],
      ['...', ["must not start with '..'"]],
      ['..', ["must not be '..'"]],
      ['.', ["must not be '.'"]],
      ['a/b', [CONFIG_KEY]],
      ['', [CONFIG_KEY]],
      [a(254), ['must be no more than 253 characters']],
    ],
  ],
]
for (const [name, validate, rows] of tables) {
  test(`judges a ${name} in the words of Kubernetes`, () => {
    for (const [given, problems] of rows) assert.deepEqual(validate(given), problems, JSON.stringify(given))
  })
}

test('a base for a generated name may end in a dash', () => {
  assert.deepEqual(validateName('subdomain', 'pvc-', { isPrefix: true }), [])
  assert.deepEqual(validateName('subdomain', 'pvc-'), [SUBDOMAIN])
  assert.deepEqual(validateName('label', 'a-', { isPrefix: true }), [])
  assert.deepEqual(validateName('label', '-', { isPrefix: true }), [LABEL])
  assert.deepEqual(validateName('label', 'é-', { isPrefix: true }), [LABEL])
  assert.deepEqual(validateName('path-segment', '.', { isPrefix: true }), [])
  assert.deepEqual(validateName('path-segment', '.'), ["may not be '.'"])
})

test('each kind of name has its rule', () => {
  assert.deepEqual(validateName('label', 'a.b'), ['must not contain dots'])
  assert.deepEqual(validateName('label-1035', '1'), [LABEL_1035])
  assert.deepEqual(validateName('any', '!'), [])
})

test('names the key or the value that is wrong with labels', () => {
  assert.deepEqual(validateLabels({ good: 'value', '-bad': 'value' }), [
    { value: '-bad', detail: `name part ${QUALIFIED}` },
  ])
  assert.deepEqual(validateLabels({ key: 'bad-' }), [{ value: 'bad-', detail: VALUE }])
})

test('annotations have keys in any case and values of any kind', () => {
  assert.deepEqual(validateAnnotations({ 'Example.COM/Key': 'anything at all\n' }), [])
  assert.deepEqual(validateAnnotations({ 'a b': '' }), [{ value: 'a b', detail: `name part ${QUALIFIED}` }])
})

test('annotations hold 256 KiB and not a byte more', () => {
  assert.deepEqual(validateAnnotations({ k: a(256 * 1024 - 1) }), [])
  assert.deepEqual(validateAnnotations({ k: `${a(256 * 1024 - 2)}é` }), [
    { detail: 'may not be more than 262144 bytes' },
  ])
})
