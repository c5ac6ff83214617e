import { deepEqual, ok } from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { indexFlags } from '../../src/base/options/flag-name.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { sidecarPath, skipWithout } from './peers.ts'
import type { GoSidecar } from './peers.ts'

// Every command has these, beside its table.
const BUILT_IN = new Set(['version', 'help'])
/** Flags of features that are not there yet: a manifest that uses them has to be told. */
const NOT_YET: Partial<Record<GoSidecar, readonly string[]>> = {
  'csi-snapshotter': ['groupsnapshot-name-prefix', 'groupsnapshot-name-uuid-length', 'node-deployment'],
}

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
] as const)
  test(`holdfast ${name} knows every flag of the Go program`, { skip: skipWithout(name) }, async () => {
    const theirs = flagsOf(sidecarPath(name))
    ok(theirs.includes('csi-address'), 'the help was read')
    const { command } = (await COMMANDS[name]?.()) ?? {}
    ok(command)
    const ours = indexFlags(command.options)
    const unknown = theirs.filter((flag) => !ours.has(flag) && !BUILT_IN.has(flag))
    deepEqual(
      unknown.filter((flag) => !NOT_YET[name]?.includes(flag)),
      [],
    )
  })
