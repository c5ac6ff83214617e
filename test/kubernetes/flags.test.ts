import { deepEqual, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { indexFlags } from '../../src/base/options/flag-name.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { sidecarPath, skipWithout } from './peers.ts'

// Every command has these, beside its table.
const BUILT_IN = new Set(['version', 'help'])

/** The names in the help of a program in Go, of either library for flags. */
function flagsOf(program: string): string[] {
  const { stdout, stderr } = spawnSync(program, ['--help'], { encoding: 'utf8' })
  const names = `${stdout}${stderr}`.matchAll(/^ +(?:-\w, )?--?([a-z][a-z0-9-]*)/gm)
  return [...new Set(Array.from(names, ([, name = '']) => name))]
}

for (const name of [
  'csi-provisioner',
  'csi-attacher',
  'csi-resizer',
  'csi-snapshotter',
  'csi-external-health-monitor-controller',
  'snapshot-controller',
] as const)
  test(`holdfast ${name} knows every flag of the Go program`, { skip: skipWithout(name) }, async () => {
    const theirs = flagsOf(sidecarPath(name))
    ok(theirs.includes('kubeconfig'), 'the help was read')
    const { command } = (await COMMANDS[name]?.()) ?? {}
    ok(command)
    const ours = indexFlags(command.options)
    deepEqual(
      theirs.filter((flag) => !ours.has(flag) && !BUILT_IN.has(flag)),
      [],
    )
  })
