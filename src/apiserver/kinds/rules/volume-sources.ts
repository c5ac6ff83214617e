import { validateName } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { backstepProblems } from './paths.ts'
import { forbidden, invalid, invalidFor, notSupported, required } from './problems.ts'

/** Any volume source, not yet validated. */
export type VolumeSource = { readonly [member: string]: unknown }

/** A type of volume source: its field name in problems, and its rules. */
export type SourceRule = {
  readonly member: string
  /** The field path of problems inside it, if that is not its name. */
  readonly shownAs?: string
  problems(field: string, source: VolumeSource): FieldProblem[]
}

/** Exactly one source: further ones are rejected without validation. */
export function volumeSourceProblems(
  field: string,
  sources: VolumeSource,
  rules: readonly SourceRule[],
): FieldProblem[] {
  const [first, ...others] = rules.filter(({ member }) => sources[member] !== undefined && sources[member] !== null)
  if (!first) return [required(field, 'must specify a volume type')]
  return [
    ...first.problems(`${field}.${first.shownAs ?? first.member}`, sources[first.member] as VolumeSource),
    ...others.map(({ member }) =>
      forbidden(`${field}.${member === 'cephfs' ? 'cephFS' : member}`, 'may not specify more than 1 volume type'),
    ),
  ]
}

/** A source with required members only. */
export const withRequired = (member: string, members: readonly string[], shownAs?: string): SourceRule => ({
  member,
  ...(shownAs === undefined ? {} : { shownAs }),
  problems: (field, source) =>
    members.filter((name) => isEmpty(source[name])).map((name) => required(`${field}.${name}`)),
})

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
]

export const HOST_PATH: SourceRule = {
  member: 'hostPath',
  problems(field, { path, type }) {
    if (isEmpty(path)) return [required(`${field}.path`)]
    const isKnown = type === undefined || type === null || HOST_PATH_TYPES.includes(textOf(type))
    return [
      ...backstepProblems(`${field}.path`, textOf(path)),
      ...(isKnown ? [] : [notSupported(`${field}.type`, type, HOST_PATH_TYPES)]),
    ]
  },
}

export const NFS: SourceRule = {
  member: 'nfs',
  problems(field, source) {
    const missing = withRequired('nfs', ['server', 'path']).problems(field, source)
    return textOf(source['path']).startsWith('/')
      ? missing
      : [...missing, invalid(`${field}.path`, textOf(source['path']), 'must be an absolute path')]
  },
}

export const FC: SourceRule = {
  member: 'fc',
  problems(field, { targetWWNs, wwids, lun }) {
    const hasTargets = !isEmpty(targetWWNs)
    if (!hasTargets && isEmpty(wwids))
      return [required(`${field}.targetWWNs`, 'must specify either targetWWNs or wwids, but not both')]
    return [
      ...(hasTargets && !isEmpty(wwids)
        ? [invalid(`${field}.targetWWNs`, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')]
        : []),
      ...(hasTargets && isEmpty(lun) ? [required(`${field}.lun`, 'lun is required if targetWWNs is specified')] : []),
    ]
  },
}

export const FLOCKER: SourceRule = {
  member: 'flocker',
  problems(field, { datasetName, datasetUUID }) {
    if (isEmpty(datasetName) && isEmpty(datasetUUID))
      return [required(field, 'one of datasetName and datasetUUID is required')]
    return isEmpty(datasetName) || isEmpty(datasetUUID)
      ? []
      : [invalid(field, 'resource', 'datasetName and datasetUUID can not be specified simultaneously')]
  },
}

/** The name of an optional reference to a secret in the volume's own namespace. */
export function secretNameProblems(field: string, reference: unknown, shownAs = field): FieldProblem[] {
  if (reference === undefined || reference === null) return []
  const name = textOf((reference as VolumeSource)['name'])
  return name === '' ? [required(`${field}.name`)] : invalidFor(shownAs, name, validateName('subdomain', name))
}

/** Sources of in-tree plugins that moved into CSI drivers or were removed: they are stored, and only their required fields are checked. */
export const IN_TREE = {
  gcePersistentDisk: withRequired('gcePersistentDisk', ['pdName'], 'persistentDisk'),
  awsElasticBlockStore: withRequired('awsElasticBlockStore', ['volumeID']),
  glusterfs: withRequired('glusterfs', ['endpoints', 'path']),
  rbd: withRequired('rbd', ['monitors', 'image']),
  quobyte: withRequired('quobyte', ['registry', 'volume']),
  cephfs: withRequired('cephfs', ['monitors']),
  iscsi: withRequired('iscsi', ['targetPortal', 'iqn']),
  cinder: withRequired('cinder', ['volumeID']),
  flexVolume: withRequired('flexVolume', ['driver']),
  azureFile: withRequired('azureFile', ['secretName', 'shareName']),
  vsphereVolume: withRequired('vsphereVolume', ['volumePath']),
  photonPersistentDisk: withRequired('photonPersistentDisk', ['pdID']),
  portworxVolume: withRequired('portworxVolume', ['volumeID']),
  azureDisk: withRequired('azureDisk', ['diskName', 'diskURI']),
  scaleIO: withRequired('scaleIO', ['gateway', 'system', 'volumeName']),
  storageos: withRequired('storageos', ['volumeName']),
} satisfies Readonly<Record<string, SourceRule>>
