import type { CostMeter } from '../cost-meter.ts'

/** A function of CEL. It spends its cost, at least that of Kubernetes, before it does its work. */
export type CelFunction = {
  /** `self.name()`, or `name(self)`, or both. */
  readonly style: 'method' | 'function' | 'both'
  /** The number of values that it takes, including the target of a method. */
  readonly least: number
  readonly most: number
  call(values: readonly unknown[], meter: CostMeter): unknown
}
