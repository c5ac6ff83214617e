import type { Job } from '../../../api/kinds/job.ts'
import type { Container, Pod } from '../../../api/kinds/pod.ts'
import { podFromTemplate, podNamePrefix } from '../pod-from-template.ts'

/** Keeps a pod until it is counted. */
export const TRACKING = 'batch.kubernetes.io/job-tracking'
/** An annotation and a label. */
export const INDEX = 'batch.kubernetes.io/job-completion-index'

const INDEX_VARIABLE = {
  name: 'JOB_COMPLETION_INDEX',
  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${INDEX}']` } },
}

/** Annotations that say how often the pods of an index have failed. */
export type IndexFailures = Readonly<Record<string, string>>

/** A pod of the job; of an Indexed job, the pod for this index. */
export function jobPodFor(job: Job, index: number | undefined, failures: IndexFailures = {}): Pod {
  const { metadata, spec, ...rest } = podFromTemplate(job.spec.template, job)
  const finalizers = [...new Set([...(metadata.finalizers ?? []), TRACKING])]
  if (index === undefined)
    return { ...rest, metadata: { ...metadata, finalizers, generateName: podNamePrefix(job) }, spec }
  const { containers, initContainers } = spec
  return {
    ...rest,
    metadata: {
      ...metadata,
      finalizers,
      generateName: podNamePrefix(job, `-${index}-`),
      labels: { ...metadata.labels, [INDEX]: `${index}` },
      annotations: { ...metadata.annotations, [INDEX]: `${index}`, ...failures },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: containers.map(withIndex),
      ...(initContainers ? { initContainers: initContainers.map(withIndex) } : {}),
    },
  }
}

function withIndex(container: Container): Container {
  const { env = [] } = container
  return env.some(({ name }) => name === INDEX_VARIABLE.name)
    ? container
    : { ...container, env: [...env, INDEX_VARIABLE] }
}

/** The index of a pod; undefined if it has none that the job has. */
export function indexOf({ metadata }: Pod, completions: number): number | undefined {
  const text = metadata.annotations?.[INDEX] ?? ''
  return /^\d+$/.test(text) && Number(text) < completions ? Number(text) : undefined
}
