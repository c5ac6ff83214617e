import { UsageError } from '../base/options/index.ts'
import { apiserverCommand } from './apiserver.ts'
import { clusterDriverRegistrarCommand } from './cluster-driver-registrar.ts'
import type { CommandModule } from './command-module.ts'
import { controllersCommand } from './controllers.ts'
import { csiAttacherCommand } from './csi-attacher.ts'
import { csiProvisionerCommand } from './csi-provisioner.ts'
import { driverCommand } from './driver.ts'
import { livenessprobeCommand } from './livenessprobe.ts'
import { nodeCommand } from './node.ts'
import { nodeDriverRegistrarCommand } from './node-driver-registrar.ts'
import { PLANNED_COMMANDS } from './planned-commands.ts'
import { sidecarCommand } from './sidecar.ts'
import { upCommand } from './up.ts'
import type { World } from './world.ts'

export const COMMANDS: Readonly<Record<string, CommandModule>> = {
  up: upCommand,
  apiserver: apiserverCommand,
  controllers: controllersCommand,
  node: nodeCommand,
  driver: driverCommand,
  sidecar: sidecarCommand,
  'csi-provisioner': csiProvisionerCommand,
  'csi-attacher': csiAttacherCommand,
  'node-driver-registrar': nodeDriverRegistrarCommand,
  'cluster-driver-registrar': clusterDriverRegistrarCommand,
  livenessprobe: livenessprobeCommand,
}

/** Runs one command line. Exit codes: 0 done, 1 failed, 2 wrong usage. */
export async function runCli(words: readonly string[], world: World): Promise<number> {
  try {
    return await dispatch(words, world)
  } catch (error) {
    if (error instanceof UsageError) {
      world.err.write(error.message.split('\n').map((line) => `holdfast: ${line}\n`).join(''))
      return 2
    }
    world.err.write(`holdfast: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  }
}

async function dispatch([name, ...words]: readonly string[], world: World): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    if (name === 'help' && words[0] !== undefined) return requireCommand(words[0]).run(['--help'], world)
    world.out.write(formatOverview())
    return 0
  }
  if (name === '--version' || name === 'version') {
    world.out.write(`holdfast ${world.version}\n`)
    return 0
  }
  return requireCommand(name).run(words, world)
}

function requireCommand(name: string): CommandModule {
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (found) return found
  if (Object.hasOwn(PLANNED_COMMANDS, name)) throw new Error(`${name} (${PLANNED_COMMANDS[name]}) is not part of this version yet`)
  throw new UsageError([`unknown command ${JSON.stringify(name)}; see holdfast --help`])
}

function formatOverview(): string {
  const rows = Object.entries(COMMANDS).map(([name, { command }]) => [name, firstSentence(command.summary)])
  const planned = Object.entries(PLANNED_COMMANDS)
  const width = Math.max(...[...rows, ...planned].map(([name]) => (name ?? '').length))
  const lines = (entries: (string | undefined)[][]): string => entries.map(([name = '', text = '']) => `  ${name.padEnd(width)}  ${text}\n`).join('')
  return `Holdfast: the storage half of Kubernetes in one program.

Usage: holdfast COMMAND [flags]

Commands:
${lines(rows)}
Not in this version yet:
${lines(planned)}
holdfast COMMAND --help tells about one command.
`
}

const firstSentence = (text: string): string => text.slice(0, text.search(/[:.]( |$)/))
