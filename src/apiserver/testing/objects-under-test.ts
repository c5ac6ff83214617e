import type { ConfigMap } from '../../api/kinds/config-map.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { KubeObject, ObjectMeta, OwnerReference } from '../../api/object.ts'

/** Something small of namespace `default`. */
export const configMap = (name: string, metadata: ObjectMeta = {}, data: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ...metadata },
  data,
})

/** A pod of namespace `default`, on a node if one is named. */
export const pod = (name: string, metadata: ObjectMeta = {}, spec: Partial<Pod['spec']> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'default', name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'busybox' }], automountServiceAccountToken: false, ...spec },
})

/** Says that something belongs to an object that was stored. */
export const ownedBy = (
  { apiVersion, kind, metadata: { name = '', uid = '' } }: KubeObject,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  ...more,
})
