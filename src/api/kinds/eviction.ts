import type { ObjectMeta } from '../object.ts'

/** Asks for a pod to go, if its budget allows. Posted to the pod's `eviction`, never stored. */
export type Eviction = {
  readonly apiVersion: 'policy/v1'
  readonly kind: 'Eviction'
  readonly metadata: ObjectMeta
  readonly deleteOptions?: {
    readonly gracePeriodSeconds?: number
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
    readonly propagationPolicy?: string
    readonly dryRun?: readonly string[]
  }
}
