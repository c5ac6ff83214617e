import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../src/api/kinds/persistent-volume.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import { createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { connectApi } from '../../src/kube/client/connect-api.ts'
import { claim, claimName, claimStatus, NAMESPACE, nodeName, pod, podName, volume, volumeName } from './objects.ts'
import { createWatches } from './open-watches.ts'
import type { OpenWatches } from './open-watches.ts'
import type { ClientOptions, ClientReply, ClientRequest, Task, TaskResult, Watched } from './task.ts'

// Started by fork: client-process.ts OPTIONS. Does one task after the other, as it is told.
const options = JSON.parse(process.argv[2] ?? '{}') as ClientOptions
const tls = { ca: options.ca, rejectUnauthorized: true }
const { api } = connectApi({
  credentials: {
    server: new URL(options.address),
    namespace: undefined,
    tls: () => Promise.resolve(tls),
    headers: () => Promise.resolve({ authorization: `Bearer ${options.token}` }),
    invalidate: () => false,
  },
  clock: createSystemClock(),
  random: createSystemRandom(),
  userAgent: 'holdfast-bench',
})

const OPENED_AT_ONCE = 50
// 100 watches on 10 connections, 5,000 on 50: kube-apiserver takes no more than 100 on one.
const FEWEST_STREAMS = 10
const MOST_CONNECTIONS = 50
let watches: OpenWatches | undefined
let changes = 0

/** Keeps that many operations in flight until all are done. */
async function measure(
  count: number,
  inFlight: number,
  operation: (index: number) => Promise<unknown>,
): Promise<TaskResult> {
  const timesMs: number[] = []
  const cpuBefore = process.cpuUsage()
  const startMs = performance.now()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      const sentMs = performance.now()
      await operation(index)
      timesMs.push(performance.now() - sentMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  return resultOf(timesMs, performance.now() - startMs, cpuBefore)
}

function resultOf(timesMs: number[], elapsedMs: number, cpuBefore: NodeJS.CpuUsage, lostWatches = 0): TaskResult {
  const { user, system } = process.cpuUsage(cpuBefore)
  timesMs.sort((a, b) => a - b)
  const at = (share: number): number =>
    timesMs[Math.min(timesMs.length - 1, Math.floor(timesMs.length * share))] ?? Number.NaN
  return {
    operations: timesMs.length,
    elapsedMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    clientMicros: (user + system) / timesMs.length,
    lostWatches,
  }
}

function perform(task: Task): Promise<TaskResult> {
  switch (task.kind) {
    case 'create':
      return measure(task.count, task.inFlight, (index) => create(task.what, task.from + index))
    case 'get':
      return measure(task.count, task.inFlight, (index) =>
        api.get(PERSISTENT_VOLUMES, { name: volumeName(index % task.objects) }),
      )
    case 'patch status':
      return measure(task.count, task.inFlight, (index) =>
        api.patch(
          PERSISTENT_VOLUME_CLAIMS,
          { namespace: NAMESPACE, name: claimName(index % task.objects) },
          { type: 'merge', value: claimStatus(++changes) },
          { subresource: 'status' },
        ),
      )
    case 'list':
      return measure(task.count, 1, () => api.list(PERSISTENT_VOLUMES))
    case 'open watches':
      return openWatches(task.watched, task.watchers)
    case 'change':
      return change(task)
    case 'close watches':
      watches?.close()
      watches = undefined
      return measure(0, 0, () => Promise.resolve())
  }
}

function create(what: 'volumes and claims' | 'pods', index: number): Promise<unknown> {
  if (what === 'pods') return api.create(PODS, pod(index))
  return index % 2 === 0
    ? api.create(PERSISTENT_VOLUMES, volume(index / 2))
    : api.create(PERSISTENT_VOLUME_CLAIMS, claim((index - 1) / 2))
}

const WATCHED_PATH: Record<Watched, (index: number) => string> = {
  claims: () => `/api/v1/namespaces/${NAMESPACE}/persistentvolumeclaims?watch=true`,
  'pods by node': (index) =>
    `/api/v1/pods?watch=true&fieldSelector=${encodeURIComponent(`spec.nodeName=${nodeName(index)}`)}`,
  'volumes by name': (index) =>
    `/api/v1/persistentvolumes?watch=true&fieldSelector=${encodeURIComponent(`metadata.name=${volumeName(index)}`)}`,
}

async function openWatches(watched: Watched, watchers: number): Promise<TaskResult> {
  const { resourceVersion } = await api.list(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, limit: 1 })
  const opened = createWatches(options, Math.max(FEWEST_STREAMS, watchers / MOST_CONNECTIONS))
  watches = opened
  return measure(watchers, OPENED_AT_ONCE, (index) =>
    opened.open(`${WATCHED_PATH[watched](index)}&resourceVersion=${resourceVersion}`),
  )
}

async function change({
  watched,
  objects,
  count,
  inFlight,
  eventsEach,
}: Extract<Task, { kind: 'change' }>): Promise<TaskResult> {
  watches?.reset()
  const cpuBefore = process.cpuUsage()
  const startMs = performance.now()
  const timesMs: number[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      const sentMs = performance.now()
      await changeOne(watched, index % objects)
      // With one in flight that is how long it takes until everybody knows.
      if (inFlight === 1) await watches?.until((index + 1) * eventsEach)
      timesMs.push(performance.now() - sentMs)
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  await watches?.until(count * eventsEach)
  return resultOf(timesMs, performance.now() - startMs, cpuBefore, watches?.lost)
}

function changeOne(watched: Watched, index: number): Promise<unknown> {
  const patch = {
    type: 'merge',
    value: { metadata: { annotations: { 'example.com/change': String(++changes) } } },
  } as const
  switch (watched) {
    case 'claims':
      return api.patch(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: claimName(index) }, patch)
    case 'pods by node':
      return api.patch(PODS, { namespace: NAMESPACE, name: podName(index) }, patch)
    case 'volumes by name':
      return api.patch(PERSISTENT_VOLUMES, { name: volumeName(index) }, patch)
  }
}

const reply = (message: ClientReply): void => void process.send?.(message)
process.on('message', ({ task }: ClientRequest) => {
  perform(task).then(
    (result) => reply({ result }),
    (error: unknown) => reply({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
