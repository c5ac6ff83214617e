import { keyOf } from '../../core/stored-object.ts'
import type { StateView, StoredObject } from '../../core/stored-object.ts'
import type { Draft } from '../../core/kind-definition.ts'
import type { KubeObject } from '../../../api/object.ts'
import { findResourceType } from '../../../api/kinds/all-resource-types.ts'
import { builtInKinds } from '../../kinds/built-in-kinds.ts'
import { storageOf } from '../../core/stored-object.ts'
import type { AdmissionPlugin, AdmissionRequest } from '../admission.ts'

const KINDS = builtInKinds()

/** A state with only these objects. */
export function viewOf(...objects: KubeObject[]): StateView {
  const stored = objects.map((object, index): StoredObject & { storage: string } => {
    const type = findResourceType(object)
    if (!type) throw new Error(`${object.kind} is not known`)
    const key = keyOf(object.metadata.namespace, object.metadata.name ?? '')
    return { storage: storageOf(type), key, revision: index + 1, object, json: JSON.stringify(object) }
  })
  return {
    find: (storage, key) => stored.find((one) => one.storage === storage && one.key === key),
    list: (storage, namespace) =>
      stored.filter(
        (one) => one.storage === storage && (namespace === undefined || one.key.startsWith(`${namespace}/`)),
      ),
  }
}

/** A write of an object of that kind; by default, its creation in namespace `ns`. */
export function writeOf(kind: string, object: object, more: Partial<AdmissionRequest> = {}): AdmissionRequest {
  const definition = KINDS.find(({ type }) => type.kind === kind)
  if (!definition) throw new Error(`there is no kind ${kind}`)
  const draft = structuredClone({ metadata: { name: 'x' }, ...object }) as Draft
  return {
    operation: 'CREATE',
    kind: definition,
    subresource: '',
    namespace: definition.type.namespaced ? 'ns' : '',
    name: (draft['metadata'] as { name?: string }).name ?? '',
    object: draft,
    old: undefined,
    user: { name: 'jane', groups: [] },
    dryRun: false,
    view: viewOf(),
    warnings: [],
    randomName: (prefix) => `${prefix}abcde`,
    ...more,
  }
}

/** Runs a plugin as the server does, and returns the object to store. */
export function admitted(plugin: AdmissionPlugin, request: AdmissionRequest): Draft | undefined {
  plugin.mutate?.(request)
  plugin.validate?.(request)
  return request.object
}
