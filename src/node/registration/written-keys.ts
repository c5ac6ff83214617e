import type { CSINode } from '../../api/kinds/csi-node.ts'

/** The label keys that each driver has written to the Node. */
export interface WrittenKeys {
  note(driver: string, keys: readonly string[]): void
  /** By driver, what it alone wrote: in this life, or by what CSINode says of it. */
  ownKeys(csiNode: CSINode | undefined): Map<string, Set<string>>
}

export function createWrittenKeys(): WrittenKeys {
  const written = new Map<string, Set<string>>()
  return {
    note: (driver, keys) => void written.set(driver, new Set([...(written.get(driver) ?? []), ...keys])),
    ownKeys: (csiNode) => {
      const listed = new Map((csiNode?.spec.drivers ?? []).map(({ name, topologyKeys }) => [name, new Set(topologyKeys)]))
      const keysOf = (driver: string): Set<string> => new Set([...(listed.get(driver) ?? []), ...(written.get(driver) ?? [])])
      const drivers = new Set([...listed.keys(), ...written.keys()])
      return new Map([...drivers].map((driver) => {
        const others = [...drivers].filter((other) => other !== driver).flatMap((other) => [...keysOf(other)])
        return [driver, keysOf(driver).difference(new Set(others))]
      }))
    },
  }
}
