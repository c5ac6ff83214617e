import { join } from 'node:path'
import type { SourceFile } from 'typescript/unstable/ast'
import { API } from 'typescript/unstable/sync'

/** The compiler over the tree, with one file that can be given another text. */
export type Compiler = {
  parse(): SourceFile
  /** Whether the file, with this text, has type errors. */
  isRefused(text: string): boolean
  close(): void
}

// Code that can't be reached and names that nobody uses: a mutant may leave those behind.
const HARMLESS = new Set([7027, 6133, 6192, 6196, 6198, 6199])
// It exists only in what the compiler is told, so that the project is this one file and what it imports.
const CONFIG = 'tsconfig.mutate.json'

export function openCompiler(root: string, path: string): Compiler {
  const file = join(root, path)
  const config = join(root, CONFIG)
  let changed: string | undefined
  const configText = JSON.stringify({ extends: './tsconfig.json', files: [path], include: [] })
  const api = new API({
    cwd: root,
    fs: {
      readFile: (name) => (name === config ? configText : name === file ? changed : undefined),
      fileExists: (name) => (name === config ? true : undefined),
    },
  })
  let snapshot = api.updateSnapshot({ openProjects: [config] })
  const project = () => {
    const found = snapshot.getProject(config)
    if (!found) throw new Error(`the compiler has no project for ${path}`)
    return found
  }
  const parse = (): SourceFile => {
    const source = project().program.getSourceFile(file)
    if (!source) throw new Error(`${path} does not exist`)
    return source
  }
  return {
    parse,
    isRefused(text) {
      changed = text
      snapshot = api.updateSnapshot({ fileChanges: { changed: [file] } })
      const { program } = project()
      return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].some(
        ({ code }) => !HARMLESS.has(code),
      )
    },
    close: () => api.close(),
  }
}
