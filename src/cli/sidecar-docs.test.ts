import { equal, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseArguments } from '../base/options/index.ts'
import { COMMANDS } from './commands.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/sidecars.md'), 'utf8')

test('the containers in docs/sidecars.md have arguments that their commands take', async () => {
  const blocks = Array.from(
    page.matchAll(/```yaml\n([^]*?)```/g),
    ([, text = '']) => parse(text) as { containers: { args?: string[] }[] },
  )
  const commands = blocks.flatMap(({ containers }) => containers.flatMap(({ args }) => (args ? [args] : [])))
  ok(commands.length >= 2)
  for (const [name = '', ...words] of commands) {
    const module = await COMMANDS[name]?.()
    ok(module, `${name} is no command`)
    equal(parseArguments(module.command, words).kind, 'run')
  }
})

test('every flag that docs/sidecars.md names is one of a sidecar', () => {
  const known = new Set(
    [
      'sidecar',
      'csi-provisioner',
      'csi-attacher',
      'csi-snapshotter',
      'csi-external-health-monitor-controller',
      'snapshot-controller',
    ].flatMap((name) => flagsOf(name)),
  )
  const named = Array.from(
    page.replaceAll(/kubectl [^`\n]*/g, '').matchAll(/--([a-z][a-z-]*[a-z])(?![a-z-]*…)/g),
    ([, flag = '']) => flag,
  )
  for (const flag of named) ok(known.has(flag), `--${flag}`)
})

/** As its help names them. */
function flagsOf(name: string): string[] {
  const commands = readFileSync(join(import.meta.dirname, '../../docs/commands.md'), 'utf8')
  const section = commands.split(/^## holdfast /m).find((text) => text.startsWith(`${name}\n`)) ?? ''
  return Array.from(section.matchAll(/`--([a-z-]+)/g), ([, flag = '']) => flag)
}
