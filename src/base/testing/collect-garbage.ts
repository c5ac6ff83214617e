import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Collects all unreachable objects, so that a test can check with a WeakRef or the heap size what is still referenced. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A WeakRef keeps its target until the end of the turn. Objects released by finalizers are collected in the next pass.
  for (let pass = 0; pass < 3; pass++) {
    await setImmediate()
    collect()
  }
}
