import { isEqualJson } from '../../api/equal-json.ts'
import { validateConfigMapKey } from '../../api/names.ts'
import { SECRETS } from '../../api/kinds/secret.ts'
import type { Secret } from '../../api/kinds/secret.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { forbidden, immutable, invalid, invalidFor, required, tooLong } from './rules/problems.ts'

/** Maximum total size of the values of a Secret or ConfigMap. */
export const MOST_DATA_BYTES = 1024 * 1024

const FROZEN = 'field is immutable when `immutable` is set'
const ACCOUNT_ANNOTATION = 'kubernetes.io/service-account.name'

export const SECRET_KIND = kindTable<Secret>({
  type: SECRETS,
  fieldLabels: { type: ({ type }) => type ?? '' },
  columns: [
    NAME,
    text('Type', ({ type }) => type ?? ''),
    text('Data', ({ data }) => Object.keys(data ?? {}).length),
    AGE,
  ],

  applyDefaults(object) {
    object.type ||= 'Opaque'
    if (!object.stringData) return
    const encoded = Object.entries(object.stringData).map(([key, value = '']) => [
      key,
      Buffer.from(value).toString('base64'),
    ])
    object.data = { ...object.data, ...Object.fromEntries(encoded) }
    delete object.stringData
  },

  validate(object) {
    const entries = Object.entries(object.data ?? {})
    const bytes = entries.reduce((sum, [, value = '']) => sum + decodedBytes(value), 0)
    return [
      ...entries.flatMap(([key]) => invalidFor(`data[${key}]`, key, validateConfigMapKey(key))),
      ...(bytes > MOST_DATA_BYTES ? [tooLong('data', MOST_DATA_BYTES)] : []),
      ...typeProblems(object),
    ]
  },

  validateUpdate: (object, old) => [
    ...immutable('type', object.type, old.type),
    ...(old.immutable && !object.immutable ? [forbidden('immutable', FROZEN)] : []),
    ...(old.immutable && !isEqualJson(object.data ?? {}, old.data ?? {}) ? [forbidden('data', FROZEN)] : []),
  ],
})

/** The number of bytes that a base64 text encodes. */
export const decodedBytes = (base64: string): number => Buffer.byteLength(base64, 'base64')

// A type determines the required keys.
function typeProblems({ type, data = {}, metadata }: Loose<Secret>): FieldProblem[] {
  const missing = (...keys: string[]): FieldProblem[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`))
  switch (type) {
    case 'kubernetes.io/service-account-token':
      return metadata?.annotations?.[ACCOUNT_ANNOTATION]
        ? []
        : [required(`metadata.annotations[${ACCOUNT_ANNOTATION}]`)]
    case 'kubernetes.io/dockercfg':
      return jsonProblems(data, '.dockercfg')
    case 'kubernetes.io/dockerconfigjson':
      return jsonProblems(data, '.dockerconfigjson')
    case 'kubernetes.io/basic-auth':
      return data['username'] === undefined && data['password'] === undefined ? missing('username', 'password') : []
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')]
    case 'kubernetes.io/tls':
      return missing('tls.crt', 'tls.key')
    default:
      return []
  }
}

function jsonProblems(data: Readonly<Record<string, string | undefined>>, key: string): FieldProblem[] {
  const value = data[key]
  if (value === undefined) return [required(`data[${key}]`)]
  try {
    const parsed: unknown = JSON.parse(Buffer.from(value, 'base64').toString())
    return typeof parsed === 'object' && !Array.isArray(parsed)
      ? []
      : [invalid(`data[${key}]`, '<secret contents redacted>', 'is no JSON object')]
  } catch {
    // The parser's own message would quote the secret.
    return [invalid(`data[${key}]`, '<secret contents redacted>', 'is no JSON object')]
  }
}
