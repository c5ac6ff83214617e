import { formatExactJson, parseExactJson } from '../../api/exact-json.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import type { Listing } from '../core/read-objects.ts'
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
  /** With line breaks and indentation, for people. Default false. */
  readonly pretty?: boolean
}

/** The JSON of a response. A list is created in pieces, each of them quick, so that other requests are served in between. */
export function formatResponse(
  response: Exclude<ResourceResponse, { kind: 'watch' }>,
  format: Format,
): string | Iterable<string> {
  switch (response.kind) {
    case 'value':
      return `${indentIf(format.pretty, formatExactJson(response.value))}\n`
    case 'object':
      return `${indentIf(format.pretty, formatObject(response.stored, format))}\n`
    case 'list':
      return formatList(response, format)
  }
}

const indentIf = (pretty: boolean | undefined, json: string): string =>
  pretty ? formatExactJson(parseExactJson(json), 2) : json

function formatObject(
  stored: StoredObject,
  { kind, representation: { as, version }, includeObject, nowMs }: Format,
): string {
  switch (as) {
    case 'object':
      return presentedJson(kind, stored)
    case 'partial':
      return partialJson(present(kind, stored).object['metadata'] as object, version)
    case 'table': {
      const rows = [rowJson(kind, stored, { version, includeObject, nowMs })]
      const { resourceVersion = '' } = stored.object.metadata
      const metadata = JSON.stringify({ resourceVersion })
      return tableJson({ version, metadata, columnDefinitions: columnDefinitionsJson(kind), rows })
    }
  }
}

function formatList(listing: Listing, format: Format): Iterable<string> {
  const { items } = listing
  const metadata = listMetadata(listing)
  const { kind, representation, includeObject, nowMs } = format
  const { as, version } = representation
  if (as === 'table') {
    const empty = tableJson({
      version,
      metadata,
      columnDefinitions: columnDefinitionsJson(kind),
      rows: [],
    })
    return joinItems(empty, items, (stored) => rowJson(kind, stored, { version, includeObject, nowMs }), format.pretty)
  }
  const type =
    as === 'object'
      ? { kind: kind.listKind, apiVersion: apiVersionOf(kind.type) }
      : { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${version}` }
  const empty = `{"kind":"${type.kind}","apiVersion":"${type.apiVersion}","metadata":${metadata},"items":[]}`
  return joinItems(empty, items, (stored) => formatObject(stored, format), format.pretty)
}

const listMetadata = ({ revision, continueToken, remainingItemCount }: Listing): string =>
  JSON.stringify({ resourceVersion: String(revision), continue: continueToken, remainingItemCount })

const PIECE_LENGTH = 256 * 1024
// Text that is read for one piece: a row of a table is short, but its whole object may have to be parsed for it.
const READ_LENGTH = 512 * 1024

/** The list whose text without items is `empty`; the items belong into its last brackets. */
function* joinItems(
  empty: string,
  items: readonly StoredObject[],
  textOf: (stored: StoredObject) => string,
  pretty = false,
): Generator<string, void> {
  const frame = indentIf(pretty, empty)
  const place = frame.lastIndexOf('[]') + 1
  const breaks = pretty && items.length > 0 ? { before: '\n    ', after: '\n  ' } : { before: '', after: '' }
  let piece = frame.slice(0, place)
  let read = 0
  for (const [index, stored] of items.entries()) {
    const text = textOf(stored)
    // In JSON, a line break is always between values.
    piece +=
      (index > 0 ? ',' : '') + breaks.before + (pretty ? indentIf(pretty, text).replaceAll('\n', '\n    ') : text)
    read += stored.json.length
    if (piece.length < PIECE_LENGTH && read < READ_LENGTH) continue
    yield piece
    piece = ''
    read = 0
  }
  yield `${piece}${breaks.after}${frame.slice(place)}\n`
}
