import { isAbsolute, normalize } from 'node:path'
import type { HostFiles } from '../../base/host/host.ts'
import { CsiError } from '../../csi/csi-error.ts'
import { realPath } from './real-path.ts'

/**
 * INVALID_ARGUMENT for a path that is not absolute and normalized, or that is inside or above our own data, even through a link: inside, one volume
 * could be mounted over another; above, all volumes would be hidden.
 */
export function createPathCheck(files: HostFiles, root: string): (field: string, path: string) => Promise<void> {
  return async (field, path) => {
    if (!isAbsolute(path) || normalize(path) !== path || path.endsWith('/')) {
      throw new CsiError(
        'INVALID_ARGUMENT',
        `${field} must be an absolute path without "..", "//" or a trailing "/": ${JSON.stringify(path)}`,
      )
    }
    const [data, real] = [await files.resolve(root), await realPath(files, path)]
    if (`${real}/`.startsWith(`${data}/`) || `${data}/`.startsWith(`${real}/`)) {
      throw new CsiError(
        'INVALID_ARGUMENT',
        `${field} must not be inside or above the data directory of the driver: ${path}`,
      )
    }
  }
}
