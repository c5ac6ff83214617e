import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { ROOT } from '../../scripts/run.ts'
import type { Api } from '../../src/api/api.ts'
import { hasCondition } from '../../src/api/conditions.ts'
import { findResourceType } from '../../src/api/kinds/all-resource-types.ts'
import { CSI_NODES } from '../../src/api/kinds/csi-node.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../src/api/kinds/custom-resource-definition.ts'
import type { Pod } from '../../src/api/kinds/pod.ts'
import type { KubeObject } from '../../src/api/object.ts'
import { SNAPSHOT_CRDS } from '../../src/apiserver/crd/snapshot-crds.ts'
import { createSilentLogger, createSystemClock, createSystemRandom } from '../../src/base/index.ts'
import { createUntilObject } from '../../src/cluster/until-object.ts'
import type { UntilObject } from '../../src/cluster/until-object.ts'
import { connectDriver } from '../../src/csi/index.ts'
import type { Driver } from '../../src/csi/index.ts'
import { grantSidecars, sidecarUser } from './sidecar-rbac.ts'
import { connectAdmin, DRIVER } from './sidecar-stage.ts'
import { startAuditedKubernetes } from './start-audited-server.ts'
import type { AuditedRequest, AuditedServer } from './start-audited-server.ts'
import { startLogged } from './start-logged.ts'
import type { LoggedProgram } from './start-logged.ts'

export const NODE = 'node-1'
const NODE_USER = `system:node:${NODE}`
/** What the driver has for all volumes and snapshots together: a larger volume is impossible. */
export const DRIVER_CAPACITY = '1Gi'
/** Accounts of the programs under test. */
export const ACCOUNTS = { sidecar: 'csi-sidecar', snapshotController: 'snapshot-controller', node: NODE } as const

/** kube-apiserver, etcd and kube-controller-manager of Kubernetes, with our driver, sidecars, snapshot controller and node agent. */
export interface StoryStage {
  readonly server: AuditedServer
  /** Of the administrator. */
  readonly api: Api
  readonly driver: Driver
  /** Waits for one object; a timeout says why it is not as it should be. */
  readonly until: UntilObject
  /** Where a pod on the node finds the volume. */
  mountPath(pod: Pod, volumeName: string): string
  /** Where the driver keeps the content of the volume. */
  contentPath(handle: string): string
  /** Every program of ours by its name. */
  readonly programs: ReadonlyMap<string, LoggedProgram>
  /** Whom the server refused what, for good: `user verb resource`. */
  refusals(): string[]
  /** After a failure it says what the programs logged last. */
  telling(story: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

const MAIN = join(ROOT, 'src/cli/main.ts')
const LOG_SHOWN = 3000
// As manifests for the Go programs have it: there the gate is off by default.
const GROUPS = '--feature-gates=CSIVolumeGroupSnapshot=true'
// The controllers that have to do with volumes.
const CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-expander-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
  'volumeattributesclass-protection-controller',
  'ephemeral-volume-controller',
]

export async function openStoryStage(): Promise<StoryStage> {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-stories-'))
  const server = await startAuditedKubernetes({
    users: {
      [ACCOUNTS.sidecar]: sidecarUser(ACCOUNTS.sidecar),
      [ACCOUNTS.snapshotController]: sidecarUser(ACCOUNTS.snapshotController),
      [ACCOUNTS.node]: { user: NODE_USER, groups: ['system:nodes'] },
    },
    apiserverFlags: ['--enable-admission-plugins=NodeRestriction'],
    controllers: CONTROLLERS,
  })
  const { api, close: disconnect } = await connectAdmin(server)
  const clock = createSystemClock()
  const until = createUntilObject({ api, clock, random: createSystemRandom(), log: createSilentLogger() })
  await installSnapshots(api, until)
  await applyManifest(api, join(ROOT, 'examples/sidecar/rbac.yaml'))
  await grantSidecars(api, { 'snapshot-controller': [ACCOUNTS.snapshotController] })

  const rootDir = join(directory, 'kubelet')
  const data = join(directory, 'volumes')
  const socket = join(rootDir, 'plugins', DRIVER, 'csi.sock')
  const registry = join(rootDir, 'plugins_registry')
  for (const path of [join(socket, '..'), registry]) mkdirSync(path, { recursive: true })
  const programs = new Map<string, LoggedProgram>()
  const start = (name: string, command: string, ...flags: string[]): Promise<string> => {
    const program = startLogged(process.execPath, [MAIN, command, ...flags], join(directory, `${name}.log`))
    programs.set(name, program)
    return program.ready
  }
  const kubeconfigOf = (account: string): string => `--kubeconfig=${server.kubeconfig(account)}`
  await start(
    'driver',
    'driver',
    `--endpoint=unix://${socket}`,
    `--node-id=${NODE}`,
    `--data=${data}`,
    `--driver-name=${DRIVER}`,
    '--attach',
    `--capacity=${DRIVER_CAPACITY}`,
    '--publish=link',
  )
  await Promise.all([
    start(
      'sidecar',
      'sidecar',
      `--csi-address=${socket}`,
      '--health-monitor-list-volumes-interval=1s',
      GROUPS,
      kubeconfigOf(ACCOUNTS.sidecar),
    ),
    start('snapshots', 'snapshot-controller', GROUPS, kubeconfigOf(ACCOUNTS.snapshotController)),
    start('node', 'node', `--name=${NODE}`, `--root-dir=${rootDir}`, kubeconfigOf(ACCOUNTS.node)),
    start(
      'registrar',
      'node-driver-registrar',
      `--csi-address=${socket}`,
      `--kubelet-registration-path=${socket}`,
      `--plugin-registration-path=${registry}`,
    ),
  ])
  await until(CSI_NODES, { name: NODE }, (node) => node?.spec.drivers?.some(({ name }) => name === DRIVER) ?? false)
  const { driver, connection } = connectDriver({ endpoint: socket, clock })
  return {
    server,
    api,
    driver,
    until,
    mountPath: ({ metadata }, volumeName) =>
      join(rootDir, 'pods', metadata.uid ?? '', 'volumes/kubernetes.io~csi', volumeName, 'mount'),
    contentPath: (handle) => join(data, 'volumes', handle, 'data'),
    programs,
    refusals: () => refusalsOf(server.requests()),
    telling: async (story) => {
      try {
        await story()
      } catch (error) {
        const logs = [...programs].map(
          ([name, program]) => `${name}, exit code ${program.exitCode()}:\n${program.log().slice(-LOG_SHOWN)}`,
        )
        if (error instanceof Error) error.message += `\n\n${logs.join('\n')}`
        throw error
      }
    },
    close: async () => {
      for (const program of [...programs.values()].toReversed()) await program.stop()
      connection.close()
      disconnect()
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/**
 * Kubernetes lets a node read the claims of its pods, and learns of a pod by a watch of its own: now and then, after the node has. A
 * node that is allowed the same request later lacks no permission.
 */
function refusalsOf(requests: readonly AuditedRequest[]): string[] {
  const allowedLater = (refused: AuditedRequest): boolean =>
    requests.some(
      ({ user, verb, resource, name, code, receivedMs }) =>
        code < 400 &&
        receivedMs > refused.receivedMs &&
        [user, verb, resource, name].join() === [refused.user, refused.verb, refused.resource, refused.name].join(),
    )
  const refused = requests.filter(({ code }) => code === 401 || code === 403)
  const lasting = refused.filter((request) => !(request.user === NODE_USER && allowedLater(request)))
  return [...new Set(lasting.map(({ user, verb, resource }) => `${user} ${verb} ${resource}`))]
}

/** The kinds of snapshots, once they are served. */
export async function installSnapshots(api: Api, until: UntilObject): Promise<void> {
  for (const definition of SNAPSHOT_CRDS) {
    await api.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    const name = definition.metadata.name ?? ''
    await until(CUSTOM_RESOURCE_DEFINITIONS, { name }, (made) => hasCondition(made?.status?.conditions, 'Established'))
  }
}

async function applyManifest(api: Api, path: string): Promise<void> {
  for (const document of parseAllDocuments(readFileSync(path, 'utf8'))) {
    const object = document.toJS() as KubeObject
    const type = findResourceType(object)
    if (!type) throw new Error(`${path}: ${object.kind} is not known`)
    await api.create(type, object)
  }
}
