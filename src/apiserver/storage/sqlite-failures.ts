// The SQLite codes for which a person can do something.
export const BUSY = 5
export const READ_ONLY = 8
export const IO_ERROR = 10
export const CORRUPT = 11
export const FULL = 13
export const CANTOPEN = 14
export const NOT_A_DATABASE = 26

/** The state files lack writes that the server has acknowledged. `--accept-data-loss` continues with what is left. */
export class DamagedStateError extends Error {
  constructor(problem: string, options?: ErrorOptions) {
    super(`${problem}. ${ADVICE}`, options)
    this.name = 'DamagedStateError'
  }
}

const ADVICE =
  'Restore the data directory from a backup. Without a backup, start once with --accept-data-loss to continue with what can still be read; a copy of the damaged files is kept'

/** The primary code of an SQLite failure: the lowest byte of an extended code. */
export function codeOf(cause: unknown): number | undefined {
  const code = (cause as { errcode?: number } | undefined)?.errcode
  return code === undefined ? undefined : code & 0xff
}

/** SQLite's message names neither the file nor a remedy. */
export function describeFailure(path: string, cause: unknown): Error {
  if (cause instanceof DamagedStateError) return cause
  const code = codeOf(cause)
  if (code === READ_ONLY) return new Error(readOnlyMessage(path), { cause })
  if (code === IO_ERROR)
    return new Error(
      `${path} cannot be read or written: disk I/O error. Check the disk, and whether its file system has become read-only`,
      { cause },
    )
  if (code === CORRUPT) return new DamagedStateError(`${path} is damaged`, { cause })
  const why: Record<number, string> = {
    [BUSY]: 'is in use by another process: stop it, or choose another data directory',
    [CANTOPEN]: "can't be opened: is the directory there, and may this user write it?",
    [NOT_A_DATABASE]: 'is not a database: choose another data directory, or restore it from a backup',
  }
  const known = code === undefined ? undefined : why[code]
  if (known) return new Error(`${path} ${known}`, { cause })
  return cause instanceof Error ? cause : new Error(String(cause))
}

export const readOnlyMessage = (path: string): string =>
  `${path} cannot be written: the file system is read-only. Mount it read-write; if the kernel has made it read-only after an error, check the disk first`
