import type { Taint } from './kinds/node.ts'
import type { Toleration } from './kinds/pod.ts'

export const untoleratedOf = (taints: readonly Taint[], tolerations: readonly Toleration[]): Taint[] =>
  taints.filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))

/** An empty key matches every key, an empty effect every effect. */
export function tolerates({ key = '', operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false
  if (key === '') return operator === 'Exists'
  if (key !== taint.key) return false
  switch (operator) {
    case 'Exists':
      return true
    case 'Equal':
      return value === (taint.value ?? '')
    case 'Gt':
    case 'Lt': {
      const [mine, theirs] = [parseWhole(value), parseWhole(taint.value ?? '')]
      if (mine === undefined || theirs === undefined) return false
      return operator === 'Gt' ? theirs > mine : theirs < mine
    }
  }
}

const parseWhole = (text: string): bigint | undefined => (/^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined)
