import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Lets go of all that nobody holds, so that a test can ask a WeakRef, or the size of the heap, what is held. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // A reference that was looked at is held until the turn ends; what finalizers let go is found in the next pass.
  for (let pass = 0; pass < 3; pass++) {
    await setImmediate()
    collect()
  }
}
