import type { Code } from '../../csi/index.ts'

// Parts of one quotation are separated by " … ".

/** A row of a table of error codes, which the sentence before the table makes binding. */
export const errorRow = (row: string): string =>
  `If the conditions defined below are encountered, the plugin MUST return the specified gRPC error code. … ${row}`

const GENERAL =
  'In addition to those, if the conditions defined below are encountered, the plugin MUST return the associated gRPC error code.'

export const MISSING_FIELD = `${GENERAL} … Missing required field | 3 INVALID_ARGUMENT`
export const INVALID_FIELD = `${GENERAL} … Invalid or unsupported field in the request | 3 INVALID_ARGUMENT`
/** For an ID that no object has. A driver may also refuse its format, which only the driver knows. */
export const NO_SUCH_OBJECT: readonly Code[] = ['NOT_FOUND', 'INVALID_ARGUMENT']
export const ERROR_SCHEME = 'Error Scheme'
