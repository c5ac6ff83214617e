import { join } from 'node:path'
import { startDeadline } from '../base/abort.ts'
import { connectDriver } from '../csi/index.ts'
import type { Connection, Driver } from '../csi/index.ts'
import { openJournal } from './journal.ts'
import type { Journal } from './journal.ts'
import { createJournaledDriver } from './journaled-driver.ts'
import { removeDirectory } from './run-case.ts'
import type { CheckWorld } from './run-check.ts'
import type { Secrets } from './settings.ts'
import { undoEntry } from './undo-entry.ts'

export type CleanOptions = {
  readonly work: string
  readonly run: string
  readonly secrets: Secrets
  readonly callTimeoutMs: number
  readonly onCleaned?: (what: string) => void
}

const CONNECT_MS = 10_000

/** Whether a name in the directory of `--work` is that of a run. */
export const isRunId = (name: string): boolean => /^[0-9a-f]{8}$/.test(name)

/** Removes what an interrupted run has left, as its journal says. Returns what is still left. */
export async function cleanRun(options: CleanOptions, world: CheckWorld): Promise<string[]> {
  const { files } = world.host
  const directory = join(options.work, options.run)
  if (!isRunId(options.run) || !(await files.findStat(join(directory, 'run.json'))))
    throw new Error(`there is no journal of run ${options.run} in ${options.work}`)
  const journal = await openJournal({ files, random: world.random, directory })
  const connections: Connection[] = []
  try {
    const drivers = new Map<string, Driver>()
    for (const endpoint of new Set([journal.record.endpoint, ...journal.record.nodes]))
      drivers.set(endpoint, await openDriver(endpoint, journal, options, world, connections))
    const left = await undoAll(journal, drivers, options, world)
    await journal.close()
    if (left.length === 0) left.push(...(await removeDirectory(world.host, directory)))
    return left
  } finally {
    for (const connection of connections) connection.close()
  }
}

async function undoAll(
  journal: Journal,
  drivers: ReadonlyMap<string, Driver>,
  { onCleaned }: CleanOptions,
  { clock, host }: CheckWorld,
): Promise<string[]> {
  const driver = drivers.get(journal.record.endpoint)
  if (!driver) return []
  const left: string[] = []
  for (const entry of journal.all().toReversed()) {
    const problem = await undoEntry(entry, {
      journal,
      driver,
      nodeAt: (endpoint) => drivers.get(endpoint),
      clock,
      host,
    })
    if (problem === undefined) onCleaned?.(`${entry.kind} ${entry.id ?? entry.name}`)
    else left.push(problem)
  }
  return left
}

async function openDriver(
  endpoint: string,
  journal: Journal,
  options: CleanOptions,
  { clock }: CheckWorld,
  connections: Connection[],
): Promise<Driver> {
  const { driver, connection } = connectDriver({ endpoint, clock, timeoutMs: options.callTimeoutMs })
  connections.push(connection)
  using deadline = startDeadline(clock, CONNECT_MS, () => new Error(`no driver is listening on ${endpoint}`))
  await connection.ready(deadline.signal)
  return createJournaledDriver({ driver, journal, endpoint, secrets: options.secrets, onEntry: () => {} })
}
