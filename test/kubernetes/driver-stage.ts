import { deepEqual } from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { isNotFound } from '../../src/api/api-error.ts'
import { CSI_DRIVERS } from '../../src/api/kinds/csi-driver.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../src/api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaimSpec } from '../../src/api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod, Volume } from '../../src/api/kinds/pod.ts'
import { STORAGE_CLASSES } from '../../src/api/kinds/storage-class.ts'
import { mountsBelow, openClusterDirectory, startUp } from '../../src/cluster/testing/describe-up.ts'
import type { Seen, Up } from '../../src/cluster/testing/describe-up.ts'
import { releaseLoopDevices } from './foreign-drivers.ts'
import type { ForeignDriver } from './foreign-drivers.ts'
import { startLogged } from './start-logged.ts'
import type { LoggedProgram } from './start-logged.ts'

const NAMESPACE = 'default'
const PATIENCE_MS = 30_000
const CALLS_SHOWN = 5
const LOG_SHOWN = 2000
const CLASS = 'foreign'

export const isRunning = (seen: Seen, name?: string): boolean =>
  seen.pods.some(({ metadata, status }) => (name ?? metadata.name) === metadata.name && status?.phase === 'Running')
export const isEmpty = ({ claims, volumes, pods, attachments }: Seen): boolean =>
  claims.length + volumes.length + pods.length + attachments.length === 0

/** `holdfast up` with a driver of somebody else. */
export interface DriverStage {
  readonly up: Up
  /** Of the cluster and the driver together. */
  readonly directory: string
  killDriver(): Promise<void>
  startDriver(): Promise<void>
  /** Kills `holdfast up`, and starts it again on its data. */
  restartUp(): Promise<void>
  /** A pod with a claim of its own, a block volume and a volume in line, as far as the driver can. */
  createPod(name: string, options?: { block?: boolean }): Promise<Pod>
  deleteAll(): Promise<void>
  /** Resolves when it holds. After half a minute it says how things are and which calls failed last. */
  until(what: string, holds: (seen: Seen) => boolean): Promise<Seen>
  /** Where the pod finds its volume of that name in the directory of volumes. */
  mountPath(pod: Pod, volume: string): string
  /** Neither in the cluster, nor on the node, nor in the driver. */
  assertNothingLeft(): Promise<void>
}

/** With the bundled driver beside it only when that is asked for. */
export async function openDriverStage(
  context: TestContext,
  driver: ForeignDriver,
  { withBundled = false } = {},
): Promise<DriverStage> {
  let running: LoggedProgram | undefined
  // Before the directory goes, with its log in it; devices are let go after the mounts on them.
  context.after(() => running?.stop('SIGKILL'))
  const directory = await openClusterDirectory(context)
  context.after(() => releaseLoopDevices(directory))
  const [data, home, socket] = [join(directory, 'cluster'), join(directory, 'home'), join(directory, 'csi.sock')]
  mkdirSync(home)
  const [program, ...args] = await driver.command({ socket, home })
  let wasKilled = false
  const killDriver = async (): Promise<void> => {
    wasKilled = true
    for (;;) {
      running?.signal('SIGSTOP')
      if (driver.isWhole?.(home) ?? true) break
      running?.signal('SIGCONT')
      await new Promise((resolve) => setImmediate(resolve))
    }
    await running?.stop('SIGKILL')
  }
  // Answers once it listens: whoever needs it waits for that.
  const startDriver = (): Promise<void> => {
    running = startLogged(program, args, join(directory, 'driver.log'))
    return Promise.resolve()
  }
  await startDriver()
  const startCluster = (): Promise<Up> =>
    startUp(
      data,
      ...(withBundled ? [] : ['--no-bundled-driver']),
      `--driver=unix://${socket}`,
      // A mock mounts nothing, which is a failure of any other driver.
      ...(driver.isMock ? ['--allow-unmounted'] : []),
      '--trace-csi',
      '--log-format=json',
    )
  let up = await startCluster()
  await install(up, driver)
  return {
    get up() {
      return up
    },
    directory,
    killDriver,
    startDriver,
    restartUp: async () => {
      await up.kill()
      up = await startCluster()
    },
    createPod: (name, { block = false } = {}) => createPod(up, driver, name, block),
    deleteAll: () => deleteAll(up),
    until: async (what, holds) => {
      try {
        return await until(up, what, holds)
      } catch (error) {
        if (error instanceof Error)
          error.message += `\nthe driver, exit code ${running?.exitCode()}: ${running?.log().slice(-LOG_SHOWN)}`
        throw error
      }
    },
    mountPath: ({ metadata }, volume) =>
      join(data, 'node-1/pods', metadata.uid ?? '', 'volumes/kubernetes.io~csi', volume, 'mount'),
    assertNothingLeft: async () => {
      deepEqual(await mountsBelow(directory), [], 'no mount is left')
      deepEqual(driver.leftovers(home), [], 'the driver has nothing left')
      if (!wasKilled) deepEqual(driver.litter?.(home) ?? [], [], 'nor has its disk')
      deepEqual(readdirSync(join(data, 'node-1/pods')), [], 'no directory of a pod is left')
      const csi = join(data, 'node-1/plugins/kubernetes.io/csi')
      const kept = existsSync(csi) ? readdirSync(csi, { recursive: true, encoding: 'utf8' }) : []
      deepEqual(
        kept.filter((path) => !EMPTY_FOLDERS.has(path) && path !== driver.name),
        [],
        'nothing of a staged volume is left',
      )
    },
  }
}

// They stay for the next volume, as the kubelet's do.
const EMPTY_FOLDERS = new Set(['volumeDevices', 'volumeDevices/publish', 'volumeDevices/staging'])

/** What the driver's own manifests would do. */
export async function install({ api }: Pick<Up, 'api'>, { name, spec, parameters }: ForeignDriver): Promise<void> {
  await api.create(CSI_DRIVERS, { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name }, spec })
  if (parameters)
    await api.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: CLASS },
      provisioner: name,
      parameters,
      volumeBindingMode: 'WaitForFirstConsumer',
    })
}

export async function createPod(
  { api }: Pick<Up, 'api'>,
  driver: ForeignDriver,
  name: string,
  block: boolean,
): Promise<Pod> {
  const volumes: Volume[] = []
  const claim = async (use: string, spec: Partial<PersistentVolumeClaimSpec> = {}): Promise<void> => {
    const claimName = `${name}-${use}`
    const metadata = { namespace: NAMESPACE, name: claimName }
    const made = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata,
      spec: {
        storageClassName: CLASS,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: { storage: '1Gi' } },
        ...spec,
      },
    } as const
    await api.create(PERSISTENT_VOLUME_CLAIMS, made)
    volumes.push({ name: use, persistentVolumeClaim: { claimName } })
  }
  if (driver.parameters) await claim('data')
  if (block) await claim('raw', { volumeMode: 'Block' })
  if (driver.hasInLineVolumes) volumes.push({ name: 'in-line', csi: { driver: driver.name } })
  const isDevice = (volume: string): boolean => volume === 'raw'
  const container = {
    name: 'main',
    image: 'none',
    volumeMounts: volumes
      .filter((volume) => !isDevice(volume.name))
      .map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
    volumeDevices: volumes
      .filter((volume) => isDevice(volume.name))
      .map((volume) => ({ name: volume.name, devicePath: `/dev/${volume.name}` })),
  }
  return api.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: NAMESPACE, name },
    spec: { containers: [container], volumes },
  })
}

/** Calls to a driver that failed, as they were logged. */
export const failedCalls = ({ errors }: Up): string[] =>
  errors()
    .split('\n')
    .filter((line) => line.includes('"CSI call"') && !line.includes('"code":"OK"'))

async function until(up: Up, what: string, holds: (seen: Seen) => boolean): Promise<Seen> {
  let last: Seen | undefined
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const { claims = [], volumes = [], pods = [], attachments = [] } = last ?? {}
    const phases = [...claims, ...volumes, ...pods].map(
      ({ kind, metadata, status }) =>
        `${kind} ${metadata.name} ${status?.phase}${metadata.deletionTimestamp ? ', leaving' : ''}`,
    )
    const attached = attachments.map(
      ({ metadata, spec, status }) =>
        `${spec.source.persistentVolumeName} ${status?.attached ? 'attached' : 'not attached'}${metadata.deletionTimestamp ? ', leaving' : ''}`,
    )
    reject(
      new Error(
        [`waited in vain until ${what}`, ...phases, ...attached, ...failedCalls(up).slice(-CALLS_SHOWN)].join('\n'),
      ),
    )
  }, PATIENCE_MS)
  const look = (seen: Seen): boolean => {
    last = seen
    return holds(seen)
  }
  try {
    return await Promise.race([up.until(look), late])
  } finally {
    clearTimeout(timer)
  }
}

export async function deleteAll({ api }: Pick<Up, 'api'>): Promise<void> {
  const gone = (deleted: Promise<unknown>): Promise<unknown> =>
    deleted.catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error)))
  for (const { metadata } of (await api.list(PODS)).items)
    await gone(api.delete(PODS, { namespace: NAMESPACE, name: metadata.name ?? '' }))
  for (const { metadata } of (await api.list(PERSISTENT_VOLUME_CLAIMS)).items)
    await gone(api.delete(PERSISTENT_VOLUME_CLAIMS, { namespace: NAMESPACE, name: metadata.name ?? '' }))
}
