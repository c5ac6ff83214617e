import { posix } from 'node:path'
import { isTestFile } from './source-file.ts'
import type { SourceFile } from './source-file.ts'
import { tokenize } from './tokenize.ts'
import type { Token } from './tokenize.ts'

export type Import = { specifier: string; typeOnly: boolean; line: number }

// What each folder of src/ may import. Imports point up the list and never down.
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  api: ['base'],
  csi: ['base'],
  compat: ['base', 'api', 'csi'],
  storage: ['base', 'api', 'csi', 'compat'],
  kube: ['base', 'api', 'compat'],
  apiserver: ['base', 'api', 'compat', 'storage'],
  controllers: ['base', 'api', 'compat', 'storage', 'kube'],
  sidecars: ['base', 'api', 'csi', 'compat', 'storage', 'kube'],
  node: ['base', 'api', 'csi', 'compat', 'storage', 'kube'],
  drivers: ['base', 'csi'],
  proxy: ['base', 'csi'],
  check: ['base', 'csi'],
  explain: ['base', 'api', 'csi', 'compat', 'storage', 'controllers', 'sidecars', 'node'],
  connect: ['base', 'api', 'kube'],
  cluster: ['*'],
  cli: ['*'],
  console: ['base', 'api', 'csi', 'storage', 'kube', 'explain'],
  // The root of the package.
  'index.ts': ['*'],
}

// The part of check that drives a cluster. The rest of check knows only CSI, and must not import it.
const CHECK_CLUSTER = 'src/check/cluster/'

const PAGE = 'src/console/page/'

// Folders whose own folders meet only in API objects or on a socket.
const GROUPS = ['controllers', 'sidecars', 'drivers']

/** One line for each import in src/ that goes against the direction, each cycle, and each `index.ts` with code in it. */
export function checkImports(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path))
  const tests = new Set(files.filter(isTestFile).map(({ path }) => path))
  const graph = new Map<string, string[]>()
  const problems: string[] = []
  for (const { path, text } of files) {
    const tokens = tokenize(text)
    const targets: string[] = []
    for (const found of findImports(tokens)) {
      if (!found.specifier.startsWith('.')) continue
      const target = posix.join(posix.dirname(path), found.specifier)
      if (known.has(target)) targets.push(target)
      const problem = judgeImport(path, target, found.typeOnly, tests)
      if (problem !== undefined) problems.push(`${path}:${found.line}: ${problem}`)
    }
    graph.set(path, targets)
    if (posix.basename(path) === 'index.ts') problems.push(...checkDoor(path, tokens))
  }
  return [...problems, ...findCycles(graph).map((cycle) => `import cycle: ${cycle.join(' → ')}`)]
}

/** Imports, re-exports and `import()` with a constant specifier, in order. */
export function findImports(tokens: readonly Token[]): Import[] {
  const imports: Import[] = []
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (token.kind !== 'word' || next === undefined) continue
    if (token.text === 'from' && next.kind === 'string') {
      imports.push({ specifier: next.text, typeOnly: isTypeOnly(tokens, index), line: next.line })
    } else if (token.text === 'import' && next.kind === 'string') {
      imports.push({ specifier: next.text, typeOnly: false, line: next.line })
    } else if (token.text === 'import' && next.text === '(') {
      const argument = tokens[index + 2]
      if (argument?.kind === 'string') imports.push({ specifier: argument.text, typeOnly: false, line: argument.line })
    }
  }
  return imports
}

function isTypeOnly(tokens: readonly Token[], from: number): boolean {
  for (let index = from - 1; index >= 0; index--) {
    const token = tokens[index]
    if (token?.kind === 'word' && (token.text === 'import' || token.text === 'export'))
      return tokens[index + 1]?.text === 'type'
  }
  return false
}

function judgeImport(path: string, target: string, typeOnly: boolean, tests: ReadonlySet<string>): string | undefined {
  const [, folder = '', inner] = path.split('/')
  const [top, targetFolder = '', targetInner] = target.split('/')
  if (top !== 'src') return `imports ${target}, which is not part of the program`
  if (tests.has(path)) return undefined
  if (tests.has(target)) return `imports ${target}, which is for tests`
  const allowed = MAY_IMPORT[folder]
  if (!allowed) return `src/${folder} has no place in the direction of imports: add it to scripts/check-imports.ts`
  // The page runs in a browser, which is sent nothing but the page itself.
  if (path.startsWith(PAGE) && !target.startsWith(PAGE) && !typeOnly) return `${PAGE} imports only types, not ${target}`
  if (path.startsWith(CHECK_CLUSTER))
    return targetFolder === 'cli' ? `imports ${target}: nothing imports cli/` : undefined
  if (folder === 'check' && target.startsWith(CHECK_CLUSTER)) return `only cli/ imports ${CHECK_CLUSTER} (${target})`
  if (folder === targetFolder) {
    const siblings = GROUPS.includes(folder) && isFolderPart(path) && isFolderPart(target) && inner !== targetInner
    return siblings ? `${folder}/${inner} imports its sibling ${folder}/${targetInner}` : undefined
  }
  if (targetFolder === 'cli') return `imports ${target}: nothing imports cli/`
  if (allowed.includes('*')) return undefined
  if (!allowed.includes(targetFolder)) return `${folder}/ must not import ${targetFolder}/ (${target})`
  if (
    folder === 'explain' &&
    !['base', 'api', 'csi', 'compat', 'storage'].includes(targetFolder) &&
    !/\/(next-[^/]+-step|[^/]+-view)\.ts$/.test(target)
  ) {
    return `explain/ imports only the next-*-step.ts and *-view.ts of ${targetFolder}/, not ${target}`
  }
  return undefined
}

// src/controllers/binder/x.ts, but not src/controllers/shared.ts
const isFolderPart = (path: string): boolean => path.split('/').length > 3

/** `index.ts` is a folder's door: named re-exports, nothing else. */
function checkDoor(path: string, tokens: readonly Token[]): string[] {
  let index = 0
  const take = (...texts: string[]): boolean => {
    if (!texts.includes(tokens[index]?.text ?? '')) return false
    index += 1
    return true
  }
  while (index < tokens.length) {
    const line = tokens[index]?.line ?? 0
    if (!take('export')) return [`${path}:${line}: an index.ts holds only named re-exports`]
    take('type')
    if (!take('{')) return [`${path}:${line}: an index.ts names what it re-exports`]
    while (index < tokens.length && !take('}')) index += 1
    if (!take('from')) return [`${path}:${line}: an index.ts holds only named re-exports`]
    index += 1
    take(';')
  }
  return []
}

/** Each group of files that reach each other, as one way round, found by walking depth first. */
function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = []
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (path: string): void => {
    const start = trail.indexOf(path)
    if (start >= 0) return void cycles.push([...trail.slice(start), path])
    if (done.has(path)) return
    trail.push(path)
    for (const target of graph.get(path) ?? []) visit(target)
    trail.pop()
    done.add(path)
  }
  for (const path of graph.keys()) visit(path)
  return cycles
}
