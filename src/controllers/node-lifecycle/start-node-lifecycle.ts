import { findCondition, setCondition } from '../../api/conditions.ts'
import { ignoreNotFound } from '../../api/api-error.ts'
import { LEASES } from '../../api/kinds/lease.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod, PodCondition } from '../../api/kinds/pod.ts'
import { keyOf, keyOfRef, refOf } from '../../api/object-key.ts'
import { count, decimal, duration } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { after, defineController, mergeAsSeen, on, patchAsSeen, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { nodeNameOfPod } from '../../storage/pod-indexes.ts'
import { evictionRate, zoneOf } from './eviction-limit.ts'
import { nextNodeStep } from './next-node-step.ts'
import type { NodeStep, NodeView } from './next-node-step.ts'
import { hearNode } from './node-health.ts'
import type { NodeHealth } from './node-health.ts'
import type { EvictionLimit } from './node-taints.ts'

/** The flags of the node lifecycle controller. */
export const nodeLifecycleOptions = {
  nodeMonitorGracePeriodMs: duration('50s', 'How long a node may be silent before it is marked as not ready.'),
  nodeStartupGracePeriodMs: duration('1m', 'How long a new node may be silent before it is marked as not ready.'),
  nodeEvictionRate: decimal(0.1, 'Nodes per second of a healthy zone whose pods are evicted.', { minimum: 0 }),
  secondaryNodeEvictionRate: decimal(
    0.01,
    'Nodes per second of an unhealthy zone whose pods are evicted. 0 if the zone is not larger than --large-cluster-size-threshold.',
    { minimum: 0 },
  ),
  largeClusterSizeThreshold: count(50, 'A zone with more nodes is large.'),
  unhealthyZoneThreshold: decimal(
    0.55,
    'Fraction of the nodes of a zone, at least three, that must be not ready for the zone to be unhealthy.',
    { minimum: 0, maximum: 1 },
  ),
} satisfies OptionTable

type NodeLifecycleConfig = ConfigOf<typeof nodeLifecycleOptions>

type NodeMemory = { readonly health: NodeHealth; readonly marked: ReadonlySet<string> }

const LEASE_NAMESPACE = 'kube-node-lease'
const UNMARKED: ReadonlySet<string> = new Set()

/** Marks nodes that are silent, and sets the taints that follow from the conditions of nodes. */
export const startNodeLifecycle: StartRole<NodeLifecycleConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineNodeLifecycle(config, role)])

function defineNodeLifecycle(config: NodeLifecycleConfig, role: ControllerRole) {
  const { api, clock, events, follow, createQueue } = role
  const nodes = follow(NODES)
  const leases = follow(LEASES, { scope: { namespace: LEASE_NAMESPACE } })
  const pods = follow(PODS)
  const podsOn = pods.indexBy(nodeNameOfPod)
  const unreadyNodes = nodes.indexBy(unreadyOf)
  const limits = createEvictionLimits(config, {
    // With our own writes: the last node may have become silent just now.
    nodes: () => Array.from(nodes.all(), (node) => nodes.get(keyOf(node)) ?? node),
    nowMs: () => clock.nowMs(),
  })
  nodes.onChange(({ before, after: node }) => {
    if (before && before.metadata.uid !== node?.metadata.uid) announce(before, 'RemovingNode', 'Removing', 'from')
  })
  const announce = (node: Node, event: string, verb: string, place: string): void => {
    const { name } = node.metadata
    events.record(node, 'Normal', event, `Node ${name} event: ${verb} Node ${name} ${place} Controller`)
  }
  return defineController<NodeView, NodeStep, NodeMemory>({
    name: 'node-lifecycle',
    queue: createQueue({ name: 'node_lifecycle_controller', lanes: { default: 8 } }),
    watch: [
      // Whether other nodes are ready decides how many that are not may be tainted.
      on(nodes, ({ key, before, after: node }) =>
        readyStatus(before) === readyStatus(node) ? key : [key, ...unreadyNodes(UNREADY).map(keyOf)],
      ),
      on(leases, ({ after: lease }) => lease?.metadata.name),
      on(pods, ({ before, after: pod }) =>
        pod?.spec.nodeName && pod.spec.nodeName !== before?.spec.nodeName ? pod.spec.nodeName : undefined,
      ),
    ],
    view: (key, { memory }) => {
      const node = nodes.get(key)
      if (!node) return undefined
      const nowMs = clock.nowMs()
      const lease = leases.get(keyOfRef({ namespace: LEASE_NAMESPACE, name: key }))
      const isReady = readyStatus(node) === 'True'
      return {
        seen: { node, pods: isReady ? [] : podsOn(key) },
        held: {
          health: hearNode(memory?.health, node, lease, nowMs),
          nowMs,
          graceMs: config.nodeMonitorGracePeriodMs,
          startupGraceMs: config.nodeStartupGracePeriodMs,
          limit: isReady ? undefined : limits.of(node),
          marked: isReady ? UNMARKED : (memory?.marked ?? UNMARKED),
        },
      }
    },
    onView: (pass) => {
      const { seen, held } = pass.view
      if (pass.memory?.health.uid !== held.health.uid) announce(seen.node, 'RegisteredNode', 'Registered', 'in')
      pass.memory = { health: held.health, marked: held.marked }
    },
    decide: nextNodeStep,
    perform: {
      'write-conditions': async ({ conditions, wasReady }, { view: { seen } }) => {
        const patch = mergeAsSeen(seen.node, { status: { conditions } })
        await patchAsSeen(api, NODES, seen.node, patch, { subresource: 'status' })
        const { name } = seen.node.metadata
        if (wasReady) events.record(seen.node, 'Normal', 'NodeNotReady', `Node ${name} status is now: NodeNotReady`)
      },
      'write-taints': async ({ taints, evicts }, { view: { seen } }) => {
        const waitMs = evicts ? limits.take(seen.node) : 0
        if (waitMs > 0) return after(waitMs)
        await patchAsSeen(api, NODES, seen.node, mergeAsSeen(seen.node, { spec: { taints } }))
        return undefined
      },
      'mark-pods': async ({ pods: unmarked }, pass) => {
        for (const pod of unmarked) {
          await markUnready(role, pod)
          const { health, marked } = pass.memory ?? pass.view.held
          pass.memory = { health, marked: new Set([...marked, pod.metadata.uid ?? '']) }
        }
      },
    },
  })
}

const readyStatus = (node: Node | undefined): string | undefined =>
  node && (findCondition(node.status?.conditions, 'Ready')?.status ?? '')

const UNREADY = 'unready'
const unreadyOf = (node: Node): readonly string[] => (readyStatus(node) === 'True' ? NOT_UNREADY : IS_UNREADY)
const [IS_UNREADY, NOT_UNREADY] = [[UNREADY], []] as const

/** The pod keeps everything else that the node has reported about it. */
async function markUnready({ api, clock, events }: ControllerRole, pod: Pod): Promise<void> {
  const ready = findCondition<PodCondition>(pod.status?.conditions, 'Ready')
  if (!ready) return
  const conditions = setCondition<PodCondition>(pod.status?.conditions, { ...ready, status: 'False' }, clock.nowMs())
  const patch = mergeAsSeen(pod, { status: { conditions } })
  const written = await api.patch(PODS, refOf(pod), patch, { subresource: 'status' }).catch(ignoreNotFound)
  if (written) events.record(pod, 'Warning', 'NodeNotReady', 'Node is not ready')
}

/** When the next node of each zone may get a taint that evicts its pods. */
function createEvictionLimits(
  config: NodeLifecycleConfig,
  cluster: { nodes(): Iterable<Node>; nowMs(): number },
): { of(node: Node): EvictionLimit; take(node: Node): number } {
  const nextAtMs = new Map<string, number>()
  const waitMs = (zone: string): number => Math.max(0, (nextAtMs.get(zone) ?? 0) - cluster.nowMs())
  return {
    of: (node) => {
      const zone = zoneOf(node)
      const rate = evictionRate(cluster.nodes(), zone, config)
      if (rate === undefined) return { kind: 'all-unready' }
      return rate === 0 ? { kind: 'paused' } : { kind: 'limited', inMs: waitMs(zone) }
    },
    // 0 if the node may be tainted now; then the next one has to wait.
    take: (node) => {
      const zone = zoneOf(node)
      const wait = waitMs(zone)
      const rate = evictionRate(cluster.nodes(), zone, config) ?? 0
      if (wait === 0 && rate > 0) nextAtMs.set(zone, cluster.nowMs() + 1000 / rate)
      return wait
    },
  }
}
