import type { Container, Pod } from '../api/kinds/pod.ts'

/** All containers of a pod that can use its volumes: init and ephemeral ones too. */
export const containersOf = ({ spec }: Pick<Pod, 'spec'>): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
  ...(spec.ephemeralContainers ?? []),
]
