import type { Container, PodSpec } from '../../../api/kinds/pod.ts'
import type { Loose } from '../loose.ts'

/** `main,sidecar` and their images, as tables show the containers of a template. */
export const formatContainers = (spec: Loose<PodSpec> | undefined, member: 'name' | 'image'): string =>
  (spec?.containers ?? []).map((container: Loose<Container>) => container[member] ?? '').join(',')
