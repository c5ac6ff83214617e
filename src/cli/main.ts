import { readFileSync } from 'node:fs'
import { runCli } from './run-cli.ts'
import { createWorld } from './world.ts'

// The same distance from src/cli and from dist/cli.
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }

process.exitCode = await runCli(process.argv.slice(2), createWorld(version))
