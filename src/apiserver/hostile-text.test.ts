import { ok } from 'node:assert/strict'
import { test } from 'node:test'
import { validateCsiDriverName } from '../api/csi-driver-name.ts'
import { parseFieldSelector } from '../api/field-selector.ts'
import { parseJsonPointer } from '../api/json-pointer.ts'
import { parseLabelSelector } from '../api/label-selector.ts'
import { validateAnnotations, validateConfigMapKey, validateLabels, validateName } from '../api/names.ts'
import type { NameRule } from '../api/names.ts'
import { canonicalQuantity } from '../api/quantity.ts'
import { quoteGo } from '../api/quote-go.ts'
import { findTimestamp } from '../api/timestamps.ts'
import { findMissingRights } from './authorization/policy-rule.ts'
import { parseJsonPath } from './crd/json-path.ts'
import { readCredentials } from './http/credentials.ts'
import { compareVersions } from './http/group-order.ts'
import { parseAccept } from './http/negotiate.ts'
import { parseBodyOptions } from './http/parse-options.ts'
import { parseTarget } from './http/parse-target.ts'
import { formatWarnings } from './http/warning-header.ts'
import { intOrPercentProblems } from './kinds/rules/int-or-percent.ts'
import { applyPodSpecDefaults } from './kinds/rules/pod-defaults.ts'
import { canonicalBase64 } from './schema/canonical-base64.ts'
import { canonicalTime } from './schema/canonical-time.ts'
import { parseCel } from './schema/cel/parse-cel.ts'
import { hasFormat } from './schema/formats.ts'
import { GoRegExp } from './schema/regexp/go-regexp.ts'
import { weighPattern } from './schema/regexp/weigh-pattern.ts'

// Every function in api/ and apiserver/ that parses a client's text with a JavaScript regular expression, which may backtrack.
const NAME_RULES: readonly NameRule[] = ['subdomain', 'label', 'label-1035', 'path-segment', 'any']
const FORMATS = [
  'date-time',
  'date',
  'byte',
  'uuid',
  'uuid3',
  'uuid4',
  'uuid5',
  'ipv4',
  'ipv6',
  'cidr',
  'hostname',
  'mac',
  'email',
  'uri',
  'duration',
]
const readers: [name: string, read: (text: string) => unknown][] = [
  ...NAME_RULES.flatMap((rule): typeof readers => [
    [`names by the rule ${rule}`, (text) => validateName(rule, text)],
    [`prefixes of names by the rule ${rule}`, (text) => validateName(rule, text, { isPrefix: true })],
  ]),
  ...FORMATS.map((format): (typeof readers)[number] => [`the format ${format}`, (text) => hasFormat(format, text)]),
  ['labels', (text) => validateLabels({ [text]: text })],
  ['annotations', (text) => validateAnnotations({ [text]: text })],
  ['keys of ConfigMaps', (text) => validateConfigMapKey(text)],
  ['names of CSI drivers', (text) => validateCsiDriverName(text)],
  ['quantities', (text) => canonicalQuantity(text)],
  ['numbers or percentages', (text) => intOrPercentProblems('a', text)],
  ['times', (text) => [findTimestamp(text), canonicalTime(text, 6)]],
  ['base64', (text) => canonicalBase64(text)],
  ['label selectors', (text) => parseLabelSelector(text)],
  ['field selectors', (text) => parseFieldSelector(text)],
  ['JSON pointers', (text) => parseJsonPointer(text)],
  ['JSON paths', (text) => parseJsonPath(text)],
  ['rules in CEL', (text) => parseCel(text)],
  ['weights of patterns', (text) => weighPattern(text)],
  ['patterns', (text) => new GoRegExp(text).problem],
  [
    'paths of RBAC rules',
    (text) =>
      findMissingRights([{ verbs: ['get'], nonResourceURLs: [text] }], [{ verbs: ['get'], nonResourceURLs: ['/a'] }]),
  ],
  ['Accept headers', (text) => parseAccept(text)],
  [
    'Authorization headers',
    (text) =>
      readCredentials({
        headers: { authorization: `Bearer ${text}` },
        rawHeaders: [],
        connection: {},
      } as unknown as Parameters<typeof readCredentials>[0]),
  ],
  ['targets of requests', (text) => parseTarget(`http://${text}`)],
  ['field managers', (text) => parseBodyOptions(new URLSearchParams({ fieldManager: text }), 'CreateOptions')],
  ['names of versions', (text) => compareVersions(`v1alpha${text}`, text)],
  ['images', (text) => applyPodSpecDefaults({ containers: [{ name: 'a', image: text }] })],
  ['texts for messages', (text) => quoteGo(text)],
  ['warnings', (text) => formatWarnings([text])],
]

const UNITS = [
  'a',
  '1',
  '0',
  '.',
  '-',
  'a.',
  'a-',
  '1.',
  '1s',
  '1 ',
  ' ',
  '*',
  '/',
  '/a',
  '~0',
  '\\',
  '\\a',
  '"',
  "'",
  '[',
  '[0]',
  '[*]',
  '(',
  '()',
  '=',
  ',',
  'a=',
  'a,',
  ':',
  'a:',
  'f',
  '=a',
  '{1}',
  '__',
  'é',
  '💾',
  '\n',
]
const STARTS = ['', 'a', '/', '1970-01-01T00:00:00.']
const ENDS = ['', '!', 'a*']

// A linear function takes a few milliseconds for each of these; any other takes seconds. CPU time of other processes does not count.
const LENGTH = 20_000
const MOST_MS = 300

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Parses a text, or rejects it with its own error, in a short time. */
function checkQuick(read: (text: string) => unknown, text: string): void {
  const shown = JSON.stringify(`${text.slice(0, 30)}…${text.slice(-5)}`)
  const began = cpuMs()
  try {
    read(text)
  } catch (error) {
    ok(!(error instanceof RangeError) && !(error instanceof TypeError), `${shown}: ${String(error)}`)
  }
  const tookMs = cpuMs() - began
  ok(tookMs < MOST_MS, `${shown} took ${tookMs.toFixed(0)} ms`)
}

for (const [name, read] of readers) {
  test(`${name} are read in linear time`, () => {
    for (const unit of UNITS) {
      const middle = unit.repeat(LENGTH / unit.length)
      for (const start of STARTS) for (const end of ENDS) checkQuick(read, `${start}${middle}${end}`)
    }
  })
}

test('a text as large as a request is refused, and not with an error of the engine', () => {
  for (const [name, read] of readers) {
    for (const unit of ['a', '/a', '1s']) {
      const text = unit.repeat(3_000_000 / unit.length)
      try {
        read(text)
      } catch (error) {
        ok(!(error instanceof RangeError), `${name}, ${unit}: ${String(error)}`)
      }
    }
  }
})
