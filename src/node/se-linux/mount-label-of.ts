import type { Container, Pod, SELinuxOptions } from '../../api/kinds/pod.ts'
import { containersOf } from '../../storage/containers-of.ts'
import type { DriverPolicy } from '../../storage/driver-policy.ts'
import type { CsiVolume } from '../../storage/resolve-pod-volume.ts'

export type MountLabelFacts = {
  readonly pod: Pod
  readonly podVolumeName: string
  readonly volume: CsiVolume
  readonly policy: Pick<DriverPolicy, 'seLinuxMount'>
  /** The context of container files, `system_u:object_r:container_file_t:s0`. Absent if SELinux is not enabled on the machine. */
  readonly fileContext?: string | undefined
}

export type MountLabel =
  /** Empty: the volume is mounted without a label. */
  | { readonly kind: 'label'; readonly label: string }
  /** Containers of the pod use the volume with these labels, and it can have only one. */
  | { readonly kind: 'several'; readonly labels: readonly string[] }
  /** The label would end the mount option and start another one. */
  | { readonly kind: 'unsafe'; readonly label: string }

/** The SELinux label with which a volume is mounted, for a driver that supports that. As upstream, only for volumes of a single pod. */
export function mountLabelOf(facts: MountLabelFacts): MountLabel {
  const { pod, podVolumeName, fileContext } = facts
  if (fileContext === undefined || !isLabelled(facts)) return NO_LABEL
  const used = containersOf(pod).filter(({ volumeMounts = [] }) =>
    volumeMounts.some(({ name }) => name === podVolumeName),
  )
  const labels = new Set(used.flatMap((container) => fileLabelOf(optionsOf(pod, container), fileContext)))
  const [label = '', ...others] = labels
  if (others.length > 0) return { kind: 'several', labels: [...labels] }
  return /^[\w.:,-]*$/.test(label) ? { kind: 'label', label } : { kind: 'unsafe', label }
}

const NO_LABEL: MountLabel = { kind: 'label', label: '' }

const isLabelled = ({ policy, pod, volume: { persistentVolume, spec } }: MountLabelFacts): boolean =>
  policy.seLinuxMount &&
  persistentVolume !== undefined &&
  spec.volumeMode !== 'Block' &&
  spec.accessModes?.length === 1 &&
  spec.accessModes[0] === 'ReadWriteOncePod' &&
  pod.spec.securityContext?.seLinuxChangePolicy !== 'Recursive'

/** Options of a container replace those of the pod as a whole. */
const optionsOf = ({ spec }: Pod, { securityContext }: Container): SELinuxOptions =>
  securityContext?.seLinuxOptions ?? spec.securityContext?.seLinuxOptions ?? {}

/**
 * Options describe a process: of them, files get the user and the level. Without a level, the container runtime chooses one, and no mount can have
 * it in advance.
 */
function fileLabelOf({ user, level }: SELinuxOptions, fileContext: string): string[] {
  const [defaultUser = '', role = '', type = ''] = fileContext.split(':')
  return level ? [[user || defaultUser, role, type, level].join(':')] : []
}

/** With quotes, since a level may have commas. */
export const labelOption = (label: string): string[] => (label === '' ? [] : [`context="${label}"`])
