// Generated from the Go types of Kubernetes by `npm run generate`. Do not edit.
import type { ObjectMeta } from '../../object.ts'

export type Lease = {
  readonly apiVersion: 'coordination.k8s.io/v1'
  readonly kind: 'Lease'
  readonly metadata: ObjectMeta
  readonly spec?: LeaseSpec
}

export type LeaseSpec = {
  /** If unset or empty, the lease is free. */
  readonly holderIdentity?: string
  /** How long other candidates wait after `renewTime`. */
  readonly leaseDurationSeconds?: number
  /** With microseconds, as `renewTime`. */
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
  readonly strategy?: string
  readonly preferredHolder?: string
}
