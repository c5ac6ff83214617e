import { join, resolve } from 'node:path'
import { count, defineCommand, duration, featureGates, flag, map, path, quantity, text } from '../base/options/index.ts'
import { otlpEndpoint } from '../base/tracing/otlp-option.ts'
import { validateDnsSubdomain } from '../api/names.ts'
import { DRIVER_GATES } from '../api/driver-gates.ts'
import { connectDriver, connectRegistrar } from '../csi/index.ts'
import {
  DEFAULT_REGISTRATION,
  DEFAULT_REPORT,
  DEFAULT_VOLUMES,
  createStatsRoutes,
  describeNode,
  pickRegistration,
  registrationOptions,
  startNode,
} from '../node/index.ts'
import type { NodeConfig, RunningNode } from '../node/index.ts'
import { createCommandModule } from './command-module.ts'
import { connectKubernetes } from './connect-kubernetes.ts'
import type { KubernetesConnection } from './connect-kubernetes.ts'
import type { RunningHttp } from '../kube/process/serve-http.ts'
import { serveHttp } from '../kube/process/serve-http.ts'
import { lockDirectory } from './lock-directory.ts'
import { createCommandLogger, loggingOptions } from './logging.ts'
import { allowUnmounted } from './allow-unmounted.ts'
import { nodeHttpEndpoint } from './node-http-endpoint.ts'
import { openTracing } from './open-tracing.ts'
import type { World } from './world.ts'

const command = defineCommand({
  name: 'holdfast node',
  summary:
    'Runs the storage part of a kubelet: registers CSI drivers, and stages and publishes the volumes of the pods on this node. ' +
    'It runs no containers: a pod is Running once its volumes are mounted.',
  options: {
    name: text('', 'Name of the node. Default: the host name.'),
    kubeconfig: path.optional(
      'Kubeconfig with the credentials of system:node:NAME. Default: KUBECONFIG, or the service account of the pod.',
    ),
    rootDir: path('/var/lib/kubelet', 'Directory for pods, plugins and their sockets.'),
    labels: map({}, 'Labels of the node, for example topology.holdfast.dev/zone=a. Can be repeated.'),
    count: count(
      1,
      'Number of nodes to run in this process: NAME-1, NAME-2 and so on, each with its own directory below the root directory.',
    ),
    impersonate: flag(
      false,
      'Impersonate system:node:NAME. The credentials must be allowed to impersonate. Required for more than one node.',
    ),
    maxPods: count(110, 'Maximum number of pods on the node.'),
    capacityBytes: quantity.optional(
      'Memory capacity that the node reports to the scheduler. It is not actually used. Default 64Gi.',
      { flag: 'capacity-memory' },
    ),
    republishMs: duration(
      '60s',
      'Interval between republish calls for drivers with requiresRepublish, plus up to half of it at random.',
      { flag: 'republish-period' },
    ),
    remountMs: duration('100ms', 'Interval between republish calls for drivers with requiresRemount.', {
      flag: 'remount-period',
    }),
    legacyPluginDirectory: flag(
      false,
      'Also accept registration sockets in ROOT/plugins, as early Kubernetes releases did.',
    ),
    allowUnmounted,
    httpEndpoint: nodeHttpEndpoint,
    otlpEndpoint,
    ...registrationOptions,
    featureGates: featureGates(DRIVER_GATES, 'Features to enable or disable.'),
    ...loggingOptions,
  },
  examples: [
    {
      text: 'One node, with its own credentials',
      command: 'holdfast node --name=node-1 --kubeconfig=node-1.kubeconfig --root-dir=/tmp/node-1',
    },
    {
      text: 'Three nodes for a test, with the credentials of an administrator',
      command: 'holdfast node --name=node --count=3 --impersonate --kubeconfig=kubeconfig --root-dir=/tmp/nodes',
    },
  ],
  check: ({ name, count: nodes, impersonate, rootDir }) => [
    ...(name === '' ? [] : validateDnsSubdomain(name).map((problem) => `--name: ${problem}`)),
    ...(nodes < 1 ? ['--count has to be at least 1'] : []),
    ...(nodes > 1 && !impersonate ? ['--count needs --impersonate: each node acts under its own name'] : []),
    ...(rootDir === '' ? ['--root-dir must not be empty'] : []),
  ],
})

/** Node agents as a process of their own. */
export const nodeCommand = createCommandModule(command, async (config, world) => {
  const log = createCommandLogger(config, world)
  const { clock, random, host, version, hostname } = world
  const root = resolve(config.rootDir)
  const name = config.name || hostname.toLowerCase()
  const names = config.count === 1 ? [name] : Array.from({ length: config.count }, (_, index) => `${name}-${index + 1}`)
  await using _held = await lockDirectory(host, root)
  const stopped = world.untilStopped()
  await using tracing = await openTracing(config, world, log)
  const { tracer } = tracing
  const running: { node: RunningNode; kubernetes: KubernetesConnection }[] = []
  const serving: RunningHttp[] = []
  const stopAll = async (): Promise<void> => {
    for (const http of serving) await http.close()
    for (const { node, kubernetes } of running.toReversed()) {
      await node.stop()
      kubernetes.close()
    }
  }
  const rootOf = (nodeName: string): string => (config.count === 1 ? root : join(root, nodeName))
  const configOf = (nodeName: string): NodeConfig => ({
    name: nodeName,
    rootDir: rootOf(nodeName),
    description: describeNode(nodeName, {
      labels: config.labels,
      rootDir: rootOf(nodeName),
      version,
      hostname,
      architecture: process.arch,
      capacity: {
        pods: config.maxPods,
        cpu: '64',
        memory: config.capacityBytes === undefined ? '64Gi' : String(config.capacityBytes),
      },
    }),
    registration: {
      ...DEFAULT_REGISTRATION,
      ...pickRegistration(config),
      watchLegacyDirectory: config.legacyPluginDirectory,
    },
    volumes: {
      ...DEFAULT_VOLUMES,
      republishMs: config.republishMs,
      remountMs: config.remountMs,
      allowUnmounted: config.allowUnmounted,
      gates: config.featureGates,
    },
    report: DEFAULT_REPORT,
  })
  try {
    for (const nodeName of names) {
      const kubernetes = await connect(config, world, nodeName)
      const parts = {
        host,
        clock,
        random,
        log,
        tracer,
        api: kubernetes.api,
        connectDriver: (endpoint: string) => connectDriver({ endpoint, clock, tracer }),
        connectRegistrar: (endpoint: string) => connectRegistrar({ endpoint, clock }),
      }
      running.push({ kubernetes, node: await startNode(configOf(nodeName), parts, new AbortController().signal) })
    }
    if (config.httpEndpoint !== '') {
      const nodes = running.map(({ node }) => ({ name: node.name, stats: node.volumes.stats }))
      serving.push(await serveHttp(config.httpEndpoint, createStatsRoutes(nodes), log))
    }
    world.out.write(`ready nodes=${names.join(',')} root=${root}\n`)
    log.info('stopping', { signal: await stopped })
  } finally {
    await stopAll()
  }
  return 0
})

const connect = (
  { kubeconfig, impersonate }: { kubeconfig: string | undefined; impersonate: boolean },
  world: World,
  name: string,
): Promise<KubernetesConnection> =>
  connectKubernetes({ kubeconfig, kubeApiQps: 0, kubeApiBurst: 0 }, world, {
    program: 'holdfast-node',
    ...(impersonate
      ? { actAs: { user: `system:node:${name}`, groups: ['system:nodes', 'system:authenticated'] } }
      : {}),
  })
