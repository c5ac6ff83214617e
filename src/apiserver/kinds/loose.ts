/**
 * A type as clients fill it in: every field is optional, and rules may change the object. The schema has already rejected values of a wrong type, so
 * present fields have the declared type.
 */
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]?: Loose<T[Key]> | undefined }
    : T
