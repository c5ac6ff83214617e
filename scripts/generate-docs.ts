import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatOptionsMarkdown, formatUsage } from '../src/base/options/index.ts'
import type { Command } from '../src/base/options/index.ts'
import { ALL_CASES } from '../src/check/cases/all-cases.ts'
import { CLUSTER_CASES } from '../src/check/cluster/all-cluster-cases.ts'
import { formatCasesPage } from '../src/check/report/format-cases-page.ts'
import { loadAllCommands } from '../src/cli/commands.ts'
import { generateManifests } from './generate-manifests.ts'
import { ROOT } from './run.ts'
import { readFiles } from './source-file.ts'
import type { SourceFile } from './source-file.ts'

const MODULES = await loadAllCommands()

/** What follows from the source: RBAC manifests, the pages of commands and of the cases of `holdfast check`, and pages that show a file of `examples/`. Writes nothing. */
export function generateDocs(): SourceFile[] {
  const commands = { path: 'docs/commands.md', text: formatCommands(MODULES.map(({ command }) => command)) }
  const readExample = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
  const cases = { path: 'docs/check-cases.md', text: formatCasesPage([...ALL_CASES, ...CLUSTER_CASES]) }
  const generated = [commands, cases]
  const pages = readFiles(ROOT, ['README.md', 'docs/*.md']).filter(
    ({ path }) => !generated.some((page) => page.path === path),
  )
  const embedded = pages.map(({ path, text }) => ({ path, text: embedExamples(text, readExample) }))
  return [...generated, ...embedded, ...generateManifests()]
}

// A comment that names a file, and the block below it, which shows that file.
const EMBEDDED = /^(<!-- (examples\/\S+) -->\n```\w+\n).*?^```$/gms

/** The page with the current text of each file that it shows below a comment such as `<!-- examples/claim.yaml -->`. */
export function embedExamples(page: string, readExample: (path: string) => string): string {
  return page.replaceAll(EMBEDDED, (_, opening: string, path: string) => `${opening}${readExample(path)}\`\`\``)
}

/** The generated pages that are missing or not what the source says today. */
export function findStaleDocs(root: string, pages: readonly SourceFile[] = generateDocs()): string[] {
  return pages
    .filter(({ path, text }) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text)
    .map(({ path }) => path)
}

/** Writes those pages and returns their paths. */
export function writeStaleDocs(root: string, pages: readonly SourceFile[] = generateDocs()): string[] {
  const stale = findStaleDocs(root, pages)
  for (const { path, text } of pages) if (stale.includes(path)) writeFileSync(join(root, path), text)
  return stale
}

function formatCommands(commands: readonly Command[]): string {
  return `${[
    '# Commands',
    '<!-- Made by npm run generate from the option tables in src/cli. Do not edit. -->',
    'In a checkout, `npx holdfast COMMAND` runs the source with the pinned Node.js.',
    'Write flags as `--name=value` or `--name value`, and booleans as `--name` or `--name=false`. Every command has `--help` and `--version`.',
    'Exit codes: 0 success, 1 failure, 2 wrong usage. A command that keeps running prints a line that begins with `ready` to standard ' +
      'output once it is serving. Logs go to standard error. SIGTERM and SIGINT stop it gracefully; a second signal ends it immediately.',
    ...commands.map(formatCommand),
  ].join('\n\n')}\n`
}

function formatCommand(command: Command): string {
  const examples = (command.examples ?? []).map(({ text, command: line }) => `# ${text}\n${line}`)
  return [
    `## ${command.name}`,
    command.summary,
    `\`${formatUsage(command)}\``,
    formatOptionsMarkdown(command.options).trimEnd(),
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
  ].join('\n\n')
}

if (import.meta.main) {
  const written = writeStaleDocs(ROOT)
  process.stdout.write(written.length === 0 ? 'nothing to change\n' : `changed: ${written.join(', ')}\n`)
}
