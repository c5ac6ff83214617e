import { findResourceType } from '../../../api/kinds/all-resource-types.ts'
import type { KubeObject, ObjectMeta } from '../../../api/object.ts'
import type { ResourceType } from '../../../api/resource-type.ts'
import type { Pod, PodSpec } from '../../../api/kinds/pod.ts'
import type { AdmissionRequest } from '../../admission/admission.ts'
import type { Draft, KindDefinition } from '../../core/kind-definition.ts'
import type { RequestAttributes } from '../../core/request.ts'
import { openStore } from '../../core/store.ts'
import type { Store } from '../../core/store.ts'
import { keyOf } from '../../core/stored-object.ts'
import type { User } from '../../core/user.ts'
import { createMemoryBackend } from '../../storage/memory-backend.ts'
import { storageOf } from '../../core/stored-object.ts'

/** The real store, filled without the checks of a request. */
export type StoreUnderTest = Store & {
  put(...objects: KubeObject[]): Promise<void>
  remove(object: KubeObject): Promise<void>
}

export async function openStoreUnderTest(...objects: KubeObject[]): Promise<StoreUnderTest> {
  const store = await openStore(createMemoryBackend())
  const write = async (object: KubeObject, kind: 'put' | 'delete'): Promise<void> => {
    const type = findResourceType(object)
    if (!type) throw new Error(`${object.kind} is not known`)
    await store.write(storageOf(type), keyOf(object.metadata.namespace, object.metadata.name ?? ''), () => ({
      kind,
      object,
    }))
  }
  const put = async (...more: KubeObject[]): Promise<void> => {
    for (const object of more) await write(object, 'put')
  }
  await put(...objects)
  return { ...store, put, remove: (object) => write(object, 'delete') }
}

/** A pod on a node, in namespace `apps` by default. */
export const podUnderTest = (
  name: string,
  nodeName: string,
  spec: Partial<PodSpec> = {},
  metadata: ObjectMeta = {},
): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'apps', name, uid: `uid-${name}`, ...metadata },
  spec: { containers: [], nodeName, ...spec },
})

/** A request as authorization sees it: `get secrets apps/s1`, `list pods`, `create serviceaccounts/token apps/a1`, `get /healthz`. */
export function requestUnderTest(user: User, text: string, fieldSelector?: string): RequestAttributes {
  const [verb = '', what = '', where = ''] = text.split(' ')
  if (what.startsWith('/')) return { user, verb, isResource: false, path: what }
  const [qualified = '', subresource = ''] = what.split('/')
  const [resource = '', ...group] = qualified.split('.')
  const [namespace = '', name = ''] = where.includes('/') ? where.split('/') : ['', where]
  const selector = fieldSelector === undefined ? {} : { fieldSelector }
  return {
    user,
    verb,
    isResource: true,
    group: group.join('.'),
    version: 'v1',
    resource,
    subresource,
    namespace,
    name,
    ...selector,
  }
}

export type AdmissionUnderTest = {
  readonly type: ResourceType
  readonly operation: AdmissionRequest['operation']
  readonly user: User
  readonly subresource?: string
  readonly object?: object
  readonly old?: object
  /** Default: the name of the object, or of the old one. */
  readonly name?: string
  readonly namespace?: string
}

/** A write as admission sees it. Plugins only use the type of a kind, so the cast is safe. */
export function admissionUnderTest(
  store: Store,
  { type, operation, user, subresource = '', object, old, ...where }: AdmissionUnderTest,
): AdmissionRequest {
  const { metadata } = (object ?? old) as Pick<KubeObject, 'metadata'>
  return {
    operation,
    kind: { type } as KindDefinition,
    subresource,
    namespace: where.namespace ?? metadata.namespace ?? '',
    name: where.name ?? metadata.name ?? '',
    object: object as Draft | undefined,
    old: old as Draft | undefined,
    user,
    dryRun: false,
    view: store.decided,
    warnings: [],
    randomName: (prefix) => `${prefix}xxxxx`,
  }
}
