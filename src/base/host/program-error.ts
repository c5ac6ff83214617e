import { HostError, type ProcessResult } from './host.ts'

/** The failure of a program such as mount, with its output. */
export function programError(
  code: string,
  operation: string,
  path: string,
  { exitCode, stderr }: ProcessResult,
): HostError {
  return new HostError(code, operation, path, { detail: `${code}: ${stderr.trim() || `exit code ${exitCode}`}` })
}

/**
 * Whether umount or losetup failed because the target is busy. Their exit codes do not tell, so this reads the message (under LC_ALL=C), ignoring the
 * path in it.
 */
export function saysBusy(stderr: string, path: string): boolean {
  return stderr.replaceAll(path, '').includes('busy')
}
