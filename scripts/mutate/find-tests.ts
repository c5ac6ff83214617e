import { posix } from 'node:path'
import type { SourceFile } from '../source-file.ts'

/** The tests of a file: the one beside it, and those that import it directly. */
export function findTests(path: string, files: readonly SourceFile[]): string[] {
  const sibling = path.replace(/\.ts$/, '.test.ts')
  const direct = files
    .filter((file) => file.path.endsWith('.test.ts') && importsOf(file).includes(path))
    .map((file) => file.path)
  const beside = files.some((file) => file.path === sibling) ? [sibling] : []
  return [...new Set([...beside, ...direct])]
}

/** The file and all that import it, directly or through others. */
export function findDependents(path: string, files: readonly SourceFile[]): string[] {
  const importers = new Map<string, string[]>()
  for (const file of files) {
    for (const imported of importsOf(file)) importers.set(imported, [...(importers.get(imported) ?? []), file.path])
  }
  const found = new Set([path])
  for (const item of found) for (const importer of importers.get(item) ?? []) found.add(importer)
  return [...found]
}

function importsOf({ path, text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) =>
    posix.join(posix.dirname(path), specifier),
  )
}
