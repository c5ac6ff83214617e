import type { Row, TableInfo } from './protocol.ts'

/** Something that only a driver or only the cluster knows. */
export type FoundLeak = {
  readonly driver: string
  /** `volume-without-object`. */
  readonly kind: string
  readonly handle?: string
  readonly path?: string
  readonly object?: string
  readonly node?: string
  readonly sizeBytes?: number
}

export const LEAK_TABLE: TableInfo = {
  name: 'leaks',
  title: 'Leaks',
  columns: [
    { title: 'Leak', kind: 'state' },
    { title: 'Driver', kind: 'text' },
    { title: 'Handle', kind: 'id' },
    { title: 'Size', kind: 'bytes' },
    { title: 'Object', kind: 'text' },
    { title: 'Node', kind: 'text' },
  ],
  empty: 'No leaks: the drivers and the cluster know the same volumes, snapshots and attachments.',
  note: 'What only a driver, or only the cluster, knows: the same as holdfast sweep. A driver may serve several clusters: what this one does not know may belong to another.',
}

export const leakRows = (leaks: readonly FoundLeak[]): Row[] =>
  leaks.map(({ driver, kind, path = '', handle = path, object = '', node = '', sizeBytes = null }) => ({
    key: `${driver} ${kind} ${handle} ${object} ${node}`,
    tone: 'bad',
    cells: [kind.replaceAll('-', ' '), driver, handle, sizeBytes, object, node],
  }))
