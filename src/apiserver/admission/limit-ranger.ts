import { LIMIT_RANGES } from '../../api/kinds/limit-range.ts'
import type { LimitRange } from '../../api/kinds/limit-range.ts'
import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import { metaOf } from '../core/drafts.ts'
import { storageOf } from '../core/stored-object.ts'
import type { Loose } from '../kinds/loose.ts'
import { applyContainerDefaults, claimLimitProblems, podLimitProblems } from '../quota/limit-range.ts'
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts'
import { forbid } from './forbid.ts'

/** Applies the limit ranges of a namespace: defaults of containers, and the smallest and largest container, pod and claim. */
export const limitRanger: AdmissionPlugin = {
  name: 'LimitRanger',
  mutate(request) {
    if (!isNewPod(request)) return
    for (const range of rangesOf(request)) applyContainerDefaults(range, request.object as Loose<Pod>)
  },
  validate(request) {
    const { object } = request
    const problemsOf = isNewPod(request)
      ? (range: LimitRange) => podLimitProblems(range, object as Loose<Pod>)
      : isClaim(request)
        ? (range: LimitRange) => claimLimitProblems(range, object as Loose<PersistentVolumeClaim>)
        : undefined
    if (!problemsOf) return
    for (const range of rangesOf(request)) {
      const problems = [...new Set(problemsOf(range))]
      if (problems.length > 0)
        throw forbid(request, problems.length === 1 ? (problems[0] ?? '') : `[${problems.join(', ')}]`)
    }
  },
}

const isNewPod = ({ kind, operation, subresource }: AdmissionRequest): boolean =>
  operation === 'CREATE' && subresource === '' && kind.storage === storageOf(PODS)

const isClaim = ({ kind, operation, subresource }: AdmissionRequest): boolean =>
  operation !== 'DELETE' && subresource === '' && kind.storage === storageOf(PERSISTENT_VOLUME_CLAIMS)

// An object that is being deleted may still be updated, whatever the limits have become.
const rangesOf = ({ view, namespace, old }: AdmissionRequest): readonly LimitRange[] =>
  old && metaOf(old).deletionTimestamp
    ? []
    : view.list(storageOf(LIMIT_RANGES), namespace).map(({ object }) => object as LimitRange)
