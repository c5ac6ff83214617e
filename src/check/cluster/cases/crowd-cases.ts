import type { ClusterCase, ClusterContext } from '../cluster-case.ts'
import { createClaim, createPod, deleteEverything, untilBound, untilRunning } from '../cluster-steps.ts'
import { expectData, startWriter } from '../data-steps.ts'
import { killDuring } from '../kill-steps.ts'
import type { ClusterProcess } from '../start-process.ts'

const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'node'] as const
const RETRIED =
  'Any of the RPCs defined in this spec MAY timeout and MAY be retried. … Idempotency requirements ensure that a retried call with the same fields continues where it left off when retried. … However, in some circumstances, the CO MAY lose state (for example when the CO crashes and restarts), and MAY issue multiple calls simultaneously for the same volume. … This operation MUST be idempotent.'
const FIFTY = 50
const SOME = 5
const KILLS = 3

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index + 1))

/** Pods that fit on one node, each with one volume. */
function fitting({ check }: ClusterContext, most: number): number {
  const limits = check.nodes.map(({ features }) => Number(features.maxVolumes)).filter((limit) => limit > 0)
  return Math.min(most, ...limits)
}

/** Claims and pods, and all of them gone again, while a process is killed in the middle of calls. */
async function liveWhileKilled(
  context: ClusterContext,
  process: ClusterProcess,
  { up, down }: { up: string; down: string },
): Promise<void> {
  const names = numbered(fitting(context, SOME))
  const kills = await killDuring(context, process, { rpc: up, times: KILLS }, async () => {
    for (const name of names) {
      await createClaim(context, `data-${name}`)
      await createPod(context, `web-${name}`, [`data-${name}`], { node: 'node-1' })
    }
    for (const name of names) await untilRunning(context, `web-${name}`)
  })
  context.check.expect(kills > 0, `a call of ${up}`, 'none')
  await killDuring(context, process, { rpc: down, times: KILLS }, () => deleteEverything(context))
}

export const CROWD_CASES: readonly ClusterCase[] = [
  {
    id: 'cluster/fifty',
    title: `${FIFTY} claims at once get a volume each, pods use them, and all are deleted at once`,
    clause:
      'In general the Cluster Orchestrator (CO) is responsible for ensuring that there is no more than one call “in-flight” per volume at a given time. … A Controller Plugin MUST implement this RPC call if it has `CREATE_DELETE_VOLUME` controller capability. … SP MUST ensure the CO can use the published volume as described.',
    section: 'Concurrency',
    needs: NEEDS,
    volumes: FIFTY,
    alone: true,
    run: async (context) => {
      const names = numbered(FIFTY)
      const used = names.slice(0, fitting(context, FIFTY))
      await Promise.all(names.map((name) => createClaim(context, `data-${name}`, { class: 'immediate' })))
      await Promise.all(used.map((name) => createPod(context, `web-${name}`, [`data-${name}`])))
      const volumes = new Set<string | undefined>()
      for (const name of names) volumes.add((await untilBound(context, `data-${name}`)).spec.volumeName)
      context.check.expect(volumes.size === FIFTY, `${FIFTY} volumes`, String(volumes.size))
      for (const name of used) await untilRunning(context, `web-${name}`)
    },
  },
  {
    id: 'cluster/sidecars-killed',
    title: 'kill -9 of the sidecars in the middle of calls loses and leaks nothing',
    clause: RETRIED,
    section: 'Timeouts … Concurrency',
    needs: NEEDS,
    volumes: SOME,
    alone: true,
    run: (context) => liveWhileKilled(context, context.cluster.sidecars, { up: 'CreateVolume', down: 'DeleteVolume' }),
  },
  {
    id: 'cluster/attach-killed',
    title: 'kill -9 of the sidecars in the middle of attaching and detaching loses and leaks nothing',
    clause: RETRIED,
    section: 'Timeouts … Concurrency',
    needs: [...NEEDS, 'controller:PUBLISH_UNPUBLISH_VOLUME'],
    volumes: SOME,
    alone: true,
    run: (context) =>
      liveWhileKilled(context, context.cluster.sidecars, {
        up: 'ControllerPublishVolume',
        down: 'ControllerUnpublishVolume',
      }),
  },
  {
    id: 'cluster/node-agent-killed',
    title: 'kill -9 of the node agent in the middle of mounting and unmounting loses and leaks nothing',
    clause: RETRIED,
    section: 'Timeouts … Concurrency',
    needs: NEEDS,
    volumes: SOME,
    alone: true,
    run: async (context) => {
      const [node] = context.cluster.nodes
      if (!node) return
      await liveWhileKilled(context, node.agent, { up: 'NodePublishVolume', down: 'NodeUnpublishVolume' })
    },
  },
  {
    id: 'cluster/driver-restarted',
    title: 'a driver that is restarted serves new pods, and releases the volumes of old ones',
    clause: RETRIED,
    section: 'Timeouts … Concurrency',
    needs: [...NEEDS, 'restart'],
    volumes: 2,
    alone: true,
    run: async (context) => {
      await startWriter(context, 'old', 'data')
      await context.check.restart()
      await createClaim(context, 'more')
      await createPod(context, 'new', ['more'])
      await untilRunning(context, 'new')
      await expectData(context, 'old', 'data')
    },
  },
]
