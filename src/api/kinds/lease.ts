import type { ObjectMeta } from '../object.ts'
import type { ResourceType } from '../resource-type.ts'

export type Lease = {
  readonly apiVersion: 'coordination.k8s.io/v1'
  readonly kind: 'Lease'
  readonly metadata: ObjectMeta
  readonly spec?: LeaseSpec
}

export const LEASES: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
}

export type LeaseSpec = {
  /** Absent or empty: nobody holds it. */
  readonly holderIdentity?: string
  /** How long after `renewTime` others have to wait. */
  readonly leaseDurationSeconds?: number
  /** With microseconds, as `renewTime`. */
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
  readonly preferredHolder?: string
  readonly strategy?: string
}
