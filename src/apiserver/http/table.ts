import { formatExactJson } from '../../api/exact-json.ts'
import type { Column, Draft, KindDefinition } from '../core/kind-definition.ts'
import type { StoredObject } from '../core/stored-object.ts'
import type { IncludeObject } from './parse-options.ts'
import { partialJson, present } from './present.ts'

export type TableOptions = {
  readonly version: 'v1' | 'v1beta1'
  readonly includeObject: IncludeObject
  readonly nowMs: number
}

// For kinds without columns of their own.
const DEFAULT_COLUMNS: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', cell: (object) => metadataOf(object)['name'] },
  { name: 'Created At', type: 'date', cell: (object) => metadataOf(object)['creationTimestamp'] },
]

const columnsOf = ({ columns }: KindDefinition): readonly Column[] => (columns.length === 0 ? DEFAULT_COLUMNS : columns)

const metadataOf = (object: Draft): Draft => (object['metadata'] ?? {}) as Draft

/** The columns of a kind, which only the first table of a response has. */
export const columnDefinitionsJson = (kind: KindDefinition): string =>
  formatExactJson(
    columnsOf(kind).map(({ name, type, format = '', priority = 0 }) => ({
      name,
      type,
      format,
      description: '',
      priority,
    })),
  )

/** One object as a row. */
export function rowJson(
  kind: KindDefinition,
  stored: StoredObject,
  { version, includeObject, nowMs }: TableOptions,
): string {
  const { object, json } = present(kind, stored)
  const cells = formatExactJson(columnsOf(kind).map(({ cell }) => cell(object, nowMs) ?? null))
  switch (includeObject) {
    case 'None':
      return `{"cells":${cells},"object":null}`
    case 'Metadata':
      return `{"cells":${cells},"object":${partialJson(metadataOf(object), version)}}`
    case 'Object':
      return `{"cells":${cells},"object":${json}}`
  }
}

/** A row that only has a resource version. */
export const bookmarkRowJson = (kind: KindDefinition, metadata: object, version: string): string =>
  `{"cells":${formatExactJson(columnsOf(kind).map(() => ''))},"object":${partialJson(metadata, version)}}`

export type TableParts = {
  readonly version: string
  /** The metadata of the list, as JSON. */
  readonly metadata: string
  /** Absent if they were sent before. */
  readonly columnDefinitions?: string
  readonly rows: readonly string[]
}

export const tableJson = ({ version, metadata, columnDefinitions = 'null', rows }: TableParts): string =>
  `{"kind":"Table","apiVersion":"meta.k8s.io/${version}","metadata":${metadata},` +
  `"columnDefinitions":${columnDefinitions},"rows":[${rows.join(',')}]}`
