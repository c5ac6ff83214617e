import { readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { runCli } from './run-cli.ts'
import { createWorld } from './world.ts'

// The same distance from src/cli and from dist/cli.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

// Compiled once, not at every start. In the user's own folder: what lies in a shared one may be another's.
enableCompileCache(join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'compiled'))

process.exitCode = await runCli(process.argv.slice(2), createWorld(version))
