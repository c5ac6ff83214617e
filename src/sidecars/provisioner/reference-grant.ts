import type { ObjectMeta } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'

/** Lets objects of other namespaces refer to some of its own namespace. */
export type ReferenceGrant = {
  readonly apiVersion: 'gateway.networking.k8s.io/v1beta1'
  readonly kind: 'ReferenceGrant'
  readonly metadata: ObjectMeta
  readonly spec: {
    readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[]
    /** Without a name, all objects of the kind. */
    readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string }[]
  }
}

export const REFERENCE_GRANTS: ResourceType<ReferenceGrant> = {
  group: 'gateway.networking.k8s.io',
  version: 'v1beta1',
  kind: 'ReferenceGrant',
  plural: 'referencegrants',
  namespaced: true,
}

/** Whether one of the grants lets claims of a namespace refer to an object. */
export function isGranted(
  grants: Iterable<ReferenceGrant>,
  claimNamespace: string,
  to: { group: string; kind: string; namespace: string; name: string },
): boolean {
  for (const { metadata, spec } of grants) {
    if (metadata.namespace !== to.namespace) continue
    const isFrom = spec.from.some(
      ({ group, kind, namespace }) => group === '' && kind === 'PersistentVolumeClaim' && namespace === claimNamespace,
    )
    if (
      isFrom &&
      spec.to.some(({ group, kind, name }) => group === to.group && kind === to.kind && (!name || name === to.name))
    )
      return true
  }
  return false
}
