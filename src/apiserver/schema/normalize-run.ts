import { formatPath } from './field-path.ts'

/** What is found on the way through one value. */
export type NormalizeRun = {
  readonly unknownFields: string[]
  readonly problems: string[]
  /** Where we are: grows and shrinks on the way. */
  readonly path: (string | number)[]
  /** The struct we are in, for messages. */
  owner: string
}

const MOST_UNKNOWN_FIELDS = 100

/** Notes a member that the schema does not know. */
export function reportUnknown(run: NormalizeRun, key: string): void {
  if (run.unknownFields.length >= MOST_UNKNOWN_FIELDS) return
  const parent = formatPath(run.path)
  run.unknownFields.push(parent === '' ? key : `${parent}.${key}`)
}
