import { join } from 'node:path'
import type { HostFiles } from '../../base/host/index.ts'

/** What is read of a node. */
export type NodeFiles = Pick<HostFiles, 'list' | 'findStat' | 'readFile' | 'readRange' | 'resolve'>

/** The files of a machine whose root directory is mounted at `root`, by their paths on that machine. */
export function rootedFiles(files: NodeFiles, root: string): NodeFiles {
  const at = (path: string): string => join(root, path)
  return {
    list: (path) => files.list(at(path)),
    findStat: (path) => files.findStat(at(path)),
    readFile: (path) => files.readFile(at(path)),
    readRange: (path, offset, length) => files.readRange(at(path), offset, length),
    resolve: async (path) => {
      const resolved = await files.resolve(at(path))
      const below = root === '/' ? '' : root
      // An absolute link leads out of the mounted root: it is meant on the machine itself.
      return resolved.startsWith(`${below}/`) ? resolved.slice(below.length) : resolved
    },
  }
}
