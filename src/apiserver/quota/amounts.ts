import { addQuantities, compareQuantities } from '../../api/quantity.ts'

/** Amounts by resource name. */
export type Amounts = Readonly<Record<string, string>>

export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum: Record<string, string> = { ...left }
  for (const [name, amount] of Object.entries(right))
    sum[name] = sum[name] === undefined ? amount : addQuantities(sum[name], amount)
  return sum
}

/** What is more in the first than in the second; nothing that is equal or less. */
export function growthOf(now: Amounts, before: Amounts): Amounts {
  return Object.fromEntries(
    Object.entries(now).flatMap(([name, amount]) => {
      const more = before[name] === undefined ? amount : addQuantities(amount, negative(before[name]))
      return compareQuantities(more, '0') > 0 ? [[name, more]] : []
    }),
  )
}

export function largerAmounts(left: Amounts, right: Amounts): Amounts {
  const larger: Record<string, string> = { ...left }
  for (const [name, amount] of Object.entries(right))
    if (larger[name] === undefined || compareQuantities(amount, larger[name]) > 0) larger[name] = amount
  return larger
}

/** Only these names. */
export const pickAmounts = (amounts: Amounts, names: readonly string[]): Amounts =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => names.includes(name)))

/** `cpu=1,pods=2`. */
export const formatAmounts = (amounts: Amounts): string =>
  Object.entries(amounts)
    .map(([name, amount]) => `${name}=${amount}`)
    .sort()
    .join(',')

const negative = (amount: string): string => (amount.startsWith('-') ? amount.slice(1) : `-${amount}`)
