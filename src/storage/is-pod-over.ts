import type { ContainerStatus, Pod } from '../api/kinds/pod.ts'

/** Finished, or being deleted with no container at work: it needs its volumes no longer. */
export function isPodOver({ metadata, status = {} }: Pod): boolean {
  const { phase, initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status
  if (phase === 'Failed' || phase === 'Succeeded') return true
  if (metadata.deletionTimestamp === undefined) return false
  return ![...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].some(mayRun)
}

// A state that is not known counts as at work.
const mayRun = ({ state }: ContainerStatus): boolean => !state?.waiting && !state?.terminated
