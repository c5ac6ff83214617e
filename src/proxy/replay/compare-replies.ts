import type { RecordedReply } from '../recording/recording.ts'
import { CONTEXT_FIELDS, ID_FIELDS } from './value-map.ts'
import type { ValueMap } from './value-map.ts'

/** One field that differs. Undefined: the field is absent. */
export type Difference = { readonly field: string; readonly recorded: unknown; readonly actual: unknown }

/** Times that a driver chooses: they differ in every run. */
const TIMES: ReadonlySet<string> = new Set(['creation_time'])

/** The fields in which an answer differs from the recorded one. IDs that the driver chose are learned from the answer, and not a difference. */
export function compareReplies(recorded: RecordedReply, actual: RecordedReply, values: ValueMap): Difference[] {
  if (recorded.code !== actual.code)
    return [
      { field: 'code', recorded: recorded.code, actual: actual.code },
      ...(actual.message === undefined || actual.message === recorded.message
        ? []
        : [{ field: 'message', recorded: recorded.message, actual: actual.message }]),
    ]
  const { response, responses, message } = recorded
  return [
    ...compare('', 'message', message, actual.message, values),
    ...compare('', 'response', response, actual.response, values),
    ...compare('', 'responses', responses, actual.responses, values),
  ]
}

function compare(above: string, key: string, recorded: unknown, actual: unknown, values: ValueMap): Difference[] {
  const field = above === '' ? key : `${above}.${key}`
  const different = [{ field: field.replace(/^responses?\./, ''), recorded, actual }]
  if (recorded === undefined && actual === undefined) return []
  if (TIMES.has(key)) return (recorded === undefined) === (actual === undefined) ? [] : different
  if (typeof recorded === 'string' && typeof actual === 'string')
    return isSameText({ above, key, recorded, actual }, values) ? [] : different
  if (Array.isArray(recorded) && Array.isArray(actual)) {
    if (recorded.length !== actual.length)
      return [{ field: `${different[0]?.field} (number of items)`, recorded: recorded.length, actual: actual.length }]
    // The items of a list of IDs are IDs.
    return recorded.flatMap((item, index) =>
      typeof item === 'string'
        ? isSameText({ above, key, recorded: item, actual: String(actual[index]) }, values)
          ? []
          : [{ field: `${different[0]?.field}.${index}`, recorded: item, actual: actual[index] as unknown }]
        : compare(field, String(index), item, actual[index], values),
    )
  }
  if (isObject(recorded) && isObject(actual)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(actual)])
    return [...keys].flatMap((each) => compare(field, each, recorded[each], actual[each], values))
  }
  return Object.is(recorded, actual) ? [] : different
}

type Texts = { above: string; key: string; recorded: string; actual: string }

function isSameText({ above, key, recorded, actual }: Texts, values: ValueMap): boolean {
  if (ID_FIELDS.has(key)) {
    const known = values.find(recorded)
    if (known === undefined) values.learn(recorded, actual)
    return known === undefined || known === actual
  }
  const [map = ''] = above.split('.').slice(-1)
  const isSame = recorded === actual || values.translate(recorded) === actual
  // Later requests have to carry what this driver gave out, different or not.
  if (CONTEXT_FIELDS.has(map)) values.learnContext(key, recorded, actual)
  return isSame
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
