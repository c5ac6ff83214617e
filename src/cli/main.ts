import { setFlagsFromString } from 'node:v8'
import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCli } from './run-cli.ts'
import { createWorld } from './world.ts'

// By default V8 lets the heap of a busy process grow to several times what is alive before it collects the old generation; with this it grows by half.
// Only for processes that keep running: at the start, when everything is new, it would cost time and save nothing.
setTimeout(() => setFlagsFromString('--heap-growing-percent=50'), 10_000).unref()

// The same distance from src/cli and from dist/cli.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

// Compiled once, not at every start. In the user's own folder: what lies in a shared one may be another's.
enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'compiled'))

process.exitCode = await runCli(process.argv.slice(2), createWorld(version))
