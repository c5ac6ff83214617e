import { isAbsolute, resolve } from 'node:path'
import type { HostFiles } from '../../base/host/index.ts'

/** The files and directories that a command names: `./bin/driver --endpoint=x`, `node driver.ts`, `go run ./cmd/driver`. */
export async function findWatchedFiles(files: HostFiles, command: string, directory: string): Promise<string[]> {
  const found: string[] = []
  for (const word of command.split(/[\s'"=;&|()]+/)) {
    // A bare word is a program on the PATH, unless it has the form of a file name.
    if (!/[./]/.test(word) || word.includes('$') || word.includes('://')) continue
    const path = isAbsolute(word) ? word : resolve(directory, word)
    // Everything below the root or the home of a user would be too much to watch.
    if (path === directory || path === '/') continue
    const stat = await files.findStat(path).catch(() => undefined)
    if (stat?.kind === 'file' || stat?.kind === 'directory' || stat?.kind === 'symlink') found.push(path)
  }
  return [...new Set(found)]
}
