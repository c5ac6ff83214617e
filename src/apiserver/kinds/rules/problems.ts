import { isEqualJson } from '../../../api/equal-json.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'

// Each is named after the problem type in Kubernetes; together with `formatProblem` they produce its exact message.

export const required = (field: string, detail = ''): FieldProblem => ({ field, type: 'FieldValueRequired', detail })

export const invalid = (field: string, value: unknown, detail: string): FieldProblem => ({
  field,
  type: 'FieldValueInvalid',
  value: value ?? null,
  detail,
})

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldProblem => ({
  field,
  type: 'FieldValueNotSupported',
  value: value ?? null,
  detail: `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`,
})

export const duplicate = (field: string, value: unknown): FieldProblem => ({
  field,
  type: 'FieldValueDuplicate',
  value,
  detail: '',
})

export const forbidden = (field: string, detail: string): FieldProblem => ({
  field,
  type: 'FieldValueForbidden',
  detail,
})

export const tooLong = (field: string, mostBytes: number): FieldProblem => ({
  field,
  type: 'FieldValueTooLong',
  detail: `may not be more than ${mostBytes} bytes`,
})

/** Rejects a list with more items than this. */
export const tooMany = (field: string, count: number, most: number): FieldProblem[] =>
  count > most ? [{ field, type: 'FieldValueTooMany', value: count, detail: `must have at most ${most} items` }] : []

export const notFound = (field: string, value: unknown): FieldProblem => ({
  field,
  type: 'FieldValueNotFound',
  value,
  detail: '',
})

/** A problem for each message of a check. */
export const invalidFor = (field: string, value: string, details: readonly string[]): FieldProblem[] =>
  details.map((detail) => invalid(field, value, detail))

/** Rejects a change, with the new value. */
export const immutable = (field: string, value: unknown, before: unknown): FieldProblem[] =>
  isEqualJson(value, before) ? [] : [invalid(field, value, IMMUTABLE)]

export const IMMUTABLE = 'field is immutable'

/** Rejects an unsupported value. An absent value is not checked here. */
export const oneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldProblem[] =>
  value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)]

export const inclusiveRange = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`

export const nonNegative = (field: string, value: number | undefined): FieldProblem[] =>
  value !== undefined && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []
