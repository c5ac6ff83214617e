import type { RawReply } from '../../../src/apiserver/testing/raw-client.ts'

/** One place in which two responses differ. */
export type Difference = { readonly at: string; readonly ours: unknown; readonly theirs: unknown }

type Comparable = {
  readonly code: number
  readonly type: string | undefined
  readonly warning: readonly string[]
  readonly body: unknown
}

/** Where two responses differ. If one of them is an error, or the errors have different codes, the documents have nothing else in common. */
export function compareReplies(ourReply: RawReply, theirReply: RawReply): Difference[] {
  const [ours, theirs] = [comparableReply(ourReply), comparableReply(theirReply)]
  if (ours.code === theirs.code) return differencesOf(ours, theirs)
  return [{ at: 'code', ours: summaryOf(ours), theirs: summaryOf(theirs) }]
}

function summaryOf({ code, body }: Comparable): string {
  const message = (body as { message?: unknown } | undefined)?.message
  return code < 400 ? String(code) : `${code}: ${String(message)}`
}

/** What of a response is compared: the status code, and the document without what differs between any two servers. */
function comparableReply({ status, headers, text }: RawReply): Comparable {
  const type = String(headers['content-type'] ?? '').split(';')[0]
  return { code: status, type, warning: warningsOf(headers['warning']), body: withoutChance(parse(text)) }
}

const warningsOf = (header: unknown): string[] =>
  (Array.isArray(header) ? header : header === undefined ? [] : [header])
    .flatMap((line: string) => line.split(/,\s*(?=299 )/))
    .map((line: string) => line.trim())

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const CHANCE = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'time',
  'lastPhaseTransitionTime',
  'continue',
  'storageVersionHash',
])
const AGE = /^(?:<invalid>|\d+[smhdy](?:\d+[smhdy])?)$/

/** Times, versions and identifiers are different on any two servers. */
export function withoutChance(value: unknown, key = ''): unknown {
  if (CHANCE.has(key) && typeof value === 'string' && value !== '') return `(${key})`
  if (typeof value === 'string')
    return value
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '(uid)')
      .replaceAll(/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '(time)')
      .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-(name)')
      .replaceAll(/(resource version: )\d+(?:, current: \d+| \(\d+\))?/g, '$1(version)')
  if (key === 'causes' && Array.isArray(value)) return uniqueCauses(value)
  if (key === 'managedFields' && Array.isArray(value)) return withoutChance(value.toSorted(byManager))
  if (Array.isArray(value)) return value.map((item) => withoutChance(key === 'cells' ? withoutAge(item) : item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]): [string, unknown] => [name, withoutChance(member, name)])
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

// Entries of one second are sorted by their names, and which second it is depends on chance.
type Entry = { readonly manager?: string; readonly operation?: string; readonly subresource?: string }
const byManager = (one: Entry, other: Entry): number => (nameOf(one) < nameOf(other) ? -1 : 1)
const nameOf = ({ manager, operation, subresource }: Entry): string => `${operation} ${manager} ${subresource}`

// Kubernetes validates some objects twice. The message has every problem once, and in order.
const uniqueCauses = (causes: readonly unknown[]): unknown[] =>
  [...new Set(causes.map((cause) => JSON.stringify(withoutChance(cause))))].toSorted().map((text) => JSON.parse(text))

const withoutAge = (cell: unknown): unknown => (typeof cell === 'string' && AGE.test(cell) ? '(age)' : cell)

/** The places at which two values differ. */
export function differencesOf(ours: unknown, theirs: unknown, at = ''): Difference[] {
  if (Object.is(ours, theirs)) return []
  const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
  if (!isTree(ours) || !isTree(theirs) || Array.isArray(ours) !== Array.isArray(theirs)) return [{ at, ours, theirs }]
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])]
  return keys.flatMap((key) => differencesOf(ours[key], theirs[key], at === '' ? key : `${at}.${key}`))
}
