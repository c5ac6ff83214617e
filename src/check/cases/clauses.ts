// Parts of one quotation are separated by " … ".

/** A row of a table of error codes, which the sentence before the table makes binding. */
export const errorRow = (row: string): string =>
  `If the conditions defined below are encountered, the plugin MUST return the specified gRPC error code. … ${row}`

const GENERAL =
  'In addition to those, if the conditions defined below are encountered, the plugin MUST return the associated gRPC error code.'

export const MISSING_FIELD = `${GENERAL} … Missing required field | 3 INVALID_ARGUMENT`
export const INVALID_FIELD = `${GENERAL} … Invalid or unsupported field in the request | 3 INVALID_ARGUMENT`
export const ERROR_SCHEME = 'Error Scheme'
