/** A problem with one field, with upstream's message. */
export type FieldProblem = {
  /** `spec.accessModes[0]`. */
  readonly field: string
  readonly type: FieldProblemType
  /** The value in question; absent if the message does not show it. */
  readonly value?: unknown
  readonly detail: string
}

export type FieldProblemType =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueNotFound'
  | 'FieldValueTypeInvalid'
