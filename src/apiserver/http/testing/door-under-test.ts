import type { KubeObject } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import { apiVersionOf } from '../../../api/resource-type.ts'
import { checkOffered } from '../../core/check-offered.ts'
import { formatForbidden } from '../../core/format-forbidden.ts'
import { createKindRegistry } from '../../core/kind-registry.ts'
import type { KindRegistry } from '../../core/kind-registry.ts'
import type { KindDefinition } from '../../core/kind-definition.ts'
import { noSuchPath, notFound } from '../../core/refusals.ts'
import type { ResourceRequest, ResourceResponse } from '../../core/resource-request.ts'
import type { StoredObject } from '../../core/stored-object.ts'
import type { StreamEvent, WatchStream } from '../../core/watch-stream.ts'
import type { CoreDoor } from '../core-door.ts'

const ALL_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'] as const

/** A kind that differs from the defaults only in the given members. */
export const kindUnderTest = (
  type: Omit<ResourceType, '_object'>,
  more: Partial<KindDefinition> = {},
): KindDefinition => ({
  type,
  listKind: `${type.kind}List`,
  singular: type.kind.toLowerCase(),
  shortNames: [],
  categories: [],
  storage: `${type.group}/${type.plural}`,
  schema: { type: 'object', name: `test.${type.kind}`, properties: new Map(), always: [], numbered: new Map() },
  verbs: ALL_VERBS,
  subresources: {},
  name: 'subdomain',
  unconditionalUpdate: true,
  createOnUpdate: false,
  generation: 'none',
  deleteAnswer: 'object',
  hasStatus: false,
  statusKeepsMetadata: false,
  fieldLabels: {},
  columns: [],
  ...more,
})

export const CONFIG_MAP = kindUnderTest(
  { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
  {
    shortNames: ['cm'],
    columns: [
      { name: 'Name', type: 'string', format: 'name', cell: (object) => (object['metadata'] as { name: string }).name },
      {
        name: 'Data',
        type: 'integer',
        cell: (object) => Object.keys((object['data'] as object | undefined) ?? {}).length,
      },
      { name: 'Age', type: 'string', priority: 1, cell: (_object, nowMs) => `${nowMs / 1000}s` },
    ],
  },
)
export const NAMESPACE = kindUnderTest(
  { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false },
  { subresources: { status: { verbs: ['get', 'update'] } } },
)
export const POD = kindUnderTest(
  { group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true },
  {
    categories: ['all'],
    shortNames: ['po'],
    subresources: {
      eviction: { kind: { group: 'policy', version: 'v1', kind: 'Eviction' }, verbs: ['create'] },
      status: { verbs: ['get', 'patch', 'update'] },
    },
  },
)
export const STORAGE_CLASS = kindUnderTest(
  { group: 'storage.k8s.io', version: 'v1', kind: 'StorageClass', plural: 'storageclasses', namespaced: false },
  { shortNames: ['sc'] },
)
/** Shares its objects with `GADGET`, whose version has another name for a field. A custom resource: its schema has no name. */
export const OLD_GADGET = kindUnderTest(
  { group: 'example.com', version: 'v1beta1', kind: 'Gadget', plural: 'gadgets', namespaced: true },
  {
    schema: { type: 'object', properties: new Map(), always: [], numbered: new Map() },
    storedApiVersion: 'example.com/v1',
    fromStored: ({ width, ...rest }) => ({ ...rest, breadth: width }),
  },
)
export const GADGET = kindUnderTest(
  { group: 'example.com', version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true },
  { schema: OLD_GADGET.schema },
)

/** An object as it is stored, with the revision in its metadata. */
export function storedUnderTest(kind: KindDefinition, name: string, revision: number, more: object = {}): StoredObject {
  const namespace = kind.type.namespaced ? { namespace: 'default' } : {}
  const object = {
    apiVersion: apiVersionOf(kind.type),
    kind: kind.type.kind,
    metadata: { name, ...namespace, resourceVersion: String(revision) },
    ...more,
  } as KubeObject
  return { key: `default/${name}`, revision, object, json: JSON.stringify(object) }
}

/** A stream of events that a test pushes. */
export type StreamUnderTest = WatchStream & {
  push(...events: StreamEvent[]): void
  end(): void
  readonly isClosed: boolean
  readonly waiting: number
}

export function createStreamUnderTest(): StreamUnderTest {
  let waiting: StreamEvent[] = []
  let isEnded = false
  let isClosed = false
  let wake = (): void => {}
  return {
    push: (...events) => {
      waiting.push(...events)
      wake()
    },
    end: () => {
      isEnded = true
      wake()
    },
    next: async () => {
      while (waiting.length === 0 && !isEnded) await new Promise<void>((resolve) => void (wake = resolve))
      return waiting.shift()
    },
    takeAll: () => waiting.splice(0),
    close: () => {
      waiting = []
      isEnded = isClosed = true
      wake()
    },
    get isClosed() {
      return isClosed
    },
    get waiting() {
      return waiting.length
    },
  }
}

/** A core that keeps objects in a map, records requests, and lets a test answer instead. */
export type DoorUnderTest = CoreDoor & {
  readonly kinds: KindRegistry
  readonly objects: Map<string, StoredObject>
  readonly requests: ResourceRequest[]
  readonly streams: StreamUnderTest[]
  /** Answers instead, when set. */
  answer: ((request: ResourceRequest) => ResourceResponse | Promise<ResourceResponse>) | undefined
}

export function createDoorUnderTest(): DoorUnderTest {
  const objects = new Map<string, StoredObject>()
  const streams: StreamUnderTest[] = []
  const requests: ResourceRequest[] = []
  const perform = (request: ResourceRequest): ResourceResponse => {
    const { kind, namespace, name } = request
    const key = `${kind.storage}/${namespace}/${name}`
    switch (request.verb) {
      case 'list':
      case 'deletecollection':
        return {
          kind: 'list',
          items: [...objects].filter(([at]) => at.startsWith(`${kind.storage}/`)).map(([, stored]) => stored),
          revision: 99,
          warnings: [],
        }
      case 'watch': {
        const stream = createStreamUnderTest()
        streams.push(stream)
        return { kind: 'watch', stream, warnings: [] }
      }
      case 'create': {
        const stored = storedUnderTest(kind, 'made', 100, request.body as object)
        return { kind: 'object', code: 201, stored, warnings: [] }
      }
      default: {
        const stored = objects.get(key)
        if (!stored) throw notFound(kind.type, name)
        return { kind: 'object', code: 200, stored, warnings: [] }
      }
    }
  }
  const door: DoorUnderTest = {
    kinds: createKindRegistry([CONFIG_MAP, NAMESPACE, POD, STORAGE_CLASS, GADGET, OLD_GADGET]),
    objects,
    requests,
    streams,
    answer: undefined,
    execute: async ({ attributes, source }, read) => {
      if (attributes.user.name === 'nobody') throw formatForbidden(attributes)
      const { user, group, version, resource, namespace, name, subresource } = attributes
      const kind = door.kinds.findByResource(group, version, resource)
      if (!kind) throw noSuchPath()
      checkOffered(kind, attributes)
      const request: ResourceRequest = { user, kind, namespace, name, subresource, source, ...(await read(kind)) }
      requests.push(request)
      return { request, response: await (door.answer ? door.answer(request) : perform(request)) }
    },
    report: () => {},
    serve: ({ attributes }, act) =>
      attributes.user.name === 'nobody' ? Promise.reject(formatForbidden(attributes)) : act(),
  }
  return door
}
