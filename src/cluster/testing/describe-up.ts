import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import type { Api } from '../../api/api.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment } from '../../api/kinds/volume-attachment.ts'
import { createSystemClock } from '../../base/clock.ts'
import { createSystemHost, removeTree } from '../../base/host/index.ts'
import { createSilentLogger } from '../../base/logger.ts'
import { createSystemRandom, createUuid } from '../../base/random.ts'
import { connectApi, createInformers, loadKubeconfig } from '../../kube/index.ts'

export const MAIN = join(import.meta.dirname, '../../cli/main.ts')
const host = createSystemHost()
const clock = createSystemClock()
const random = createSystemRandom()
// What still runs in each directory: hooks run in the order they were made, and a directory is made first.
const running = new Map<string, Set<() => Promise<unknown>>>()

/** What there is in the cluster, as it was told last. */
export type Seen = {
  readonly claims: readonly PersistentVolumeClaim[]
  readonly volumes: readonly PersistentVolume[]
  readonly pods: readonly Pod[]
  readonly attachments: readonly VolumeAttachment[]
}

export interface Up {
  readonly api: Api
  readonly output: string
  /** From the start of the process to its line that begins with `ready`. */
  readonly readyMs: number
  /** What it has logged so far. */
  errors(): string
  /** Resolves when it holds; the test's own limit ends a wait that never does. */
  until(holds: (seen: Seen) => boolean): Promise<Seen>
  /** With no chance to put anything in order. */
  kill(): Promise<void>
  stop(): Promise<number | null>
}

/** A directory for a whole cluster, with nothing mounted below it any more when it is removed. */
export async function openClusterDirectory(context: Pick<TestContext, 'after'>): Promise<string> {
  const directory = `/tmp/holdfast-up-${createUuid(random).slice(0, 8)}`
  await host.files.makeDirectory(directory, 0o700)
  const own = new Set<() => Promise<unknown>>()
  running.set(directory, own)
  context.after(async () => {
    for (const end of own) await end()
    running.delete(directory)
    for (const path of (await mountsBelow(directory)).toReversed()) await host.mounts.unmount(path)
    await removeTree(host, directory)
  })
  return directory
}

export async function mountsBelow(directory: string): Promise<string[]> {
  return (await host.mounts.list()).map(({ target }) => target).filter((target) => target.startsWith(`${directory}/`))
}

/** `holdfast up` as a process of its own. */
export const startUp = (directory: string, ...flags: string[]): Promise<Up> => startUpFrom(MAIN, directory, ...flags)

/** The same from another program that takes the same words. */
export async function startUpFrom(main: string, directory: string, ...flags: string[]): Promise<Up> {
  const startedMs = clock.monotonicMs()
  const child = spawn(process.execPath, [main, 'up', `--data=${directory}`, '--port=0', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let errors = ''
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')))
  const lines: string[] = []
  const ready = (async () => {
    for await (const line of createInterface(child.stdout)) {
      lines.push(line)
      if (line.startsWith('ready')) return
    }
    throw new Error(`holdfast up ended: ${errors.slice(-2000)}`)
  })()
  await ready
  const readyMs = clock.monotonicMs() - startedMs
  child.stdout.resume()
  const credentials = await loadKubeconfig({ path: join(directory, 'kubeconfig'), parts: { host, clock, env: {} } })
  const { api, close } = connectApi({ credentials, clock, random, userAgent: 'test' })
  const informers = createInformers({ api, clock, random, log: createSilentLogger() })
  const [claims, volumes, pods, attachments] = [
    informers.get(PERSISTENT_VOLUME_CLAIMS),
    informers.get(PERSISTENT_VOLUMES),
    informers.get(PODS),
    informers.get(VOLUME_ATTACHMENTS),
  ]
  await informers.synced()
  const seen = (): Seen => ({
    claims: [...claims.all()],
    volumes: [...volumes.all()],
    pods: [...pods.all()],
    attachments: [...attachments.all()],
  })
  const until = (holds: (now: Seen) => boolean): Promise<Seen> =>
    new Promise((resolve) => {
      const check = (): void => {
        const now = seen()
        if (!holds(now)) return
        for (const stop of stops) stop()
        resolve(now)
      }
      const stops = [claims, volumes, pods, attachments].map((informer) =>
        informer.onChange(() => queueMicrotask(check)),
      )
      check()
    })
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    const [code] = (await exited) as [number | null]
    await informers.stop()
    close()
    return code
  }
  running.get(directory.replace(/\/cluster$/, ''))?.add(() => end('SIGKILL'))
  return {
    api,
    output: lines.join('\n'),
    readyMs,
    errors: () => errors,
    until,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}
