import { validateDnsLabel } from '../../../api/names.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import type { Container, Volume, VolumeDevice, VolumeMount } from '../../../api/kinds/pod.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { ownValue } from './own-value.ts'
import { backstepProblems, descendingPathProblems } from './paths.ts'
import { containerPortProblems } from './ports.ts'
import {
  duplicate,
  forbidden,
  inclusiveRange,
  invalid,
  invalidFor,
  notFound,
  notSupported,
  oneOf,
  required,
} from './problems.ts'
import { nonNegativeQuantity } from './quantities.ts'

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never']
const TERMINATION_MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError']
const MOUNT_PROPAGATIONS = ['Bidirectional', 'HostToContainer', 'None']
const LARGEST_ID = 2 ** 31 - 1
const RECURSIVE_READ_ONLY = ['Disabled', 'Enabled', 'IfPossible']

type Volumes = ReadonlyMap<string, Loose<Volume>>

/** The containers of a pod, and how they use its volumes. */
export function containerProblems(
  field: string,
  containers: readonly Loose<Container>[] | undefined,
  volumes: Volumes,
  taken: Set<string>,
): FieldProblem[] {
  return (containers ?? []).flatMap((container, index) => {
    const at = `${field}[${index}]`
    const name = container.name ?? ''
    const isTaken = taken.has(name)
    taken.add(name)
    return [...commonProblems(at, container, volumes), ...(isTaken ? [duplicate(`${at}.name`, name)] : [])]
  })
}

function commonProblems(field: string, container: Loose<Container>, volumes: Volumes): FieldProblem[] {
  const { name = '', image, imagePullPolicy, terminationMessagePolicy, env } = container
  return [
    ...(name === '' ? [required(`${field}.name`)] : invalidFor(`${field}.name`, name, validateDnsLabel(name))),
    ...(image ? [] : [required(`${field}.image`)]),
    ...requiredOneOf(`${field}.terminationMessagePolicy`, terminationMessagePolicy, TERMINATION_MESSAGE_POLICIES),
    ...containerPortProblems(`${field}.ports`, container.ports),
    ...(env ?? []).flatMap((variable, index) => (variable.name ? [] : [required(`${field}.env[${index}].name`)])),
    ...mountProblems(`${field}.volumeMounts`, container, volumes),
    ...deviceProblems(`${field}.volumeDevices`, container, volumes),
    ...requiredOneOf(`${field}.imagePullPolicy`, imagePullPolicy, PULL_POLICIES),
    ...resourceProblems(`${field}.resources`, container.resources),
    ...userProblems(`${field}.securityContext`, container.securityContext),
    ...(image !== undefined && image.trim() !== image
      ? [invalid(`${field}.image`, image, 'must not have leading or trailing whitespace')]
      : []),
  ]
}

function userProblems(field: string, context: Loose<Container>['securityContext']): FieldProblem[] {
  const id = (member: string, value: number | undefined): FieldProblem[] =>
    value !== undefined && (value < 0 || value > LARGEST_ID)
      ? [invalid(`${field}.${member}`, value, inclusiveRange(0, LARGEST_ID))]
      : []
  return [...id('runAsUser', context?.runAsUser), ...id('runAsGroup', context?.runAsGroup)]
}

const requiredOneOf = (field: string, value: string | undefined, supported: readonly string[]): FieldProblem[] =>
  value ? oneOf(field, value, supported) : [required(field)]

function mountProblems(field: string, container: Loose<Container>, volumes: Volumes): FieldProblem[] {
  const devices = container.volumeDevices ?? []
  const paths = new Set<string>()
  return (container.volumeMounts ?? []).flatMap((mount, index) => {
    const at = `${field}[${index}]`
    const { name = '', mountPath = '', subPath = '', subPathExpr = '' } = mount
    const isRepeated = paths.has(mountPath)
    paths.add(mountPath)
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFound(`${at}.name`, name)]),
      ...(mountPath === '' ? [required(`${at}.mountPath`)] : []),
      ...(isRepeated ? [invalid(`${at}.mountPath`, mountPath, 'must be unique')] : []),
      ...(devices.some((device) => device.name === name)
        ? [invalid(`${at}.name`, name, 'must not already exist in volumeDevices')]
        : []),
      ...(devices.some(({ devicePath }) => devicePath === mountPath)
        ? [invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices')]
        : []),
      // For these, upstream's message shows the list and not the item.
      ...(subPath === '' ? [] : descendingPathProblems(`${field}.subPath`, subPath)),
      ...(subPath !== '' && subPathExpr !== ''
        ? [invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
        : []),
      ...(subPathExpr === '' ? [] : descendingPathProblems(`${field}.subPathExpr`, subPathExpr)),
      ...propagationProblems(`${field}.mountPropagation`, mount, container),
      ...recursiveReadOnlyProblems(`${field}.recursiveReadOnly`, mount),
    ]
  })
}

function propagationProblems(
  field: string,
  { mountPropagation }: Loose<VolumeMount>,
  { securityContext }: Loose<Container>,
): FieldProblem[] {
  if (mountPropagation === undefined) return []
  const isPrivileged = securityContext?.privileged === true
  return [
    ...oneOf(field, mountPropagation, MOUNT_PROPAGATIONS),
    ...(mountPropagation === 'Bidirectional' && !isPrivileged
      ? [forbidden(field, 'Bidirectional mount propagation is available only to privileged containers')]
      : []),
  ]
}

function recursiveReadOnlyProblems(
  field: string,
  { recursiveReadOnly, readOnly, mountPropagation }: Loose<VolumeMount>,
): FieldProblem[] {
  if (recursiveReadOnly === undefined || recursiveReadOnly === 'Disabled') return []
  if (!RECURSIVE_READ_ONLY.includes(recursiveReadOnly))
    return [notSupported(field, recursiveReadOnly, RECURSIVE_READ_ONLY)]
  return [
    ...(readOnly ? [] : [forbidden(field, 'may only be specified when readOnly is true')]),
    ...(mountPropagation !== undefined && mountPropagation !== 'None'
      ? [forbidden(field, 'may only be specified when mountPropagation is None or not specified')]
      : []),
  ]
}

function deviceProblems(field: string, container: Loose<Container>, volumes: Volumes): FieldProblem[] {
  const mounts = container.volumeMounts ?? []
  const names = new Set<string>()
  const paths = new Set<string>()
  return (container.volumeDevices ?? []).flatMap((device: Loose<VolumeDevice>, index) => {
    const at = `${field}[${index}]`
    const { name = '', devicePath = '' } = device
    const volume = volumes.get(name)
    const [isRepeatedName, isRepeatedPath] = [names.has(name), paths.has(devicePath)]
    const hasBacksteps = backstepProblems('', devicePath).length > 0
    if (name !== '') names.add(name)
    if (!hasBacksteps) paths.add(devicePath)
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(isRepeatedName ? [invalid(`${at}.name`, name, 'must be unique')] : []),
      ...(volume && !volume.persistentVolumeClaim && !volume.ephemeral
        ? [
            invalid(
              `${at}.name`,
              name,
              'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode',
            ),
          ]
        : []),
      ...(volume ? [] : [notFound(`${at}.name`, name)]),
      ...(devicePath === '' ? [required(`${at}.devicePath`)] : []),
      ...(isRepeatedPath ? [invalid(`${at}.devicePath`, devicePath, 'must be unique')] : []),
      ...(hasBacksteps ? [invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')")] : []),
      ...(mounts.some((mount) => mount.name === name)
        ? [invalid(`${at}.name`, name, 'must not already exist in volumeMounts')]
        : []),
      ...(mounts.some(({ mountPath }) => mountPath === devicePath)
        ? [invalid(`${at}.devicePath`, devicePath, 'must not already exist as a path in volumeMounts')]
        : []),
    ]
  })
}

function resourceProblems(field: string, resources: Loose<Container>['resources']): FieldProblem[] {
  const limits = resources?.limits ?? {}
  return [
    ...Object.entries(limits).flatMap(([name, amount = '']) => nonNegativeQuantity(`${field}.limits[${name}]`, amount)),
    ...Object.entries(resources?.requests ?? {}).flatMap(([name, amount = '']) => {
      const limit = ownValue(limits, name)
      const isAbove = limit !== undefined && compareQuantities(amount, limit) > 0
      return [
        ...nonNegativeQuantity(`${field}.requests[${name}]`, amount),
        ...(isAbove
          ? [invalid(`${field}.requests`, amount, `must be less than or equal to ${name} limit of ${limit}`)]
          : []),
      ]
    }),
  ]
}
