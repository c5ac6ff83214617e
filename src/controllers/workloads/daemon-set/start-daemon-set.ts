import { CONTROLLER_REVISIONS } from '../../../api/kinds/controller-revision.ts'
import type { ControllerRevision } from '../../../api/kinds/controller-revision.ts'
import { DAEMON_SETS } from '../../../api/kinds/daemon-set.ts'
import type { DaemonSet } from '../../../api/kinds/daemon-set.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { isEqualJson } from '../../../api/equal-json.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { keyOf } from '../../../api/object-key.ts'
import type { KubeObject } from '../../../api/object.ts'
import { count } from '../../../base/options/index.ts'
import type { ConfigOf, OptionTable } from '../../../base/options/index.ts'
import {
  defineController,
  keyIfPresent,
  mergeAsSeen,
  on,
  patchAsSeen,
  startControllers,
} from '../../../kube/controller/index.ts'
import type { ControllerRole } from '../../../kube/controller/index.ts'
import type { StartRole } from '../../../kube/process/role-world.ts'
import { followMembers } from '../follow-members.ts'
import { ownershipPerformers } from '../ownership-performers.ts'
import { podWrites } from '../pod-performers.ts'
import { revisionPerformers } from '../revision-performers.ts'
import { daemonPodFor } from './daemon-pod.ts'
import { nextDaemonSetStep } from './next-daemon-set-step.ts'
import type { DaemonSetStep, DaemonSetView } from './next-daemon-set-step.ts'

/** The flags of the DaemonSet controller. */
export const daemonSetOptions = {
  concurrentDaemonsetSyncs: count(2, 'Number of DaemonSets to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type DaemonSetConfig = ConfigOf<typeof daemonSetOptions>

/** Keeps one pod of each DaemonSet on every node that it selects. */
export const startDaemonSet: StartRole<DaemonSetConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineDaemonSet(config, role)])

function defineDaemonSet({ concurrentDaemonsetSyncs }: DaemonSetConfig, role: ControllerRole) {
  const { api, clock, events, follow, createQueue } = role
  const sets = follow(DAEMON_SETS)
  const nodes = follow(NODES)
  const owner = {
    owners: sets,
    ownerType: DAEMON_SETS,
    isSelected: ({ spec }: DaemonSet, { metadata }: KubeObject) => selectsLabels(spec.selector, metadata.labels),
  }
  const pods = followMembers<DaemonSet, Pod>(role, PODS, owner)
  const revisions = followMembers<DaemonSet, ControllerRevision>(role, CONTROLLER_REVISIONS, owner)
  const writes = podWrites(events, pods)
  return defineController<DaemonSetView, DaemonSetStep>({
    name: 'daemon-set',
    queue: createQueue({ name: 'daemonset', lanes: { default: concurrentDaemonsetSyncs } }),
    watch: [
      on(sets, keyIfPresent),
      pods.watch,
      revisions.watch,
      // Heartbeats change only the status, which does not matter.
      on(nodes, ({ before, after }) =>
        isEqualJson([before?.metadata.labels, before?.spec?.taints], [after?.metadata.labels, after?.spec?.taints]) &&
        before &&
        after
          ? undefined
          : Array.from(sets.all(), keyOf),
      ),
    ],
    view: (key) => {
      const set = sets.get(key)
      return (
        set && {
          seen: {
            set,
            pods: pods.candidatesOf(set),
            revisions: revisions.candidatesOf(set),
            nodes: Array.from(nodes.all()),
            nowMs: clock.nowMs(),
          },
        }
      )
    },
    decide: nextDaemonSetStep,
    perform: {
      ...ownershipPerformers<DaemonSet>(api, DAEMON_SETS),
      ...revisionPerformers(api, DAEMON_SETS, revisions),
      'create-pods': ({ nodes: names, hash }, { view: { seen } }) =>
        writes.create(
          seen.set,
          names.map((name) => daemonPodFor(seen.set, name, hash)),
        ),
      'delete-pods': ({ pods: chosen }, { view: { seen } }) => writes.delete(seen.set, chosen),
      'write-status': ({ status }, { view: { seen } }) =>
        patchAsSeen(api, DAEMON_SETS, seen.set, mergeAsSeen(seen.set, { status }), { subresource: 'status' }),
    },
  })
}
