import { dropFinalizerPatch, hasFinalizer } from '../../../api/finalizers.ts'
import { ignoreNotFound } from '../../../api/api-error.ts'
import { isHoldfastNode } from '../../../api/holdfast-node.ts'
import { JOBS } from '../../../api/kinds/job.ts'
import type { Job } from '../../../api/kinds/job.ts'
import { NODES } from '../../../api/kinds/node.ts'
import { PODS } from '../../../api/kinds/pod.ts'
import type { Pod } from '../../../api/kinds/pod.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { keyOf, keyOfRef, refOf } from '../../../api/object-key.ts'
import { findControllerReference } from '../../../api/owner-references.ts'
import { formatReason } from '../../../api/reason.ts'
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
import type { Backoff } from './count-pods.ts'
import { jobPodFor, TRACKING } from './job-pod.ts'
import { isFinishedJob } from './job-outcome.ts'
import { statusPatch } from './job-status.ts'
import { nextJobStep } from './next-job-step.ts'
import type { JobStep, JobView } from './next-job-step.ts'
import { nextOrphanStep } from './next-orphan-step.ts'
import type { OrphanStep, OrphanView } from './next-orphan-step.ts'

/** The flags of the Job controller. */
export const jobOptions = {
  concurrentJobSyncs: count(5, 'Number of Jobs to process concurrently.', { minimum: 1 }),
} satisfies OptionTable

type JobConfig = ConfigOf<typeof jobOptions>

/** Runs the pods of Jobs until enough have succeeded. */
export const startJob: StartRole<JobConfig> = (config, world, signal) =>
  startControllers(world, signal, (role) => [defineJob(config, role), defineOrphans(role)])

function defineJob({ concurrentJobSyncs }: JobConfig, role: ControllerRole) {
  const { api, clock, events, follow, createQueue } = role
  const jobs = follow(JOBS)
  const nodes = follow(NODES)
  const pods = followMembers<Job, Pod>(role, PODS, {
    owners: jobs,
    ownerType: JOBS,
    isSelected: ({ spec }, { metadata }) =>
      spec.selector !== undefined && selectsLabels(spec.selector, metadata.labels),
  })
  const writes = podWrites(events, pods)
  const isIdleNode = (name: string): boolean => {
    const node = nodes.get(name)
    return node !== undefined && isHoldfastNode(node)
  }
  return defineController<JobView, JobStep, Backoff>({
    name: 'job',
    queue: createQueue({ name: 'job', lanes: { default: concurrentJobSyncs } }),
    watch: [on(jobs, keyIfPresent), pods.watch],
    view: (key, { memory: backoff }) => {
      const set = jobs.get(key)
      if (!set) return undefined
      const candidates = pods.candidatesOf(set)
      const idleNodes = new Set(candidates.flatMap(({ spec }) => spec.nodeName ?? []).filter(isIdleNode))
      return { seen: { set, pods: candidates, idleNodes, nowMs: clock.nowMs() }, held: { backoff } }
    },
    decide: nextJobStep,
    perform: {
      ...ownershipPerformers<Job>(api, JOBS, { finalizer: TRACKING }),
      'create-pods': ({ indexes, failures }, { view: { seen } }) =>
        writes.create(
          seen.set,
          indexes.map((index) => jobPodFor(seen.set, index, failures?.get(index ?? -1))),
        ),
      'delete-pods': async ({ pods: chosen, counts }, { view: { seen } }) => {
        // Otherwise the pods would count as failed.
        if (!counts) await removeTracking(role, chosen)
        await writes.delete(seen.set, chosen)
      },
      'remove-finalizers': ({ pods: chosen }) => removeTracking(role, chosen),
      'write-status': async ({ status, events: news, backoff }, pass) => {
        const { set } = pass.view.seen
        const patch = mergeAsSeen(set, { status: statusPatch(status) })
        await patchAsSeen(api, JOBS, set, patch, { subresource: 'status' })
        pass.memory = backoff
        for (const { type, reason, message } of news) events.record(set, type, reason, message)
      },
      wait: ({ reason }, { view: { seen }, say }) => {
        if (reason.code === 'NoContainers')
          say(seen.set, { type: 'Warning', event: reason.code }, formatReason(reason), reason.code)
      },
    },
  })
}

/** Pods whose Job is gone keep their finalizer unless somebody removes it. */
function defineOrphans(role: ControllerRole) {
  const { follow, createQueue } = role
  const jobs = follow(JOBS)
  const pods = follow(PODS)
  const tracked = pods.indexBy(jobUidOfTracked)
  return defineController<OrphanView, OrphanStep>({
    name: 'job-orphans',
    queue: createQueue({ name: 'job_orphan_pod' }),
    watch: [
      on(pods, ({ key, after: pod }) => (pod && hasFinalizer(pod, TRACKING) ? key : undefined)),
      on(jobs, ({ before, after: job }) =>
        before && (!job || isFinishedJob(job)) ? tracked(before.metadata.uid ?? '').map(keyOf) : undefined,
      ),
    ],
    view: (key) => {
      const pod = pods.get(key)
      if (!pod || !hasFinalizer(pod, TRACKING)) return undefined
      const { namespace = '' } = pod.metadata
      const controller = findControllerReference(pod)
      const job = controller ? jobs.get(keyOfRef({ namespace, name: controller.name ?? '' })) : undefined
      return { seen: { pod, controller, job } }
    },
    decide: nextOrphanStep,
    perform: { release: ({ pod }) => removeTracking(role, [pod]) },
  })
}

const jobUidOfTracked = (pod: Pod): string[] => {
  const uid = hasFinalizer(pod, TRACKING) ? findControllerReference(pod)?.uid : undefined
  return uid === undefined ? [] : [uid]
}

async function removeTracking({ api }: Pick<ControllerRole, 'api'>, pods: readonly Pod[]): Promise<void> {
  const remove = async (pod: Pod): Promise<void> => {
    const patch = dropFinalizerPatch(pod, TRACKING)
    if (patch) await api.patch(PODS, refOf(pod), patch).catch(ignoreNotFound)
  }
  const results = await Promise.allSettled(pods.map(remove))
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
