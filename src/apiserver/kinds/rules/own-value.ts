/** The map's own value: keys come from users, and every object inherits a `constructor`. */
export const ownValue = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined
