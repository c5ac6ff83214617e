import { ignoreNotFound } from '../../api/api-error.ts'
import { setCondition } from '../../api/conditions.ts'
import { NODES } from '../../api/kinds/node.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { refOf } from '../../api/object-key.ts'
import { integer } from '../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../base/options/index.ts'
import { definePeriodic, patchAsSeen, mergeAsSeen, startControllers } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { StartRole } from '../../kube/process/role-world.ts'
import { isFinishedPod } from '../../storage/pod-claims.ts'
import { chooseGarbage } from './choose-garbage.ts'
import type { Garbage } from './choose-garbage.ts'

/** The flags of the pod garbage collector. */
export const podGcOptions = {
  terminatedPodGcThreshold: integer(
    12_500,
    'Number of terminated pods to keep. The oldest beyond it are deleted. 0 or less keeps all.',
  ),
} satisfies OptionTable

type PodGcConfig = ConfigOf<typeof podGcOptions>

const INTERVAL_MS = 20_000
/** A node that is not in the cache may only just have been created. */
const QUARANTINE_MS = 40_000

/** Deletes pods that nobody else will delete. */
export const startPodGc: StartRole<PodGcConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [definePodGc(config, role)])

function definePodGc({ terminatedPodGcThreshold: threshold }: PodGcConfig, role: ControllerRole) {
  const { api, clock, follow } = role
  const pods = follow(PODS)
  const nodes = follow(NODES)
  const missingSinceMs = new Map<string, number>()
  const findGoneNodes = async (): Promise<ReadonlySet<string>> => {
    const missing = new Set<string>()
    for (const { spec } of pods.all()) if (spec.nodeName && !nodes.get(spec.nodeName)) missing.add(spec.nodeName)
    for (const name of missingSinceMs.keys()) if (!missing.has(name)) missingSinceMs.delete(name)
    const gone = new Set<string>()
    for (const name of missing) {
      const sinceMs = missingSinceMs.get(name) ?? clock.nowMs()
      missingSinceMs.set(name, sinceMs)
      if (clock.nowMs() - sinceMs < QUARANTINE_MS) continue
      if (!(await api.get(NODES, { name }).catch(ignoreNotFound))) gone.add(name)
    }
    return gone
  }
  return definePeriodic({
    name: 'pod-gc',
    intervalMs: INTERVAL_MS,
    problem: 'pods could not be garbage collected',
    act: async ({ log }) => {
      const goneNodes = await findGoneNodes()
      const garbage = chooseGarbage({
        pods: Array.from(pods.all()),
        findNode: (name) => nodes.get(name),
        goneNodes,
        threshold,
      })
      for (const each of garbage) {
        try {
          await collect(role, each)
          log.info('pod deleted without its node', { pod: each.pod.metadata.name, reason: each.reason })
        } catch (error) {
          // The next run tries again; one pod must not keep the others.
          log.warn('pod could not be garbage collected', { pod: each.pod.metadata.name, reason: each.reason, error })
        }
      }
    },
  })
}

/** Failed first: nobody else will ever report how the pod ended. */
async function collect({ api, clock }: ControllerRole, { pod, condition }: Garbage): Promise<void> {
  if (!isFinishedPod(pod)) {
    const { conditions: before } = pod.status ?? {}
    const conditions = condition ? setCondition(before, condition, clock.nowMs()) : before
    const status = { phase: 'Failed', ...(conditions ? { conditions } : {}) }
    await patchAsSeen(api, PODS, pod, mergeAsSeen(pod, { status }), { subresource: 'status' })
  }
  const { uid = '' } = pod.metadata
  await api.delete(PODS, refOf(pod), { gracePeriodSeconds: 0, preconditions: { uid } }).catch(ignoreNotFound)
}
