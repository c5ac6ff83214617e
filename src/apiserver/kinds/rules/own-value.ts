/** The value that the map itself has: keys come from users, and every object inherits a `constructor`. */
export const ownValue = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined
