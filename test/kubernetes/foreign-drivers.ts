import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CSIDriverSpec } from '../../src/api/kinds/csi-driver.ts'
import { buildPeer, hostpathDriverPath } from './peers.ts'

/** A driver that others wrote, and what has to be known of it to use it. */
export interface ForeignDriver {
  /** As it calls itself. */
  readonly name: string
  /** As people call it. */
  readonly title: string
  /** What its manifests put into the CSIDriver object. */
  readonly spec: CSIDriverSpec
  /** Parameters of its class; undefined where it makes no volumes. */
  readonly parameters?: Readonly<Record<string, string>>
  readonly hasInLineVolumes?: boolean
  /** It mounts nothing: what a pod writes is nowhere kept. */
  readonly isMock?: boolean
  /** Why nothing may be killed while it works, which CSI has drivers bear: holdfast repeats a call whose answer it did not get. */
  readonly whyNoKill?: { driver?: string; holdfast?: string }
  /** Why it can't run here. */
  whyNot(): string | undefined
  /** The program and its arguments: it listens on the socket and keeps its things below the directory. */
  command(place: { socket: string; home: string }): Promise<readonly [program: string, ...args: string[]]>
  /** Names of volumes that it still has, and of devices. */
  leftovers(home: string): string[]
  /** What else is left in its directory when it was never killed. Default nothing. */
  litter?(home: string): string[]
  /** False while a kill would lose what it knows, since it doesn't write its file in one piece. Default true. */
  isWhole?(home: string): boolean
}

const list = (path: string): string[] => (existsSync(path) ? readdirSync(path) : [])
const isRoot = process.getuid?.() === 0
const withoutRoot = isRoot ? undefined : 'it mounts, and that takes root'
const canLoop = (): boolean =>
  isRoot && spawnSync('losetup', ['--find']).status === 0 && spawnSync('mkfs.ext4', ['-V']).status === 0

/** After a test that failed half way. */
export function releaseLoopDevices(directory: string): void {
  for (const device of loopDevices(directory)) spawnSync('losetup', ['--detach', device])
}

/** Loop devices on files below the directory. */
function loopDevices(directory: string): string[] {
  const { stdout } = spawnSync('losetup', ['--list', '--noheadings', '--raw', '--output', 'NAME,BACK-FILE'], {
    encoding: 'utf8',
  })
  return (stdout ?? '')
    .split('\n')
    .filter((line) => line.includes(` ${directory}/`))
    .map((line) => line.split(' ')[0] ?? '')
}

/** The end-to-end tests of Kubernetes use it in place of a real one. */
export const CSI_MOCK: ForeignDriver = {
  name: 'io.kubernetes.storage.mock',
  title: 'the mock driver of Kubernetes 1.36',
  spec: { attachRequired: true, podInfoOnMount: true, volumeLifecycleModes: ['Persistent', 'Ephemeral'] },
  parameters: {},
  hasInLineVolumes: true,
  isMock: true,
  whyNoKill: { driver: 'it forgets its volumes' },
  whyNot: () => undefined,
  command: async ({ socket }) => [await buildPeer('csi-mock'), `-socket=${socket}`, '-topology', '-attach-limit=100'],
  leftovers: () => [],
}

/** Calls clouds and formats disks: here its cloud is a directory, and its disks are loop devices. */
export const GCE_PD: ForeignDriver = {
  name: 'pd.csi.storage.gke.io',
  title: "Google's persistent disk driver 1.28",
  spec: { attachRequired: true, podInfoOnMount: false },
  parameters: { type: 'pd-balanced', 'csi.storage.k8s.io/fstype': 'ext4' },
  whyNot: () => (canLoop() ? undefined : 'its disks are loop devices, and that takes root, losetup and mkfs.ext4'),
  command: async ({ socket, home }) => [await buildPeer('gce-pd-csi'), `-socket=${socket}`, `-home=${home}`],
  leftovers: (home) => [...list(join(home, 'disks')), ...list(join(home, 'attached')), ...loopDevices(home)],
}

const TWICE = 'it mounts twice when it is asked twice, and cannot be asked twice to unmount'

/** In-line volumes alone; it writes down the pod information that it was given. */
export const CALICO: ForeignDriver = {
  name: 'csi.tigera.io',
  title: "Calico's driver 3.28",
  spec: { attachRequired: false, podInfoOnMount: true, volumeLifecycleModes: ['Ephemeral'] },
  hasInLineVolumes: true,
  whyNoKill: { driver: TWICE, holdfast: TWICE },
  whyNot: () => withoutRoot,
  command: async ({ socket, home }) => [
    await buildPeer('calico-csi'),
    `-socket=${socket}`,
    `-home=${home}`,
    '-node-id=node-1',
  ],
  leftovers: (home) => ['creds', 'mount'].flatMap((name) => list(join(home, name))),
}

const STATE_FILE = 'state.json'

function readState(home: string): { Volumes?: { VolName: string }[] | null } | undefined {
  const file = join(home, STATE_FILE)
  if (!existsSync(file)) return {}
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { Volumes?: { VolName: string }[] | null }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Everything that CSI has. */
export const HOSTPATH: ForeignDriver = {
  name: 'hostpath.csi.k8s.io',
  title: 'the hostpath driver of Kubernetes',
  spec: {
    attachRequired: true,
    podInfoOnMount: true,
    volumeLifecycleModes: ['Persistent', 'Ephemeral'],
    fsGroupPolicy: 'File',
  },
  parameters: {},
  hasInLineVolumes: true,
  whyNot: () => (existsSync(hostpathDriverPath()) ? withoutRoot : 'hostpathplugin is not beside the peers'),
  command: ({ socket, home }) =>
    Promise.resolve([
      hostpathDriverPath(),
      `--endpoint=unix://${socket}`,
      `--statedir=${home}`,
      '--nodeid=node-1',
      '--enable-attach',
      '--check-volume-lifecycle',
      '--v=5',
    ] as const),
  leftovers: (home) => [...(readState(home)?.Volumes ?? []).map(({ VolName }) => VolName), ...loopDevices(home)],
  litter: (home) => list(home).filter((name) => name !== STATE_FILE),
  isWhole: (home) => readState(home) !== undefined,
}

export const FOREIGN_DRIVERS: readonly ForeignDriver[] = [CSI_MOCK, GCE_PD, CALICO, HOSTPATH]
