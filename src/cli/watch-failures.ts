import { startDeadline } from '../base/abort.ts'
import { sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { CaseInfo } from '../check/case.ts'
import type { Connection } from '../csi/index.ts'

export type WatchParts = {
  readonly clock: Clock
  /** Resolves when the user ends the program. */
  readonly stopped: Promise<unknown>
  /** A connection of its own, to see the driver go and come back. */
  connect(): Pick<Connection, 'watch' | 'close' | 'ready'>
  /** Differs when a file of the driver has changed. */
  stamps(): Promise<string>
  /** Restarts the driver after a change of its files. Absent without `--restart`. */
  restart?(): Promise<void>
  say(text: string): void
}

type Trigger = 'stopped' | 'back' | 'changed'

const LOOK_EVERY_MS = 500

/** Runs the cases, and those that failed again with each change of the driver, until none fails. Returns the exit code. */
export async function watchFailures(
  cases: readonly CaseInfo[],
  run: (cases: readonly CaseInfo[], isRepeated: boolean) => Promise<CaseInfo[]>,
  parts: WatchParts,
): Promise<number> {
  let failed = await run(cases, false)
  while (failed.length > 0) {
    const isAre = failed.length === 1 ? 'case is' : 'cases are'
    const orFile = parts.restart ? ', or a file that --restart names changes' : ''
    const told = `\n${failed.length} ${isAre} run again when the driver comes back${orFile}. Ctrl-C stops.\n`
    const trigger = await untilChanged(parts, told)
    if (trigger === 'stopped') return 1
    try {
      if (trigger === 'changed') await parts.restart?.()
      failed = await run(failed, true)
    } catch (error) {
      // The driver may be half built: the next change is another chance.
      parts.say(`${error instanceof Error ? error.message : String(error)}\n`)
    }
  }
  return 0
}

const CONNECT_MS = 1000

async function isDown(connection: Pick<Connection, 'ready'>, clock: Clock): Promise<boolean> {
  using limit = startDeadline(clock, CONNECT_MS, () => new Error('not connected'))
  return connection.ready(limit.signal).then(
    () => false,
    () => true,
  )
}

async function untilChanged({ clock, stopped, connect, stamps, say }: WatchParts, told: string): Promise<Trigger> {
  const connection = connect()
  const ended = new AbortController()
  try {
    const { promise: back, resolve } = Promise.withResolvers<Trigger>()
    // A driver that is down now is back with its first connection.
    let isLost = await isDown(connection, clock)
    connection.watch(({ kind }) => {
      if (kind === 'lost') isLost = true
      if (kind === 'ready' && isLost) resolve('back')
    })
    const before = await stamps()
    // Not earlier: a restart that the text invites must not be missed.
    say(told)
    const changed = async (): Promise<Trigger> => {
      let last = before
      for (;;) {
        await sleep(clock, LOOK_EVERY_MS, ended.signal)
        const now = await stamps()
        // A change counts once the file is complete.
        if (now !== before && now === last) return 'changed'
        last = now
      }
    }
    return await Promise.race([
      stopped.then((): Trigger => 'stopped'),
      back,
      changed().catch(() => new Promise<never>(() => {})),
    ])
  } finally {
    ended.abort()
    connection.close()
  }
}
