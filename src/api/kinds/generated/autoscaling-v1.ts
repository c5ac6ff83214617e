// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'

/** The `scale` subresource: a view of its object, never stored. */
export type Scale = {
  readonly apiVersion: 'autoscaling/v1'
  readonly kind: 'Scale'
  readonly metadata: ObjectMeta
  readonly spec?: ScaleSpec
  readonly status?: ScaleStatus
}

export type ScaleSpec = {
  readonly replicas?: number
}

export type ScaleStatus = {
  readonly replicas: number
  readonly selector?: string
}
