import { HostError, type ProcessResult } from './host.ts'

/** The failure of a program such as mount, with what it said. */
export function programError(
  code: string,
  operation: string,
  path: string,
  { exitCode, stderr }: ProcessResult,
): HostError {
  return new HostError(code, operation, path, { detail: `${code}: ${stderr.trim() || `exit code ${exitCode}`}` })
}

/**
 * The one failure of umount and losetup that leaves nothing else to look at: their message under LC_ALL=C, read without
 * the path in it.
 */
export function saysBusy(stderr: string, path: string): boolean {
  return stderr.replaceAll(path, '').includes('busy')
}
