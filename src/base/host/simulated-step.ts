import { describeErrno } from './describe-errno.ts'
import { HostError } from './host.ts'

/** Called around each operation on files, mounts and loop devices, with the method's name as in `HostError.operation`. */
export type StepHook = (operation: string, path: string) => void | Promise<void>

export type StepHooks = {
  /** If it throws, the operation fails with that error and has no effect. */
  beforeStep?: StepHook | undefined
  /** Called only after success. If it throws, the operation fails with that error, although it took effect. */
  afterStep?: StepHook | undefined
}

/** Runs the synchronous `act`, so that each operation takes effect at one point. `from` is the other path of a rename or copy. */
export type Step = <T>(operation: string, path: string, act: () => T, from?: string) => Promise<T>

/** The errno with which the simulated kernel fails a step; the step adds operation and path. */
export class Errno extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = 'Errno'
    this.code = code
  }
}

/** Reads the hooks at each step, so that they can be set and removed at any time. */
export function createStep(hooks: StepHooks): Step {
  return async (operation, path, act, from) => {
    await hooks.beforeStep?.(operation, path)
    const result = translateErrno(operation, path, act, from)
    await hooks.afterStep?.(operation, path)
    return result
  }
}

function translateErrno<T>(operation: string, path: string, act: () => T, from?: string): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof Errno)) throw error
    throw new HostError(error.code, operation, path, { detail: describeErrno(error.code, from), cause: error })
  }
}
