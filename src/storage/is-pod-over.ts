import type { ContainerStatus, Pod } from '../api/kinds/pod.ts'

/** Finished, or being deleted with no container running: the pod no longer needs its volumes. */
export function isPodOver({ metadata, status = {} }: Pod): boolean {
  const { phase, initContainerStatuses = [], containerStatuses = [], ephemeralContainerStatuses = [] } = status
  if (phase === 'Failed' || phase === 'Succeeded') return true
  if (metadata.deletionTimestamp === undefined) return false
  return ![...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses].some(mayRun)
}

// An unknown state counts as running.
const mayRun = ({ state }: ContainerStatus): boolean => !state?.waiting && !state?.terminated
