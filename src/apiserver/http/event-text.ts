import type { KindDefinition } from '../core/kind-definition.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { StoredObject } from '../core/stored-object.ts'
import type { StreamEvent } from '../core/watch-stream.ts'
import type { IncludeObject } from './parse-options.ts'
import type { Representation } from './negotiate.ts'
import { partialJson, present, presentedJson } from './present.ts'
import { bookmarkRowJson, columnDefinitionsJson, rowJson, tableJson } from './table.ts'

/** Formats one event as a line. */
export type FormatEvent = (event: StreamEvent) => string

type ObjectEvent = Extract<StreamEvent, { stored: StoredObject }>
type Bookmark = Extract<StreamEvent, { type: 'BOOKMARK' }>

/** Creates the formatter of each watch. Watches of one kind share the text of an event, unless they request tables. */
export type EventTexts = {
  formatterFor(format: {
    kind: KindDefinition
    representation: Representation
    includeObject: IncludeObject
    nowMs(): number
  }): FormatEvent
}

export function createEventTexts(): EventTexts {
  const shared = new WeakMap<KindDefinition, Map<string, FormatEvent>>()
  return {
    formatterFor: ({ kind, representation, includeObject, nowMs }) => {
      const { as, version } = representation
      if (as === 'table') return createTableFormatter(kind, version, includeObject, nowMs)
      let formatters = shared.get(kind)
      if (!formatters) shared.set(kind, (formatters = new Map()))
      const name = as === 'object' ? as : `${as} ${version}`
      let formatter = formatters.get(name)
      if (!formatter)
        formatters.set(
          name,
          (formatter = as === 'object' ? createObjectFormatter(kind) : createPartialFormatter(kind, version)),
        )
      return formatter
    },
  }
}

const line = (type: string, json: string): string => `{"type":"${type}","object":${json}}\n`

const errorLine = ({ error }: Extract<StreamEvent, { type: 'ERROR' }>): string =>
  line('ERROR', JSON.stringify(error.toStatus()))

const bookmarkMetadata = ({ revision, initialEventsEnd }: Bookmark): object => ({
  resourceVersion: String(revision),
  ...(initialEventsEnd && { annotations: { 'k8s.io/initial-events-end': 'true' } }),
})

function createObjectFormatter(kind: KindDefinition): FormatEvent {
  const remember = createTextMemory()
  const bookmark = (event: Bookmark): string =>
    `{"kind":"${kind.type.kind}","apiVersion":"${apiVersionOf(kind.type)}","metadata":${JSON.stringify(bookmarkMetadata(event))}}`
  return formatter(bookmark, (event) => remember(event, () => presentedJson(kind, event.stored)))
}

function createPartialFormatter(kind: KindDefinition, version: string): FormatEvent {
  const remember = createTextMemory()
  return formatter(
    (event) => partialJson(bookmarkMetadata(event), version),
    (event) => remember(event, () => partialJson(present(kind, event.stored).object['metadata'] as object, version)),
  )
}

function createTableFormatter(
  kind: KindDefinition,
  version: 'v1' | 'v1beta1',
  includeObject: IncludeObject,
  nowMs: () => number,
): FormatEvent {
  let isFirst = true
  const table = (resourceVersion: string, row: string): string => {
    const text = tableJson({
      version,
      metadata: JSON.stringify({ resourceVersion }),
      ...(isFirst && { columnDefinitions: columnDefinitionsJson(kind) }),
      rows: [row],
    })
    isFirst = false
    return text
  }
  return formatter(
    (event) => table(String(event.revision), bookmarkRowJson(kind, bookmarkMetadata(event), version)),
    ({ type, stored }) =>
      line(
        type,
        table(
          stored.object.metadata.resourceVersion ?? '',
          rowJson(kind, stored, { version, includeObject, nowMs: nowMs() }),
        ),
      ),
  )
}

const formatter =
  (bookmarkJson: (event: Bookmark) => string, objectLine: (event: ObjectEvent) => string): FormatEvent =>
  (event) => {
    switch (event.type) {
      case 'ERROR':
        return errorLine(event)
      case 'BOOKMARK':
        return line('BOOKMARK', bookmarkJson(event))
      default:
        return objectLine(event)
    }
  }

type Lines = { ADDED?: string; MODIFIED?: string; DELETED?: string }

// Watchers receive a change at nearly the same time, so the newest lines suffice; keeping a line for every object would double the memory of the
// server.
const REMEMBERED_LENGTH = 1024 * 1024

function createTextMemory(): (event: ObjectEvent, make: () => string) => string {
  let newer = new WeakMap<StoredObject, Lines>()
  let older = newer
  let length = 0
  return ({ type, stored }, make) => {
    const lines = newer.get(stored) ?? older.get(stored)
    const known = lines?.[type]
    if (known !== undefined) return known
    const text = line(type, make())
    length += text.length
    if (length > REMEMBERED_LENGTH) {
      older = newer
      newer = new WeakMap()
      length = text.length
    }
    if (lines) lines[type] = text
    else newer.set(stored, { [type]: text })
    return text
  }
}
