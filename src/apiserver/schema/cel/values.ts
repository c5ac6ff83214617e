import type { CostMeter } from '../cost-meter.ts'
import { isJsonObject, jsonTypeOf } from '../json.ts'
import type { JsonObject } from '../json.ts'
import { CelError } from './cel-error.ts'

/** The cost of a string in CEL: a tenth of a unit per character. */
export const textUnits = (text: string): number => Math.ceil(text.length * 0.1)

/** The cost per key of listing the keys of an object. */
export const KEY_UNITS = 3

export const noOverload = (): CelError => new CelError('no such overload')

export function numberOf(value: unknown): number {
  // Only comparisons are exact above 2^53.
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'number') throw noOverload()
  return value
}

export function textOf(value: unknown): string {
  if (typeof value !== 'string') throw noOverload()
  return value
}

export function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw noOverload()
  return value
}

/** Whether two values are equal. In addition to CEL's cost, each nested value costs a unit, because it has to be visited. */
export function isEqual(left: unknown, right: unknown, meter: CostMeter): boolean {
  if (typeof left === 'string' && typeof right === 'string') {
    meter.spend(Math.max(1, Math.min(textUnits(left), textUnits(right))))
    return left === right
  }
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    meter.spend(1)
    return left === right
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    meter.spend(1 + Math.ceil(Math.min(left.length, right.length) * 0.1))
    return (
      left === right ||
      (left.length === right.length && left.every((item, index) => isEqual(item, right[index], meter)))
    )
  }
  return isJsonObject(left) && isJsonObject(right) && isEqualObject(left, right, meter)
}

// An undefined member counts as missing.
function isEqualObject(left: JsonObject, right: JsonObject, meter: CostMeter): boolean {
  const keys = Object.keys(left).filter((key) => left[key] !== undefined)
  meter.spend(1 + keys.length * KEY_UNITS)
  if (left === right) return true
  const others = Object.keys(right).filter((key) => right[key] !== undefined)
  meter.spend(others.length * KEY_UNITS)
  return (
    keys.length === others.length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], meter))
  )
}

/** Negative, zero or positive. Both values must be numbers, strings or booleans. */
export function compareValues(left: unknown, right: unknown, meter: CostMeter): number {
  if (typeof left === 'string' && typeof right === 'string')
    meter.spend(Math.max(1, Math.min(textUnits(left), textUnits(right))))
  else meter.spend(1)
  const type = jsonTypeOf(left)
  const isComparable = type === jsonTypeOf(right) && (type === 'number' || type === 'string' || type === 'boolean')
  if (!isComparable) throw noOverload()
  if (left === right) return 0
  return (left as number) < (right as number) ? -1 : 1 // both have the same type, and JavaScript orders all three
}

/** The number of items or members, or of the code points of a string. */
export function sizeOf(value: unknown, meter: CostMeter): number {
  if (typeof value === 'string') {
    meter.spend(textUnits(value))
    return countCodePoints(value)
  }
  if (Array.isArray(value)) return value.length
  if (!isJsonObject(value)) throw noOverload()
  const keys = Object.keys(value)
  meter.spend(keys.length * KEY_UNITS)
  return keys.length
}

// Does not create a string for each code point, as an iterator would.
function countCodePoints(text: string): number {
  let count = text.length
  for (let at = 1; at < text.length; at++) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
    if (isPair) count -= 1
  }
  return count
}
