import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { ROOT } from '../../../scripts/run.ts'
import { buildPeer } from '../peers.ts'

/** The blocks of this language in a section of a page, without their indentation. */
export function blocksOf(page: string, heading: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8')
  const [, section] = text.split(`\n## ${heading}\n`)
  if (section === undefined) throw new Error(`${page} has no section ${heading}`)
  const [own = ''] = section.split('\n## ')
  const blocks = own.matchAll(new RegExp(`^( *)\`\`\`${language}\n([^]*?)^ *\`\`\`$`, 'gm'))
  return [...blocks].map(([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
}

export type Shell = {
  /** Writes a file that commands refer to. */
  write(name: string, value: object): void
  /** Runs commands as somebody would who has pasted them; fails with the first one that fails. */
  run(commands: string): Promise<string>
}

/** A directory like the root of the repository, with helm and kubectl on the PATH, and the images of the tests at the registry of the pages. */
export async function openShell(parentDirectory: string, kubeconfig: string): Promise<Shell> {
  const directory = mkdtempSync(join(parentDirectory, 'shell-'))
  symlinkSync(join(ROOT, 'deploy'), join(directory, 'deploy'))
  for (const name of ['helm', 'kubectl'] as const) symlinkSync(await buildPeer(name), join(directory, name))
  const PATH = `${directory}${delimiter}${process.env['PATH']}`
  // No file of this machine's user is read first.
  const env = { ...process.env, KUBECONFIG: kubeconfig, PATH, BASH_ENV: undefined }
  return {
    write: (name, value) => writeFileSync(join(directory, name), JSON.stringify(value)),
    run: async (commands) => {
      const script = commands.replaceAll('registry.example.com/', 'localhost/')
      // Not synchronously: the connection to the cluster goes through this process.
      return (await promisify(execFile)('bash', ['-ec', script], { cwd: directory, env, timeout: 300_000 })).stdout
    },
  }
}
