import { equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { parse, parseAllDocuments, stringify } from 'yaml'
import type { Api } from '../../src/api/api.ts'
import { findResourceType } from '../../src/api/kinds/all-resource-types.ts'
import type { TokenRequest } from '../../src/api/kinds/authentication.ts'
import { EVENTS } from '../../src/api/kinds/event.ts'
import { PODS } from '../../src/api/kinds/pod.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import { SERVICE_ACCOUNTS } from '../../src/api/kinds/service-account.ts'
import type { KubeObject } from '../../src/api/object.ts'
import {
  createLogger,
  createSilentLogger,
  createSystemClock,
  createSystemHost,
  createSystemRandom,
  createUuid,
  isHostError,
  makeDirectories,
  removeTree,
} from '../../src/base/index.ts'
import type { Clock, HostFiles } from '../../src/base/index.ts'
import { defaultsOf } from '../../src/base/options/index.ts'
import { createStops } from '../../src/base/stops.ts'
import { startCluster } from '../../src/cluster/index.ts'
import { mountsBelow } from '../../src/cluster/testing/describe-up.ts'
import { ALPHA_CSI_DRIVERS } from '../../src/compat/alpha-csi-driver.ts'
import type { NodePublishVolumeRequest } from '../../src/csi/generated/csi/v1/csi.ts'
import { createSystemSockets } from '../../src/csi/index.ts'
import type { CallObserver, CsiError } from '../../src/csi/index.ts'
import { serve } from '../../src/csi/kit/index.ts'
import { connectApi, createInformers, loadKubeconfig } from '../../src/kube/index.ts'
import type { VolumeConfig } from '../../src/node/index.ts'
import { nodeRegistrarOptions, startNodeRegistrar } from '../../src/sidecars/node-registrar/index.ts'
import '../use-source.ts'

const { createSecretDriver, NAME } = await import('./driver.ts')
const { TOKENS_KEY } = await import('./find-token.ts')
const { createTokenReviewer } = await import('./review-token.ts')
const { createVault } = await import('./vault.ts')

// What the tests of the example share: a whole cluster in this process, over real sockets and HTTPS, with the driver beside the bundled one.

export type IssuedToken = { readonly token: string; readonly expirationTimestamp: string; readonly expiry?: string }
export type Publish = {
  readonly beganMs: number
  readonly endedMs: number
  readonly request: NodePublishVolumeRequest
  /** By audience. */
  readonly tokens: Readonly<Record<string, IssuedToken>>
  readonly error: CsiError | undefined
}

export type SecretCluster = {
  /** As the administrator. */
  readonly api: Api
  /** As the driver, with the rights of rbac.yaml. */
  readonly driverApi: Api
  readonly directory: string
  readonly kubeconfigPath: string
  /** Calls of NodePublishVolume that ended, in order; of other calls of the node service only the names. */
  readonly published: Publish[]
  readonly called: string[]
  readonly logged: string[]
  /** Every path that the driver looked at or changed. */
  readonly touched: Set<string>
  /** `before` runs ahead of each look at a token, and may throw. */
  readonly faults: { before: (token: string) => void }
  /** Puts the wall clock of the whole machine forward; `ageMs` moves the clock that only grows. */
  jump(times: { wallMs?: number; ageMs?: number }): void
  apply(...files: string[]): Promise<void>
  pod(name?: string): Pod
  hasPod(name: string): boolean
  targetOf(pod: Pod): string
  /** What a program in the pod reads. */
  read(name?: string): Record<string, string>
  events(): string[]
  /** Looks again whenever a pod or event changes and whenever a call has ended. */
  until(what: string, holds: () => boolean): Promise<void>
}

export type SecretClusterOptions = { readonly volumes?: Partial<VolumeConfig>; readonly leaseMs?: number }

export async function startSecretCluster(
  context: TestContext,
  { volumes = {}, leaseMs = 300 }: SecretClusterOptions = {},
): Promise<SecretCluster> {
  const [host, random] = [createSystemHost(), createSystemRandom()]
  const { clock, jump } = createJumpingClock()
  const directory = `/tmp/holdfast-secrets-${createUuid(random).slice(0, 8)}`
  await host.files.makeDirectory(directory, 0o700)
  const stops = createStops()
  context.after(async () => {
    await stops.run()
    for (const path of (await mountsBelow(directory)).toReversed()) await host.mounts.unmount(path)
    await removeTree(host, directory)
  })
  const logged: string[] = []
  const log = createLogger({ clock, level: 'debug', format: 'json', write: (line) => void logged.push(line) })
  const checks = new Set<() => void>()
  const look = (): void => checks.forEach((check) => check())

  const published: Publish[] = []
  const called: string[] = []
  const observe: CallObserver = ({ rpc, request, error, tookMs }) => {
    if (!rpc.path.startsWith('/csi.v1.Node/')) return
    called.push(rpc.name)
    if (rpc.name === 'NodePublishVolume') {
      const publish = request as NodePublishVolumeRequest
      const [endedMs, tokens] = [
        clock.monotonicMs(),
        JSON.parse(publish.volumeContext[TOKENS_KEY] ?? '{}') as Publish['tokens'],
      ]
      published.push({ beganMs: endedMs - tookMs, endedMs, request: publish, tokens, error })
    }
    queueMicrotask(look)
  }
  const kubeconfigPath = join(directory, 'kubeconfig')
  const cluster = await startCluster(
    { host, clock, random, log, version: 'test' },
    {
      dataDirectory: directory,
      inMemory: true,
      nodes: 1,
      zones: [],
      port: 0,
      kubeconfigPath,
      volumes,
      observeCsi: () => observe,
    },
  )
  stops.onStop(() => cluster.stop())
  const connect = async (path: string): Promise<Api> => {
    const credentials = await loadKubeconfig({ path, parts: { host, clock, env: {} } })
    const { api, close } = connectApi({ credentials, clock, random, userAgent: 'test' })
    stops.onStop(close)
    return api
  }
  const api = await connect(kubeconfigPath)
  const informers = createInformers({ api, clock, random, log: createSilentLogger() })
  const [pods, events] = [informers.get(PODS), informers.get(EVENTS)]
  for (const informer of [pods, events]) informer.onChange(() => queueMicrotask(look))
  await informers.synced()
  stops.onStop(() => informers.stop())

  const apply = async (...files: string[]): Promise<void> => {
    for (const file of files)
      for (const object of readManifest(file))
        await api.create(findResourceType(object) ?? ALPHA_CSI_DRIVERS, object as never, { fieldValidation: 'Strict' })
  }
  await apply('rbac.yaml')
  const driverApi = await connect(await writeDriverKubeconfig(api, host.files, kubeconfigPath))

  const faults: SecretCluster['faults'] = { before: () => {} }
  const touched = new Set<string>()
  const reviewToken = createTokenReviewer({ api: driverApi, audience: 'vault', clock })
  const vault = createVault({ clock, random, accounts: ['default/web'], leaseMs })
  const driver = createSecretDriver({
    nodeId: 'node-1',
    audience: 'vault',
    reviewToken: async (token, signal) => {
      faults.before(token.token)
      return reviewToken(token, signal)
    },
    vault,
    host: { ...host, files: recordPaths(host.files, touched) },
    random,
    log,
  })
  const rootDir = join(directory, 'node-1')
  const socket = join(rootDir, 'plugins', NAME, 'csi.sock')
  await makeDirectories(host.files, join(socket, '..'), { mode: 0o700 })
  const server = await serve({ endpoint: socket, servers: [driver], files: host.files, random, clock, log })
  stops.onStop(() => server.stop({ graceMs: 0 }))
  const config = {
    ...defaultsOf(nodeRegistrarOptions),
    csiAddress: socket,
    kubeletRegistrationPath: socket,
    pluginRegistrationPath: join(rootDir, 'plugins_registry'),
    timeoutMs: 15_000,
  }
  const registrar = await startNodeRegistrar(
    config,
    { files: host.files, sockets: createSystemSockets({ files: host.files, clock, random, log }), clock, random, log },
    { onRefusal: 'retry' },
  )
  stops.onStop(() => registrar.stop())

  const pod = (name = 'web'): Pod => {
    const found = pods.get(`default/${name}`)
    if (!found) throw new Error(`there is no pod ${name}`)
    return found
  }
  const targetOf = ({ metadata }: Pod): string =>
    join(rootDir, 'pods', metadata.uid ?? '', 'volumes/kubernetes.io~csi/secrets/mount')
  const until = (what: string, holds: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const end = (settle: () => void): void => {
        checks.delete(check)
        limit.cancel()
        settle()
      }
      const check = (): void => {
        if (holds()) end(resolve)
      }
      const limit = createSystemClock().setTimer(60_000, () =>
        end(() => reject(new Error(`not within a minute: ${what}\n${logged.slice(-20).join('')}`))),
      )
      checks.add(check)
      check()
    })
  return {
    api,
    driverApi,
    directory,
    kubeconfigPath,
    published,
    called,
    logged,
    touched,
    faults,
    jump,
    apply,
    pod,
    hasPod: (name) => pods.get(`default/${name}`) !== undefined,
    targetOf,
    read: (name) => readContent(targetOf(pod(name))),
    events: () => Array.from(events.all(), ({ reason, message }) => `${reason}: ${message}`),
    until,
  }
}

/** The objects of a file of this folder. */
export const readManifest = (file: string): KubeObject[] =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, file), 'utf8')).map(
    (document) => document.toJS() as KubeObject,
  )

/** As a program in the pod reads it; one that is on its way to a file while the link is switched has to look again. */
export function readContent(path: string, tries = 3): Record<string, string> {
  try {
    return Object.fromEntries(
      ['expires', 'password', 'username'].map((name) => [name, readFileSync(join(path, name), 'utf8')]),
    )
  } catch (error) {
    if (tries === 0) throw error
    return readContent(path, tries - 1)
  }
}

export const isRunning = (pod: Pod): boolean => pod.status?.phase === 'Running'

export const TOKEN = /eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,}/

/** Nobody said or wrote down a token: in no log line, event or error, and in no file below the cluster's directory but the driver's own credentials. */
export async function assertNothingTold({
  logged,
  events,
  published,
  directory,
}: Pick<SecretCluster, 'logged' | 'events' | 'published' | 'directory'>): Promise<void> {
  for (const { tokens } of published) for (const { token } of Object.values(tokens)) match(token, TOKEN)
  const texts = [
    ...logged,
    ...events(),
    ...published.flatMap(({ error }) => (error ? [`${error.message} ${error.stack} ${String(error.cause)}`] : [])),
  ]
  equal(
    texts.find((text) => TOKEN.test(text)),
    undefined,
  )
  const { files } = createSystemHost()
  // Content rotates all the time: what is gone when it is looked at was replaced by what is looked at too.
  const ifThere = async <T>(look: Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await look
    } catch (error) {
      if (isHostError(error, 'ENOENT')) return otherwise
      throw error
    }
  }
  const walk = async (path: string): Promise<void> => {
    for (const { name, kind } of await ifThere(files.list(path), [])) {
      const inner = join(path, name)
      if (kind === 'directory') await walk(inner)
      else if (kind === 'file' && name !== 'driver.kubeconfig')
        equal(
          TOKEN.test(Buffer.from(await ifThere(files.readFile(inner), new Uint8Array())).toString('latin1')),
          false,
          inner,
        )
    }
  }
  await walk(directory)
}

/** A kubeconfig with a token of the account in rbac.yaml. */
async function writeDriverKubeconfig(api: Api, files: HostFiles, adminPath: string): Promise<string> {
  const body: TokenRequest = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: {},
    spec: { audiences: [], expirationSeconds: 86_400 },
  }
  const { status } = await api.createSubresource<TokenRequest>(
    SERVICE_ACCOUNTS,
    { namespace: 'default', name: 'secret-driver' },
    'token',
    body,
  )
  const config = parse(readFileSync(adminPath, 'utf8')) as { users: { user: object }[] }
  for (const user of config.users) user.user = { token: status?.token }
  const path = join(adminPath, '../driver.kubeconfig')
  await files.writeFile(path, Buffer.from(stringify(config)))
  return path
}

/** The clock of the machine, which can be put forward. Timers go on as they are. */
function createJumpingClock(): { clock: Clock; jump: SecretCluster['jump'] } {
  const system = createSystemClock()
  let [wall, age] = [0, 0]
  const clock: Clock = {
    nowMs: () => system.nowMs() + wall,
    monotonicMs: () => system.monotonicMs() + age,
    setTimer: (delayMs, callback) => system.setTimer(delayMs, callback),
  }
  const jump: SecretCluster['jump'] = ({ wallMs = 0, ageMs = 0 }) => {
    wall += wallMs
    age += ageMs
  }
  return { clock, jump }
}

const recordPaths = (files: HostFiles, touched: Set<string>): HostFiles =>
  new Proxy(files, {
    get:
      (target, name: keyof HostFiles) =>
      (path: string, ...args: never[]) => {
        const changed = name === 'makeSymlink' || name === 'rename' ? String(args[0]) : path
        touched.add(changed)
        return (target[name] as (path: string, ...args: never[]) => unknown)(path, ...args)
      },
  })
