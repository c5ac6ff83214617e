/** The status codes of gRPC by number. */
export const CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const

export type Code = (typeof CODES)[number]

export const codeNumber = (code: Code): number => CODES.indexOf(code)

/** UNKNOWN for a number that is not a gRPC code. */
export const codeOf = (number: number): Code => CODES[number] ?? 'UNKNOWN'

/** The name in Go programs and metrics: `DeadlineExceeded`, `OK`. */
export function goCodeName(code: Code): string {
  if (code === 'OK') return 'OK'
  if (code === 'CANCELLED') return 'Canceled'
  return code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}
