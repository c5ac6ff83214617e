import { closeSync, existsSync, openSync, writeSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UsageError } from '../base/options/index.ts'
import { createFaultChooser, createRecorder, parseFaults } from '../proxy/index.ts'
import type { FaultChooser, Recorder } from '../proxy/index.ts'
import type { World } from './world.ts'

export type LoadedFaults = {
  readonly chooser: FaultChooser
  readonly seed: number
  /** Of each fault, in the order of the file. */
  readonly labels: readonly string[]
}

/** The text of a file that a flag or an argument names. */
export async function readGiven(flag: string, file: string, { host: { files } }: Pick<World, 'host'>): Promise<string> {
  if (!(await files.findStat(resolve(file))))
    throw new UsageError([`${flag}: ${file} does not exist; give another file`])
  return Buffer.from(await files.readFile(resolve(file))).toString('utf8')
}

/** The faults of a file. A file without a seed gets a random one: it is printed, so that the run can be repeated. */
export async function readFaults(file: string, world: Pick<World, 'host' | 'random'>): Promise<LoadedFaults> {
  const { random } = world
  const text = await readGiven('--faults', file, world)
  const { seed = random.below(1_000_000), faults } = parseFaults(text, file)
  return { chooser: createFaultChooser({ faults, seed }), seed, labels: faults.map(({ label }) => label) }
}

/** Refuses `--record` before anything is started. */
export function refuseUnwritable(path: string): void {
  const directory = dirname(path)
  if (!existsSync(directory)) throw new UsageError([`--record: directory ${directory} does not exist; create it first`])
}

/** A recorder that writes to a file, which only its owner may read. Closed with the command. */
export function openRecording(
  path: string,
  { recordSecrets }: { recordSecrets: boolean },
  { clock }: Pick<World, 'clock'>,
): Disposable & { recorder: Recorder } {
  refuseUnwritable(path)
  const file = openSync(path, 'w', 0o600)
  let isOpen = true
  // Each line is written at once: a recording of a process that was killed has all calls that ended before.
  const write = (line: string): void => {
    if (isOpen) writeSync(file, `${line}\n`)
  }
  return {
    recorder: createRecorder({ clock, write, showSecrets: recordSecrets }),
    [Symbol.dispose]: () => {
      isOpen = false
      closeSync(file)
    },
  }
}
