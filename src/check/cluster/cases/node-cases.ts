import { isEqualJson } from '../../../api/equal-json.ts'
import { CSI_DRIVERS } from '../../../api/kinds/csi-driver.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PERSISTENT_VOLUMES } from '../../../api/kinds/persistent-volume.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import { matchesNodeSelector } from '../../../api/node-selector.ts'
import { countMounts } from '../../look-at-path.ts'
import type { ClusterCase, ClusterContext } from '../cluster-case.ts'
import {
  createClaim,
  createPod,
  deletePod,
  NAMESPACE,
  pathOf,
  until,
  untilBound,
  untilPods,
  untilRunning,
} from '../cluster-steps.ts'
import { expectData, startWriter } from '../data-steps.ts'

const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'node'] as const
const MOVED =
  'The Plugin SHOULD perform the work that is necessary for making the volume ready to be consumed by a different node. The Plugin MUST NOT assume that this RPC will be executed on the node where the volume was previously used.'
const [FIRST, SECOND] = ['node-1', 'node-2']
const MOST_LIMIT = 16
const REPUBLISHES = 3

/** A volume can move only between nodes that it is accessible from. */
function requireOneTopology({ check }: ClusterContext): void {
  const [one, other] = check.nodes.map(({ features }) => features.topology)
  if (!isEqualJson(one, other))
    check.skip('the first two nodes have different topology segments, so a volume cannot move')
}

export const NODE_CASES: readonly ClusterCase[] = [
  {
    id: 'cluster/topology',
    title: 'a volume that is created for a pod is accessible from the node of the pod',
    clause:
      'If requisite is specified, the provisioned volume MUST be accessible from at least one of the requisite topologies.',
    section: 'CreateVolume',
    needs: [...NEEDS, 'plugin:VOLUME_ACCESSIBILITY_CONSTRAINTS'],
    volumes: 2,
    alone: true,
    run: async (context) => {
      const { api, nodes } = context.cluster
      for (const { name } of nodes) {
        await createClaim(context, `data-${name}`)
        await createPod(context, `web-${name}`, [`data-${name}`], { node: name })
        await untilRunning(context, `web-${name}`)
        const { spec } = await untilBound(context, `data-${name}`)
        const volume = await api.get(PERSISTENT_VOLUMES, { name: spec.volumeName ?? '' })
        const node = await api.get(NODES, { name })
        const required = volume.spec.nodeAffinity?.required
        context.check.expect(
          required === undefined || matchesNodeSelector(required, node),
          `accessible_topology that includes ${JSON.stringify(node.metadata.labels)}`,
          JSON.stringify(required),
        )
      }
    },
  },
  {
    id: 'cluster/move',
    title: 'a pod that is moved to another node finds its data there',
    clause: MOVED,
    section: 'ControllerUnpublishVolume',
    needs: [...NEEDS, 'two nodes'],
    volumes: 1,
    alone: true,
    run: async (context) => {
      requireOneTopology(context)
      await startWriter(context, 'first', 'data', { node: FIRST })
      await deletePod(context, 'first')
      await createPod(context, 'second', ['data'], { node: SECOND })
      await untilRunning(context, 'second')
      await expectData(context, 'second', 'data')
    },
  },
  {
    id: 'cluster/node-loss',
    title: 'a volume of a node that is lost can be used on another node, and the node can come back',
    clause: MOVED,
    section: 'ControllerUnpublishVolume',
    needs: [...NEEDS, 'two nodes', 'controller:PUBLISH_UNPUBLISH_VOLUME'],
    volumes: 1,
    alone: true,
    run: async (context) => {
      requireOneTopology(context)
      const { api, nodes } = context.cluster
      const lost = nodes[0]
      await startWriter(context, 'first', 'data', { node: FIRST })
      lost?.agent.kill()
      // As an administrator does once the machine is known to be off.
      const taint = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' as const }
      await api.patch(NODES, { name: FIRST }, { type: 'merge', value: { spec: { taints: [taint] } } })
      await api.delete(PODS, { namespace: NAMESPACE, name: 'first' }, { gracePeriodSeconds: 0 })
      await createPod(context, 'second', ['data'], { node: SECOND })
      await untilRunning(context, 'second')
      await expectData(context, 'second', 'data')
      await api.patch(NODES, { name: FIRST }, { type: 'merge', value: { spec: { taints: [] } } })
      await lost?.agent.start()
      // What was mounted on the lost node is removed there. It must not disturb the pod that has the volume now.
      await until(context, NODES, FIRST, (node) => (node?.status?.volumesInUse ?? []).length === 0)
      await expectData(context, 'second', 'data')
    },
  },
  {
    id: 'cluster/attach-limit',
    title: 'as many volumes as max_volumes_per_node says can be used on a node, and one more waits for its turn',
    clause:
      'Maximum number of volumes that controller can publish to the node. If value is not set or zero CO SHALL decide how many volumes of this type can be published by the controller to the node. The plugin MUST NOT set negative values here.',
    section: 'NodeGetInfo',
    needs: NEEDS,
    volumes: MOST_LIMIT + 1,
    alone: true,
    run: async (context) => {
      const { check } = context
      const limit = Number(check.node.features.maxVolumes)
      if (limit === 0) check.skip('the driver announces no max_volumes_per_node')
      if (limit > MOST_LIMIT) check.skip(`max_volumes_per_node is ${limit}; this case creates at most ${MOST_LIMIT}`)
      const names = Array.from({ length: limit + 1 }, (_, index) => String(index + 1))
      for (const name of names) {
        await createClaim(context, `data-${name}`)
        await createPod(context, `web-${name}`, [`data-${name}`], { node: FIRST })
      }
      const running = await untilPods(context, limit)
      await deletePod(context, running[0] ?? '')
      await untilPods(context, limit)
      const refused = context.calls.find(({ code }) => code === 'RESOURCE_EXHAUSTED')
      check.expect(refused === undefined, `${limit} volumes on the node`, `${refused?.rpc}: ${refused?.error}`)
    },
  },
  {
    id: 'cluster/republish',
    title: 'repeated publishing of a volume in use neither stacks mounts nor disturbs its data',
    clause:
      'This operation MUST be idempotent. If the volume corresponding to the `volume_id` has already been published at the specified `target_path`, and is compatible with the specified `volume_capability` and `readonly` flag, the Plugin MUST reply `0 OK`.',
    section: 'NodePublishVolume',
    needs: NEEDS,
    volumes: 1,
    alone: true,
    run: async (context) => {
      const { check, cluster } = context
      const value = { spec: { requiresRepublish: true } }
      await cluster.api.patch(CSI_DRIVERS, { name: check.features.name }, { type: 'merge', value })
      const { promise: isRepeated, resolve } = Promise.withResolvers<void>()
      let publishes = 0
      await startWriter(context, 'web', 'data')
      const path = await pathOf(context, 'web', 'data')
      const before = await countMounts(check.host, path)
      using _watch = cluster.onCall('NodePublishVolume', () => {
        if ((publishes += 1) > REPUBLISHES) resolve()
      })
      await isRepeated
      const failed = context.calls.find(({ rpc, code }) => rpc === 'NodePublishVolume' && code !== 'OK')
      check.expect(failed === undefined, 'NodePublishVolume succeeds again', `${failed?.code}: ${failed?.error}`)
      const after = await countMounts(check.host, path)
      check.expect(after === before, `${before} mounts at ${path}`, String(after))
      await expectData(context, 'web', 'data')
    },
  },
]
