/** A map of the specification as text that is the same for the same entries: their order on the wire has no meaning, and Go programs shuffle it. */
export const formatMap = (map: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1))))
