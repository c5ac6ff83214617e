/**
 * A type as clients fill it in: anything may be left out, and rules may change what is there. The schema has already
 * refused values of a wrong type, so what is present has the type that stands here.
 */
export type Loose<T> = T extends readonly (infer Item)[]
  ? Loose<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]?: Loose<T[Key]> | undefined }
    : T
