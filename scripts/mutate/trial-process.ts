import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { resetTests, runTests } from './test-in-process.ts'
import type { Trial, TrialSetup } from './try-mutants.ts'

/** Loads the tests again for each text that the parent sends, and answers how it went. */
function serve({ root, file, tests, reloaded }: TrialSetup): void {
  const urlOf = (path: string): string => pathToFileURL(join(root, path)).href
  const runner = pathToFileURL(join(import.meta.dirname, 'test-in-process.ts')).href
  const fresh = new Set(reloaded.map(urlOf))
  const changed = urlOf(file)
  let text = ''
  let trial = 0
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === 'node:test') return { url: runner, shortCircuit: true }
      const found = next(specifier, context)
      return fresh.has(found.url) ? { ...found, url: `${found.url}?trial=${trial}` } : found
    },
    load(url, context, next) {
      return url.startsWith(`${changed}?`)
        ? { format: 'module-typescript', source: text, shortCircuit: true }
        : next(url, context)
    },
  })
  process.on('message', (message: string) => {
    text = message
    trial += 1
    void tryText().then((result) => process.send?.(result))
  })

  async function tryText(): Promise<Trial> {
    let count = 0
    try {
      for (const path of tests) {
        resetTests()
        await import(urlOf(path))
        count += await runTests()
      }
      return { kind: 'passed', tests: count }
    } catch (error) {
      return { kind: 'failed', reason: inspect(error) }
    }
  }
}

// A failure that nobody waits for is one, too: the parent sees the process end.
process.on('unhandledRejection', () => process.exit(1))
process.once('message', (setup: TrialSetup) => serve(setup))
