import { UsageError } from '../../base/options/index.ts'
import type { RecordedCall, RecordingHeader } from '../recording/recording.ts'

export type Recording = { readonly header: RecordingHeader; readonly calls: readonly RecordedCall[] }

/** Reads a recording; its calls are in the order of their starts. Throws a `UsageError` that names the file and the line. */
export function parseRecording(text: string, fileName: string): Recording {
  const lines = text.split('\n')
  // The last line of a process that was killed may be incomplete.
  if (lines.at(-1) !== '') lines.pop()
  const wrong = (line: number, problem: string): UsageError => new UsageError([`${fileName}:${line}: ${problem}`])
  const parsed = lines
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => {
      try {
        return { value: JSON.parse(line) as unknown, number }
      } catch {
        throw wrong(number, 'this line is not JSON; each line of a recording is one JSON object')
      }
    })
  const [first, ...rest] = parsed
  if (!first || !isHeader(first.value))
    throw wrong(
      1,
      'this is not a recording of holdfast proxy: the first line has to be {"recording":"holdfast","version":1,…}',
    )
  const calls = rest.map(({ value, number }) => {
    if (!isCall(value)) throw wrong(number, 'expected a call with the keys call, rpc, begins and ends')
    return value
  })
  return { header: first.value, calls: calls.toSorted((one, other) => one.begins - other.begins) }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const isHeader = (value: unknown): value is RecordingHeader =>
  isObject(value) && value['recording'] === 'holdfast' && value['version'] === 1

const isCall = (value: unknown): value is RecordedCall =>
  isObject(value) &&
  typeof value['rpc'] === 'string' &&
  ['call', 'begins', 'ends', 'tookMs'].every((key) => typeof value[key] === 'number') &&
  ['request', 'reply', 'fault'].every((key) => value[key] === undefined || isObject(value[key]))
