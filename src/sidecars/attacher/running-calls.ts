import { targetKey } from './target.ts'
import type { Target } from './target.ts'

/** Driver calls under way: for one volume and node there is never more than one, even if several attachments mean the same. */
export interface RunningCalls {
  readonly targets: ReadonlySet<string>
  /** Calls under way or begun since, by attachment: what a list that is being read meanwhile says about them may be old. */
  watch(): { readonly touched: ReadonlySet<string>; end(): void }
  run<T>(key: string, target: Target, call: () => Promise<T>): Promise<T>
  /** Tells when one ends. */
  count(): number
}

export function createRunningCalls(onEnd: (targetKey: string) => void): RunningCalls {
  const targets = new Set<string>()
  const keys = new Set<string>()
  const watchers = new Set<Set<string>>()
  const run = async <T>(key: string, target: Target, call: () => Promise<T>): Promise<T> => {
    const id = targetKey(target)
    if (targets.has(id)) throw new Error(`a call for ${id} is under way already`)
    targets.add(id)
    keys.add(key)
    for (const touched of watchers) touched.add(key)
    try {
      return await call()
    } finally {
      targets.delete(id)
      keys.delete(key)
      onEnd(id)
    }
  }
  const watch = () => {
    const touched = new Set(keys)
    watchers.add(touched)
    return { touched, end: () => void watchers.delete(touched) }
  }
  return { targets, watch, run, count: () => targets.size }
}
