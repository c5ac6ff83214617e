/** Members that may be undefined become optional ones. */
export type WithoutUndefined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key]
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> }

/** The object without the members that are undefined: for objects that are compared or sent, where those have to be absent. */
export function withoutUndefined<T extends object>(object: T): WithoutUndefined<T> {
  // The filter does what the type says.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>
}
