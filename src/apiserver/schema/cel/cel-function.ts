import type { CostMeter } from '../cost-meter.ts'

/** A function of CEL. It spends what it costs, at least as much as it costs in Kubernetes, before it does its work. */
export type CelFunction = {
  /** `self.name()`, or `name(self)`, or both. */
  readonly style: 'method' | 'function' | 'both'
  /** How many values it takes, with the target of a method. */
  readonly least: number
  readonly most: number
  call(values: readonly unknown[], meter: CostMeter): unknown
}
