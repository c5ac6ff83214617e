import { apiVersionOf } from '../../api/resource-type.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { ResourceResponse } from '../core/resource-request.ts'
import type { StoredObject } from '../core/stored-object.ts'
import type { Representation } from './negotiate.ts'
import type { IncludeObject } from './parse-options.ts'
import { partialJson, present, presentedJson } from './present.ts'
import { columnDefinitionsJson, rowJson, tableJson } from './table.ts'

export type Format = {
  readonly kind: KindDefinition
  readonly representation: Pick<Representation, 'as' | 'version'>
  readonly includeObject: IncludeObject
  readonly nowMs: number
}

/** The JSON of an answer. A long list comes in pieces, so that it need not be one text in memory. */
export function formatResponse(response: Exclude<ResourceResponse, { kind: 'watch' }>, format: Format): string | string[] {
  switch (response.kind) {
    case 'value':
      return `${JSON.stringify(response.value)}\n`
    case 'object':
      return `${formatObject(response.stored, format)}\n`
    case 'list':
      return formatList(response.items, response.revision, format)
  }
}

function formatObject(stored: StoredObject, { kind, representation: { as, version }, includeObject, nowMs }: Format): string {
  switch (as) {
    case 'object':
      return presentedJson(kind, stored)
    case 'partial':
      return partialJson(present(kind, stored).object['metadata'] as object, version)
    case 'table': {
      const rows = [rowJson(kind, stored, { version, includeObject, nowMs })]
      const { resourceVersion = '' } = stored.object.metadata
      return tableJson({ version, resourceVersion, columnDefinitions: columnDefinitionsJson(kind), rows })
    }
  }
}

function formatList(items: readonly StoredObject[], revision: number, format: Format): string | string[] {
  const { kind, representation, includeObject, nowMs } = format
  const { as, version } = representation
  if (as === 'table') {
    const rows = items.map((stored) => rowJson(kind, stored, { version, includeObject, nowMs }))
    return `${tableJson({ version, resourceVersion: String(revision), columnDefinitions: columnDefinitionsJson(kind), rows })}\n`
  }
  const type = as === 'object' ? { kind: kind.listKind, apiVersion: apiVersionOf(kind.type) } : { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}` }
  const head = `{"kind":"${type.kind}","apiVersion":"${type.apiVersion}","metadata":{"resourceVersion":"${revision}"},"items":[`
  return joinItems(head, items, (stored) => formatObject(stored, format), ']}\n')
}

const PIECE_LENGTH = 256 * 1024

function joinItems(head: string, items: readonly StoredObject[], textOf: (stored: StoredObject) => string, tail: string): string | string[] {
  const pieces: string[] = []
  let piece = head
  for (const [index, stored] of items.entries()) {
    if (index > 0) piece += ','
    piece += textOf(stored)
    if (piece.length < PIECE_LENGTH) continue
    pieces.push(piece)
    piece = ''
  }
  piece += tail
  return pieces.length === 0 ? piece : [...pieces, piece]
}
