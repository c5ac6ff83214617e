/** The value for the key. If there is none, creates it and adds it to the map. */
export function getOrAdd<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  const present = map.get(key)
  if (present !== undefined) return present
  const created = create()
  map.set(key, created)
  return created
}
