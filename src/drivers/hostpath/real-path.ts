import { basename, dirname, join } from 'node:path'
import { isHostError } from '../../base/host/host.ts'
import type { HostFiles } from '../../base/host/host.ts'

/** The path as in the mount table: links above the last name are resolved. The last name may be missing, or be a link itself. */
export async function realPath(files: HostFiles, path: string): Promise<string> {
  try {
    return join(await files.resolve(dirname(path)), basename(path))
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ENOTDIR')) return path
    throw error
  }
}
