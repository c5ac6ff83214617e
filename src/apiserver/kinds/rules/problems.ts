import { isEqualJson } from '../../../api/equal-json.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'

// Each is named after what Kubernetes calls such a problem; together with `formatProblem` they give its exact words.

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

export const notFound = (field: string, value: unknown): FieldProblem => ({
  field,
  type: 'FieldValueNotFound',
  value,
  detail: '',
})

/** A problem for each thing that a check of a value had to say. */
export const invalidFor = (field: string, value: string, details: readonly string[]): FieldProblem[] =>
  details.map((detail) => invalid(field, value, detail))

/** Refuses a change, and shows the value that was wanted. */
export const immutable = (field: string, value: unknown, before: unknown): FieldProblem[] =>
  isEqualJson(value, before) ? [] : [invalid(field, value, IMMUTABLE)]

export const IMMUTABLE = 'field is immutable'

/** Refuses a value that is none of those, unless it is absent: whether it may be is another question. */
export const oneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldProblem[] =>
  value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)]

export const inclusiveRange = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`

export const nonNegative = (field: string, value: number | undefined): FieldProblem[] =>
  value !== undefined && value < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : []
