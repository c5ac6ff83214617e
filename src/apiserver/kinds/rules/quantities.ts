import { compareQuantities, quantityToBytes } from '../../../api/quantity.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { ownValue } from './own-value.ts'
import { invalid } from './problems.ts'

/** Negative, zero or positive. */
const signOf = (amount: string): number => compareQuantities(amount, '0')

export const nonNegativeQuantity = (field: string, amount: string): FieldProblem[] =>
  signOf(amount) < 0 ? [invalid(field, amount, 'must be greater than or equal to 0')] : []

export const positiveQuantity = (field: string, amount: string): FieldProblem[] =>
  signOf(amount) <= 0 ? [invalid(field, amount, 'must be greater than zero')] : []

const LEAST_UNITS = '-9223372036854775807'

/** Like `nonNegativeQuantity`, with the message of other fields: it shows whole units, limited to 63 bits. */
export const basicQuantity = (field: string, amount: string): FieldProblem[] => {
  if (signOf(amount) >= 0) return []
  const shown = compareQuantities(amount, LEAST_UNITS) < 0 ? LEAST_UNITS : amount
  return [invalid(field, Number(quantityToBytes(shown)), 'must be a valid resource quantity')]
}

/** Whether two lists have the same amounts, regardless of their notation. */
export function equalQuantities(
  one: Readonly<Record<string, string | undefined>> = {},
  other: Readonly<Record<string, string | undefined>> = {},
): boolean {
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => {
      const [left, right] = [ownValue(one, name), ownValue(other, name)]
      return left !== undefined && right !== undefined && compareQuantities(left, right) === 0
    })
  )
}

/** Whether an amount in canonical form is not a whole number of units. */
export const isFractional = (amount: string): boolean => /[num]$|e-/.test(amount)
