import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT, run } from '../run.ts'
import { register } from './title-register.ts'
import type { TestTitle } from './title-register.ts'

/** The titles of all tests that these files run, in a process of its own: nothing that a test file starts on import survives it. */
export async function collectTitles(files: readonly string[], root: string = ROOT): Promise<TestTitle[]> {
  const { code, stdout, stderr } = await run(process.execPath, [import.meta.filename, root, ...files], { cwd: root })
  if (code !== 0) throw new Error(`the titles of the tests could not be collected:\n${stderr.trim()}`)
  return JSON.parse(stdout.slice(stdout.lastIndexOf('\n[') + 1)) as TestTitle[]
}

async function main([root = ROOT, ...files]: readonly string[]): Promise<void> {
  const recorder = pathToFileURL(join(import.meta.dirname, 'record-titles.ts')).href
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:test' ? { url: recorder, shortCircuit: true } : next(specifier, context),
  })
  for (const file of files) {
    register.begin(file)
    await import(pathToFileURL(join(root, file)).href)
    await register.settle()
  }
  await new Promise<void>(
    (resolve) => void process.stdout.write(`\n${JSON.stringify(register.titles)}`, () => resolve()),
  )
  process.exit(0)
}

if (import.meta.main) await main(process.argv.slice(2))
