import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file by its path from the repository's root, with slashes. The checks are functions over these, so that a test can make some up. */
export type SourceFile = { path: string; text: string }

// What .gitignore leaves out, and git's own folder. Asking git would fail in a copy without history.
const IGNORED = /(^|\/)(\.git|node_modules|dist|coverage|\.holdfast)(\/|$)|\.(log|tgz)$/

/** Every file of the repository that matches one of the patterns, in order of its path. */
export function listFiles(root: string, patterns: readonly string[]): string[] {
  const entries = globSync([...patterns], {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => IGNORED.test(entry.name),
  })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  return [...new Set(paths)].sort()
}

export function readFiles(root: string, patterns: readonly string[]): SourceFile[] {
  return listFiles(root, patterns).map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/**
 * Tests, simulations, and what they share, which lies in folders named `testing`. They may look at anything; nothing that ships may
 * look at them. tsconfig.build.json and .oxlintrc.json know the same names.
 */
export const isTestFile = ({ path }: SourceFile): boolean => /\.(test|simulation)\.ts$|(^|\/)testing\//.test(path)
