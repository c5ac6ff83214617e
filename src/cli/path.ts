import { isForbidden, isNotFound } from '../api/api-error.ts'
import { ROOT_DIRECTORY_ANNOTATION } from '../api/holdfast-node.ts'
import { NODES } from '../api/kinds/node.ts'
import { PODS } from '../api/kinds/pod.ts'
import type { Pod } from '../api/kinds/pod.ts'
import { startDeadline } from '../base/abort.ts'
import { choice, defineCommand, duration, path, positional, text, UsageError } from '../base/options/index.ts'
import { parseTarget } from '../explain/index.ts'
import { findPodVolumePaths } from '../node/index.ts'
import type { PodVolumePath } from '../node/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes, usualKubeconfig } from './connect-kubernetes.ts'
import type { KubernetesConnection } from './connect-kubernetes.ts'

const command = defineCommand({
  name: 'holdfast path',
  summary:
    'Prints where the volumes of a pod are mounted on this machine: the path, or one line with name and path for each volume if there are several. Only volumes of CSI drivers are listed. Exit code 0: all volumes are mounted. 1: a volume is not mounted, or the pod has none.',
  options: {
    namespace: text.optional('Namespace of the pod. Default: the namespace of the kubeconfig, or default.', {
      short: 'n',
    }),
    volume: text.optional("Only this volume, by its name in the pod's spec.", { example: 'data' }),
    output: choice(['text', 'json'], 'text', 'Output format.', { short: 'o' }),
    rootDir: path.optional(
      "Root directory of the pod's node on this machine, for example /var/lib/kubelet. Default: what Holdfast's node agent reports in its Node.",
    ),
    kubeconfig: path.optional(
      'Kubeconfig to use. Default: KUBECONFIG, the service account of the pod, or ~/.kube/config.',
    ),
    timeoutMs: duration('30s', 'Timeout of all requests to the API server together.', { minimum: '1s' }),
  },
  positionals: {
    pod: positional.required('Pod, as pod/NAME.', { name: 'pod/NAME' }),
    name: positional.optional('Name of the pod, if it is not part of the first argument.'),
  },
  examples: [
    { text: 'List the files in the volume of a pod', command: 'ls "$(holdfast path pod/web)"' },
    { text: 'All volumes with their claims, as JSON', command: 'holdfast path pod/web -n shop -o json' },
  ],
})

/** Where the volumes of a pod are mounted. */
export const pathCommand = createCommandModule(command, async (config, world, { pod: first, name }) => {
  const target = parseTarget(first.includes('/') || name !== undefined ? first : `pod/${first}`, name)
  if (typeof target === 'string') throw new UsageError([target])
  if (target.kind !== 'Pod') throw new UsageError([`${first} is not a pod; write for example pod/web`])
  const kubernetes = await connectKubernetes(
    { kubeconfig: config.kubeconfig ?? usualKubeconfig(world), kubeApiQps: 0, kubeApiBurst: 0 },
    world,
    { program: 'holdfast-path' },
  )
  try {
    using deadline = startDeadline(
      world.clock,
      config.timeoutMs,
      () => new Error(`the API server did not respond within ${config.timeoutMs / 1000} s`),
    )
    const { signal } = deadline
    const namespace = config.namespace ?? kubernetes.namespace ?? 'default'
    const pod = await readPod(kubernetes, { namespace, name: target.name }, signal)
    const rootDir = config.rootDir ?? (await readRootDirectory(kubernetes, pod, signal))
    if (!(await world.host.files.findStat(rootDir)))
      throw new Error(
        `${rootDir} does not exist: node ${pod.spec.nodeName} is on another machine. Run this command there`,
      )
    const all = await findPodVolumePaths(pod, rootDir, { api: kubernetes.api, host: world.host, signal })
    const selected = selectVolumes(pod, all, config.volume)
    world.out.write(config.output === 'json' ? `${JSON.stringify(selected, undefined, 2)}\n` : formatPaths(selected))
    const missing = selected.filter(({ isMounted }) => !isMounted)
    for (const { volume } of missing)
      world.err.write(
        `holdfast: volume ${volume} is not mounted; holdfast why pod/${target.name} -n ${namespace} shows what it is waiting for\n`,
      )
    return missing.length === 0 ? 0 : 1
  } finally {
    kubernetes.close()
  }
})

async function readPod(
  { api }: KubernetesConnection,
  ref: { namespace: string; name: string },
  signal: AbortSignal,
): Promise<Pod> {
  const words = `Pod ${ref.name} in namespace ${ref.namespace}`
  try {
    return await api.get(PODS, ref, { signal })
  } catch (error) {
    if (isNotFound(error)) throw new Error(`${words} does not exist`, { cause: error })
    if (isForbidden(error)) throw new Error(`you are not allowed to read ${words}`, { cause: error })
    throw error
  }
}

async function readRootDirectory({ api }: KubernetesConnection, pod: Pod, signal: AbortSignal): Promise<string> {
  const { nodeName } = pod.spec
  if (!nodeName)
    throw new Error(
      `Pod ${pod.metadata.name} is not on a node yet; holdfast why pod/${pod.metadata.name} -n ${pod.metadata.namespace} shows what it is waiting for`,
    )
  const node = await api.get(NODES, { name: nodeName }, { signal })
  const rootDir = node.metadata.annotations?.[ROOT_DIRECTORY_ANNOTATION]
  if (rootDir === undefined)
    throw new Error(
      `node ${nodeName} does not report its root directory: specify it with --root-dir, for a kubelet usually --root-dir=/var/lib/kubelet`,
    )
  return rootDir
}

function selectVolumes(
  { metadata: { name } }: Pod,
  all: readonly PodVolumePath[],
  volume: string | undefined,
): readonly PodVolumePath[] {
  if (all.length === 0) throw new Error(`Pod ${name} uses no volumes of CSI drivers`)
  const selected = volume === undefined ? all : all.filter((each) => each.volume === volume)
  if (selected.length === 0)
    throw new Error(
      `Pod ${name} uses no volume ${JSON.stringify(volume)} of a CSI driver; its volumes are ${all.map((each) => each.volume).join(', ')}`,
    )
  return selected
}

/** The path alone, for use in a command line, or a table. */
function formatPaths(volumes: readonly PodVolumePath[]): string {
  const width = Math.max(...volumes.map(({ volume }) => volume.length))
  return volumes
    .filter(({ isMounted }) => isMounted)
    .map(({ volume, path: place }) => (volumes.length === 1 ? `${place}\n` : `${volume.padEnd(width)}  ${place}\n`))
    .join('')
}
