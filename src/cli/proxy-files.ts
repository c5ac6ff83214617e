import { closeSync, openSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import { createFaultChooser, createRecorder, parseFaults } from '../proxy/index.ts'
import type { FaultChooser, Recorder } from '../proxy/index.ts'
import type { World } from './world.ts'

export type LoadedFaults = {
  readonly chooser: FaultChooser
  readonly seed: number
  /** Of each fault, in the order of the file. */
  readonly labels: readonly string[]
}

/** The faults of a file. A file without a seed gets a random one: it is printed, so that the run can be repeated. */
export async function readFaults(
  file: string,
  { host, random }: Pick<World, 'host' | 'random'>,
): Promise<LoadedFaults> {
  const text = Buffer.from(await host.files.readFile(resolve(file))).toString('utf8')
  const { seed = random.below(1_000_000), faults } = parseFaults(text, file)
  return { chooser: createFaultChooser({ faults, seed }), seed, labels: faults.map(({ label }) => label) }
}

/** A recorder that writes to a file, which only its owner may read. Closed with the command. */
export function openRecording(
  path: string,
  { recordSecrets }: { recordSecrets: boolean },
  { clock }: Pick<World, 'clock'>,
): Disposable & { recorder: Recorder } {
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
