import type { IntOrString } from '../../api/kinds/resources.ts'

/** A number of pods, given as a number or as a percentage of all. A text that is neither counts as 0, as validation leaves none. */
export function scaledValue(value: IntOrString, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value
  const percent = /^([0-9]+)%$/.exec(value)?.[1]
  if (percent === undefined) return 0
  const share = (Number(percent) * total) / 100
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share)
}
