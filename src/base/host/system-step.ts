import { isAbsolute } from 'node:path'
import { describeErrno } from './describe-errno.ts'
import { HostError } from './host.ts'

/** Runs one step on the machine and turns every failure into a HostError. `from` is the source path of a rename or copy, for the message. */
export async function systemStep<T>(operation: string, path: string, act: () => Promise<T>, from?: string): Promise<T> {
  try {
    for (const given of from === undefined ? [path] : [path, from]) {
      // A relative path would mean something else after a change of directory, and could begin with a dash.
      if (!isAbsolute(given))
        throw new HostError('EINVAL', operation, given, { detail: 'EINVAL: the path is not absolute' })
    }
    return await act()
  } catch (error) {
    if (error instanceof HostError) throw error
    const code = errnoOf(error)
    throw new HostError(code, operation, path, { detail: describeErrno(code, from), cause: error })
  }
}

/** The errno name of a failure; Node's own argument errors count as EINVAL, unknown errors as EIO. */
export function errnoOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code.startsWith('ERR_')) return 'EINVAL'
  return /^E[A-Z0-9]+$/.test(code) ? code : 'EIO'
}
