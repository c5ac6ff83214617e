// These messages are part of the API: clients and people know them from Kubernetes, so they match exactly. Lengths are counted in bytes, whatever the
// message says.

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${QUALIFIED})?`
const CONFIG_KEY = '[-._a-zA-Z0-9]+'

const isLabel = fullMatch(LABEL)
const isSubdomain = fullMatch(SUBDOMAIN)
const isLabel1035 = fullMatch(LABEL_1035)
const isQualified = fullMatch(QUALIFIED)
const isLabelValue = fullMatch(LABEL_VALUE)
const isConfigKey = fullMatch(CONFIG_KEY)

const LONGEST_LABEL = 63
const LONGEST_SUBDOMAIN = 253
const LARGEST_ANNOTATIONS_BYTES = 256 * 1024

/** The rule for the names of a kind: most are `subdomain`, those of RBAC are `path-segment`. */
export type NameRule = 'subdomain' | 'label' | 'label-1035' | 'path-segment' | 'any'

export type NameOptions = {
  /** The text is a `generateName`: it may end in a dash, because a suffix follows. Default false. */
  isPrefix?: boolean
}

/** Problems with an object's name under the rule of its kind. */
export function validateName(rule: NameRule, name: string, { isPrefix = false }: NameOptions = {}): string[] {
  const masked = isPrefix ? maskTrailingDash(name) : name
  switch (rule) {
    case 'subdomain':
      return validateDnsSubdomain(masked)
    case 'label':
      return validateDnsLabel(masked)
    case 'label-1035':
      return validateDns1035Label(masked)
    case 'path-segment':
      return isPrefix ? validatePathSegmentPrefix(name) : validatePathSegmentName(name)
    case 'any':
      return []
  }
}

// Kubernetes also drops the byte before the dash, so `--` passes as a prefix.
const maskTrailingDash = (name: string): string => (name.length > 1 ? name.replace(/\p{ASCII}?-$/u, 'a') : name)

/** Names of most kinds: at most 253 of `a-z0-9-.`, with letters or digits at the ends and around dots. */
export function validateDnsSubdomain(name: string): string[] {
  return [...tooLong(name, LONGEST_SUBDOMAIN, 'characters'), ...subdomainProblems(name)]
}

/** Names of namespaces and pod volumes: at most 63 of `a-z0-9-`. */
export function validateDnsLabel(name: string): string[] {
  const problems = tooLong(name, LONGEST_LABEL, 'characters')
  if (isLabel(name)) return problems
  if (isSubdomain(name)) return [...problems, 'must not contain dots']
  const rule =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character"
  return [...problems, mustMatch(rule, LABEL, 'my-name', '123-abc')]
}

/** A DNS label that begins with a letter. */
export function validateDns1035Label(name: string): string[] {
  const problems = tooLong(name, LONGEST_LABEL, 'characters')
  if (isLabel1035(name)) return problems
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character"
  return [...problems, mustMatch(rule, LABEL_1035, 'my-name', 'abc-123')]
}

/** Keys of labels and annotations, finalizers, resource names: `name` or `example.com/name`. */
export function validateQualifiedName(name: string): string[] {
  const rule =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  // Created only if needed: most names are valid, and formatting this text takes longer than all the checks.
  const shape = (): string => mustMatch(rule, QUALIFIED, 'MyName', 'my.name', '123-abc')
  const parts = name.split('/')
  if (parts.length > 2)
    return [`a valid label key ${shape()} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`]
  const own = parts.at(-1) ?? ''
  return [
    ...(parts.length === 2 ? prefixProblems(parts[0] ?? '') : []),
    ...(own === '' ? ['must be non-empty'] : tooLong(own, LONGEST_LABEL, 'bytes')).map(
      (problem) => `name part ${problem}`,
    ),
    ...(isQualified(own) ? [] : [`name part ${shape()}`]),
  ]
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty']
  return [...tooLong(prefix, LONGEST_SUBDOMAIN, 'bytes'), ...subdomainProblems(prefix)].map(
    (problem) => `prefix part ${problem}`,
  )
}

/** Empty, or at most 63 of `A-Za-z0-9-_.` with letters or digits at the ends. */
export function validateLabelValue(value: string): string[] {
  const problems = tooLong(value, LONGEST_LABEL, 'bytes')
  if (isLabelValue(value)) return problems
  const rule =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
  return [...problems, mustMatch(rule, LABEL_VALUE, 'MyValue', 'my_value', '12345')]
}

/** Anything that can be between two slashes of a path. Neither an empty name nor the length is checked. */
export function validatePathSegmentName(name: string): string[] {
  return name === '.' || name === '..' ? [`may not be '${name}'`] : validatePathSegmentPrefix(name)
}

/** Like a path segment, but a suffix follows: `.` is allowed. */
export function validatePathSegmentPrefix(name: string): string[] {
  return ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`)
}

/** Keys of the data in a ConfigMap or a Secret, which become file names. */
export function validateConfigMapKey(key: string): string[] {
  const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
  return [
    ...tooLong(key, LONGEST_SUBDOMAIN, 'characters'),
    ...(isConfigKey(key) ? [] : [mustMatch(rule, CONFIG_KEY, 'key.name', 'KEY_NAME', 'key-name')]),
    ...(key === '.' || key === '..'
      ? [`must not be '${key}'`]
      : key.startsWith('..')
        ? ["must not start with '..'"]
        : []),
  ]
}

/** One problem in a map: the key or value it is about (absent if it is about the whole map), and a description. */
export type MapProblem = { readonly value?: string; readonly detail: string }

export function validateLabels(labels: Readonly<Record<string, string>>): MapProblem[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...validateQualifiedName(key).map((detail) => ({ value: key, detail })),
    ...validateLabelValue(value).map((detail) => ({ value, detail })),
  ])
}

/** Keys may have capitals even before the slash; values may be anything, up to a total of 256 KiB. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>): MapProblem[] {
  const entries = Object.entries(annotations)
  const problems: MapProblem[] = entries.flatMap(([key]) =>
    validateQualifiedName(key.toLowerCase()).map((detail) => ({ value: key, detail })),
  )
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0)
  if (bytes > LARGEST_ANNOTATIONS_BYTES)
    problems.push({ detail: `may not be more than ${LARGEST_ANNOTATIONS_BYTES} bytes` })
  return problems
}

function subdomainProblems(name: string): string[] {
  if (isSubdomain(name)) return []
  const rule =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character"
  return [mustMatch(rule, SUBDOMAIN, 'example.com')]
}

function tooLong(text: string, longest: number, unit: 'bytes' | 'characters'): string[] {
  return Buffer.byteLength(text) > longest ? [`must be no more than ${longest} ${unit}`] : []
}

function mustMatch(rule: string, pattern: string, ...examples: string[]): string {
  const given = examples.map((example) => `'${example}', `).join(' or ')
  return `${rule} (e.g. ${given}regex used for validation is '${pattern}')`
}

function fullMatch(pattern: string): (text: string) => boolean {
  const compiled = new RegExp(`^${pattern}$`)
  return (text) => compiled.test(text)
}
