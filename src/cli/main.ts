import { setFlagsFromString } from 'node:v8'
import { readFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// By default V8 lets the heap of a busy process grow to several times what is alive before it collects the old generation; with this it grows by half.
// Only for processes that keep running: at the start, when everything is new, it would cost time and save nothing.
setTimeout(() => setFlagsFromString('--heap-growing-percent=50'), 10_000).unref()

// The same distance from src/cli and from dist/cli.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Compiled once, not at every start. In the user's own folder: what lies in a shared one may be another's.
enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'compiled'))
// The cache is written when the process ends; a process that is killed would leave nothing for the next one.
setTimeout(flushCompileCache, 15_000).unref()

// Imported only now, so that the cache serves them too.
const [{ runCli }, { createWorld }] = await Promise.all([import('./run-cli.ts'), import('./world.ts')])
process.exitCode = await runCli(process.argv.slice(2), createWorld(version))
