import type { Api } from '../api/api.ts'
import { startDeadline } from '../base/abort.ts'
import { repeat, sleep } from '../base/clock.ts'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import { startWhole } from '../base/stops.ts'
import { findStuck } from '../explain/index.ts'
import { createInformers } from '../kube/cache/informers.ts'
import { followKinds } from './caches.ts'
import type { CallLog } from './call-log.ts'
import { createClaimUsages } from './claim-usage.ts'
import type { ClaimUsages } from './claim-usage.ts'
import { LEAK_TABLE, leakRows } from './leak-table.ts'
import type { FoundLeak } from './leak-table.ts'
import { createLifeRecorder } from './life/life-recorder.ts'
import type { LifeRecorder } from './life/life-recorder.ts'
import { createLiveTables } from './live-tables.ts'
import type { LiveTables } from './live-tables.ts'
import { readObjectPage } from './object-page.ts'
import { loadPageFiles } from './page-files.ts'
import type { PageFiles } from './page-files.ts'
import type { ObjectAnswer, StreamMessage, TableInfo } from './protocol.ts'
import type { Table } from './table.ts'
import type { SpanLog } from './span-log.ts'
import { serveConsole } from './serve-console.ts'
import type { ConsoleSource } from './serve-console.ts'
import { STUCK_TABLE, stuckRows } from './stuck-table.ts'
import { capacityTable } from './tables/capacity-table.ts'
import { claimTable } from './tables/claim-table.ts'
import { driverTable } from './tables/driver-table.ts'
import { nodeTable } from './tables/node-table.ts'
import { snapshotTable } from './tables/snapshot-table.ts'
import { volumeTable } from './tables/volume-table.ts'

const tablesWith = (calls: CallLog | undefined, recorder: LifeRecorder, usages: ClaimUsages): readonly Table[] => [
  claimTable(usages),
  volumeTable(recorder),
  snapshotTable,
  driverTable(calls),
  nodeTable,
  capacityTable,
]

export type ConsoleParts = {
  readonly host: Pick<Host, 'files'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
}

export type ConsoleOptions = {
  /** With the permissions of whoever looks at the console. */
  readonly api: Api
  /** Of the API server, as the page shows it. */
  readonly server: string
  readonly version: string
  /** Default 0: a free one. */
  readonly port?: number
  /** Calls of this process to drivers. Absent: other processes make them. */
  readonly calls?: CallLog | undefined
  /** Steps of this process. Absent: the parts run in other processes. */
  readonly spans?: SpanLog | undefined
  /** Compares the drivers with the cluster. Absent: this process does not reach the drivers. */
  readonly findLeaks?: ((signal: AbortSignal) => Promise<readonly FoundLeak[]>) | undefined
  readonly signal: AbortSignal
}

export interface RunningConsole {
  readonly address: string
  stop(): Promise<void>
}

const ANSWER_MS = 15_000
const USAGE_MS = 2000

/**
 * Serves the page. Resolves as soon as it listens: the cluster is followed from now on, but the first browser may have to wait for the caches.
 */
export function startConsole(parts: ConsoleParts, options: ConsoleOptions): Promise<RunningConsole> {
  return startWhole(async (stops) => {
    const stopping = new AbortController()
    const followed = followCluster(parts, options, AbortSignal.any([stopping.signal, options.signal]))
    // Whoever asks for a page learns why it failed.
    followed.catch(() => {})
    stops.onStop(() =>
      followed.then(
        (each) => each.stop(),
        () => {},
      ),
    )
    stops.onStop(() => stopping.abort(new Error('the console was stopped')))
    const source: ConsoleSource = {
      subscribe: async (send) => (await followed).subscribe(send),
      readObject: async (target) => (await followed).readObject(target),
    }
    let page: Promise<PageFiles> | undefined
    const served = await serveConsole(
      { port: options.port ?? 0, page: () => (page ??= loadPageFiles(parts.host.files)), source },
      parts,
    )
    stops.onStop(() => served.close())
    return { address: served.address, stop: stops.run }
  })
}

type FollowedCluster = {
  subscribe(send: (message: StreamMessage) => void): () => void
  readObject(target: string): Promise<ObjectAnswer>
  stop(): Promise<void>
}

function followCluster(parts: ConsoleParts, options: ConsoleOptions, signal: AbortSignal): Promise<FollowedCluster> {
  const { clock, random, log } = parts
  const { api, calls, spans, findLeaks, server, version } = options
  return startWhole(async (stops) => {
    const informers = createInformers({ api, clock, random, log })
    stops.onStop(() => informers.stop())
    const followed = await followKinds(informers, signal)
    const recorder = createLifeRecorder(followed, clock)
    const usages = createClaimUsages({ api, clock, caches: followed.caches })
    const tables = tablesWith(calls, recorder, usages)
    const live = createLiveTables(tables, followed, clock)
    stops.onStop(() => live.stop())
    const refreshes = [
      createRefresh(live, parts, {
        everyMs: STUCK_EVERY_MS,
        problem: 'what is waiting could not be read',
        run: async (ending) => {
          live.replace(STUCK_TABLE.name, stuckRows(await findStuck({ api, signal: ending, nowMs: clock.nowMs() })))
        },
      }),
      createRefresh(live, parts, {
        everyMs: USAGE_EVERY_MS,
        problem: 'how full the volumes are could not be read',
        run: async (ending) => {
          for (const key of await usages.refresh(ending)) live.touch('claims', key, `PersistentVolumeClaim/${key}`)
        },
      }),
      ...(findLeaks
        ? [
            createRefresh(live, parts, {
              everyMs: LEAKS_EVERY_MS,
              problem: 'leaks could not be looked for',
              run: async (ending) => live.replace(LEAK_TABLE.name, leakRows(await findLeaks(ending))),
            }),
          ]
        : []),
    ]
    const refresh = (): void => {
      for (const each of refreshes) each.request()
    }
    for (const each of refreshes) stops.onStop(() => each.stop())
    live.onChanged(refresh)
    // Volumes fill up, and drivers lose volumes, without a change of any object.
    const ticking = repeat(clock, USAGE_EVERY_MS, refresh)
    stops.onStop(() => ticking[Symbol.dispose]())
    // A call shows on the page of its volume, which may change no object.
    calls?.onCall((driver) => live.touch('drivers', driver, 'CSI calls'))
    const readObject = async (target: string): Promise<ObjectAnswer> => {
      using deadline = startDeadline(clock, ANSWER_MS, () => new Error('the API server did not respond in time'))
      using usage = startDeadline(clock, USAGE_MS, () => new Error('no stats in time'))
      const { caches } = followed
      return readObjectPage(target, {
        api,
        caches,
        recorder,
        calls,
        spans,
        signal: deadline.signal,
        usageSignal: usage.signal,
        nowMs: clock.nowMs(),
      })
    }
    const subscribe = (send: (message: StreamMessage) => void): (() => void) => {
      const infos = [STUCK_TABLE, ...tables, ...(findLeaks ? [LEAK_TABLE] : [])]
      send({ kind: 'hello', server, version, tables: infosOf(infos, followed.unread) })
      const end = live.subscribe(send)
      refresh()
      return end
    }
    return { subscribe, readObject, stop: stops.run }
  })
}

/** What the page has to know of each table. */
const infosOf = (tables: readonly TableInfo[], unread: readonly string[]): TableInfo[] =>
  tables.map(({ name, title, columns, note, empty }) => ({
    name,
    title,
    columns,
    ...(note === undefined ? {} : { note }),
    ...(empty === undefined ? {} : { empty }),
    ...(unread.length > 0 ? { note: `You may not list ${unread.join(', ')}, or the cluster does not have them.` } : {}),
  }))

const STUCK_EVERY_MS = 700
const USAGE_EVERY_MS = 10_000
const LEAKS_EVERY_MS = 10_000

type Refreshing = { readonly everyMs: number; readonly problem: string; run(signal: AbortSignal): Promise<void> }

/** Makes a table again that is not made of caches, at most once in a while, and only while somebody looks. */
function createRefresh(
  live: LiveTables,
  { clock, log }: ConsoleParts,
  refreshing: Refreshing,
): { request(): void; stop(): Promise<void> } {
  const stopping = new AbortController()
  let isWanted = false
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false
      try {
        await refreshing.run(stopping.signal)
        live.broadcast({ kind: 'connection', problem: null })
      } catch (error) {
        if (stopping.signal.aborted) return
        log.warn(refreshing.problem, { error })
        live.broadcast({ kind: 'connection', problem: error instanceof Error ? error.message : String(error) })
      }
      await sleep(clock, refreshing.everyMs, stopping.signal).catch(() => {})
    }
  }
  return {
    request: () => {
      if (!live.hasSubscribers()) return
      isWanted = true
      running ??= run().finally(() => (running = undefined))
    },
    stop: async () => {
      stopping.abort(new Error('the console was stopped'))
      await running
    },
  }
}
