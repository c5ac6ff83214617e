import type { ObjectMeta } from '../object.ts'

/** The `scale` of what has replicas. Never stored: it is a view of its object, with its metadata. */
export type Scale = {
  readonly apiVersion: 'autoscaling/v1'
  readonly kind: 'Scale'
  readonly metadata: ObjectMeta
  readonly spec?: { readonly replicas?: number }
  readonly status?: { readonly replicas: number; readonly selector?: string }
}
