import type { Pod } from '../api/kinds/pod.ts'

/** For an index of pods by the name of their node. */
export const nodeNameOfPod = ({ spec }: Pod): string[] => (spec.nodeName ? [spec.nodeName] : [])
