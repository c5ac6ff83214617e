import type { Job } from '../../../api/kinds/job.ts'
import type { ContainerStatus, Pod } from '../../../api/kinds/pod.ts'

type Rule = NonNullable<Job['spec']['podFailurePolicy']>['rules'][number]

export type FailureVerdict = {
  /** Whether the failure counts against the backoff limit. */
  readonly counts: boolean
  /** The whole job fails, with this message. */
  readonly failsJob?: string
  /** The index gets no more pods. */
  readonly failsIndex?: boolean
}

/** What the first rule that matches says about a failed pod. */
export function judgeFailure({ spec: { podFailurePolicy } }: Job, pod: Pod): FailureVerdict {
  for (const [place, rule] of (podFailurePolicy?.rules ?? []).entries()) {
    const match = matchOf(rule, pod)
    if (match === undefined) continue
    if (rule.action === 'Ignore') return { counts: false }
    if (rule.action === 'FailJob')
      return { counts: true, failsJob: `${match} matching ${rule.action} rule at index ${place}` }
    return { counts: true, ...(rule.action === 'FailIndex' ? { failsIndex: true } : {}) }
  }
  return { counts: true }
}

function matchOf({ onExitCodes, onPodConditions }: Rule, { metadata, status }: Pod): string | undefined {
  const pod = `${metadata.namespace}/${metadata.name}`
  if (onExitCodes) {
    const { containerName, operator, values } = onExitCodes
    const isMatch = ({ name, state }: ContainerStatus): boolean => {
      const { exitCode = 0 } = state?.terminated ?? {}
      return (
        exitCode !== 0 &&
        (containerName === undefined || containerName === name) &&
        values.includes(exitCode) === (operator === 'In')
      )
    }
    const ended = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].find(isMatch)
    return ended && `Container ${ended.name} for pod ${pod} failed with exit code ${ended.state?.terminated?.exitCode}`
  }
  const condition = (status?.conditions ?? []).find((each) =>
    (onPodConditions ?? []).some(({ type, status: wanted = 'True' }) => type === each.type && wanted === each.status),
  )
  return condition && `Pod ${pod} has condition ${condition.type}`
}
