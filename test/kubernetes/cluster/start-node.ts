import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startLogged } from '../start-logged.ts'
import type { LoggedProgram } from '../start-logged.ts'

export type NodeOptions = {
  readonly name: string
  /** From 1; its address is 10.244.INDEX.1, on the bridge of its pods. */
  readonly index: number
  readonly directory: string
  readonly kubeconfig: string
  /** The kubelet's program. */
  readonly kubelet: string
  /** Archives with the images that pods use. */
  readonly images: readonly string[]
}

export type RunningNode = {
  killKubelet(): Promise<void>
  startKubelet(): void
}

const PAUSE_IMAGE = 'localhost/pause:test'
const CONTAINERD_READY_MS = 60_000

/** containerd and a kubelet in a mount namespace of their own, where /var/lib/kubelet is the node's. */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { directory, name } = options
  const within = (path: string): string => join(directory, path)
  for (const path of ['kubelet', 'cni', 'root', 'state', 'certificates']) mkdirSync(within(path), { recursive: true })
  const socket = within('containerd.sock')
  writeFileSync(within('cni/10-bridge.conf'), formatNetwork(options))
  writeFileSync(within('containerd.toml'), formatContainerdConfig(options, socket))
  writeFileSync(within('kubelet.json'), formatKubeletConfig(options, socket))
  writeFileSync(within('resolv.conf'), '')

  const ownMounts = `mkdir -p /var/lib/kubelet && mount --bind ${within('kubelet')} /var/lib/kubelet && mount --make-rshared /var/lib/kubelet`
  const containerd = startLogged(
    'unshare',
    ['-m', 'sh', '-c', `${ownMounts} && exec containerd --config ${within('containerd.toml')}`],
    within('containerd.log'),
  )
  await untilServing(socket, containerd)
  const ctr = (...args: string[]): string =>
    execFileSync('ctr', ['-a', socket, '-n', 'k8s.io', ...args], { encoding: 'utf8' })
  for (const archive of options.images) ctr('image', 'import', archive)

  const launchKubelet = (): LoggedProgram =>
    startLogged(
      'nsenter',
      [
        `--target=${containerd.pid}`,
        '--mount',
        options.kubelet,
        `--config=${within('kubelet.json')}`,
        `--kubeconfig=${options.kubeconfig}`,
        `--hostname-override=${name}`,
        `--node-ip=${addressOf(options)}`,
        '--root-dir=/var/lib/kubelet',
        `--cert-dir=${within('certificates')}`,
        '--v=2',
      ],
      within('kubelet.log'),
    )
  let kubelet = launchKubelet()
  return {
    killKubelet: async () => void (await kubelet.stop('SIGKILL')),
    startKubelet: () => {
      kubelet = launchKubelet()
    },
  }
}

async function untilServing(socket: string, containerd: LoggedProgram): Promise<void> {
  const until = performance.now() + CONTAINERD_READY_MS
  while (!isServing(socket)) {
    if (containerd.exitCode() !== undefined || performance.now() > until)
      throw new Error(`containerd is not serving: ${containerd.log().slice(-2000)}`)
    await delay(100)
  }
}

function isServing(socket: string): boolean {
  if (!existsSync(socket)) return false
  try {
    execFileSync('ctr', ['-a', socket, 'version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const addressOf = ({ index }: NodeOptions): string => `10.244.${index}.1`

const formatNetwork = ({ index, directory }: NodeOptions): string =>
  JSON.stringify({
    cniVersion: '0.4.0',
    name: 'bridge',
    type: 'bridge',
    bridge: `cni${index}`,
    isGateway: true,
    ipam: {
      type: 'host-local',
      subnet: `10.244.${index}.0/24`,
      routes: [{ dst: '0.0.0.0/0' }],
      dataDir: join(directory, 'addresses'),
    },
  })

const formatContainerdConfig = ({ directory }: NodeOptions, socket: string): string => `version = 2
root = "${join(directory, 'root')}"
state = "${join(directory, 'state')}"
disabled_plugins = ["io.containerd.internal.v1.opt", "io.containerd.internal.v1.tracing"]
[grpc]
  address = "${socket}"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  # Without CAP_SYS_RESOURCE, a sandbox with a lower score does not start.
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${join(directory, 'cni')}"
`

const formatKubeletConfig = (options: NodeOptions, socket: string): string =>
  // JSON is YAML.
  JSON.stringify({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: addressOf(options),
    port: 10250,
    healthzPort: 0,
    // Nobody else is in this network.
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    containerRuntimeEndpoint: `unix://${socket}`,
    resolvConf: join(options.directory, 'resolv.conf'),
    podLogsDir: join(options.directory, 'pods'),
    cgroupDriver: 'cgroupfs',
    failCgroupV1: false,
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    localStorageCapacityIsolation: false,
    // A full disk of this machine must not evict the pods.
    evictionHard: { 'memory.available': '0%', 'nodefs.available': '0%', 'imagefs.available': '0%' },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    maxPods: 200,
    // The first retry of a mount comes soon in any case; this is for what only a periodic look finds.
    syncFrequency: '10s',
    nodeStatusUpdateFrequency: '5s',
    registryPullQPS: 0,
    eventRecordQPS: 0,
  })
