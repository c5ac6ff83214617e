/** Members that may be undefined become optional. */
export type WithoutUndefined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key]
} & { [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined> }

/** The object without undefined members, for objects that are compared or sent and in which those must be absent. */
export function withoutUndefined<T extends object>(object: T): WithoutUndefined<T> {
  // The filter removes exactly what the type removes.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as WithoutUndefined<T>
}
