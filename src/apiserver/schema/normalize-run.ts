import { formatPath } from './field-path.ts'

/** The findings while processing one value. */
export type NormalizeRun = {
  readonly unknownFields: string[]
  readonly problems: string[]
  /** The current path: grows and shrinks while processing. */
  readonly path: (string | number)[]
  /** The current struct, for messages. */
  owner: string
}

const MOST_UNKNOWN_FIELDS = 100

/** Reports a member that the schema does not know. */
export function reportUnknown(run: NormalizeRun, key: string): void {
  if (run.unknownFields.length >= MOST_UNKNOWN_FIELDS) return
  const parent = formatPath(run.path)
  run.unknownFields.push(parent === '' ? key : `${parent}.${key}`)
}
