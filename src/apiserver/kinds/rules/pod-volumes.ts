import { validateDnsLabel, validateName } from '../../../api/names.ts'
import type {
  CSIVolumeSource,
  EphemeralVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  Volume,
  VolumeProjection,
} from '../../../api/kinds/pod.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { claimSpecProblems } from './claim-spec.ts'
import { csiDriverNameProblems } from './csi-driver-name.ts'
import { localPathProblems } from './paths.ts'
import { duplicate, forbidden, invalid, invalidFor, required } from './problems.ts'
import { compareQuantities } from '../../../api/quantity.ts'
import { labelProblems } from './selectors.ts'
import {
  FC,
  FLOCKER,
  HOST_PATH,
  IN_TREE,
  NFS,
  secretNameProblems,
  volumeSourceProblems,
  withRequired,
} from './volume-sources.ts'
import type { SourceRule, VolumeSource } from './volume-sources.ts'

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive'
const SHORTEST_TOKEN_SECONDS = 600
const LONGEST_TOKEN_SECONDS = 2 ** 32

export type PodVolumes = {
  readonly problems: readonly FieldProblem[]
  /** The valid volumes by name: containers can only use those. */
  readonly usable: ReadonlyMap<string, Loose<Volume>>
}

/** Validates the volumes of a pod. Its name is needed for ephemeral claims; a template has none. */
export function checkPodVolumes(
  field: string,
  volumes: readonly Loose<Volume>[] | undefined,
  podName = '',
): PodVolumes {
  const given = volumes ?? []
  const problems: FieldProblem[] = []
  const usable = new Map<string, Loose<Volume>>()
  const ownClaims = new Set(
    podName === '' ? [] : given.filter(({ ephemeral }) => ephemeral).map(({ name = '' }) => `${podName}-${name}`),
  )
  for (const [index, volume] of given.entries()) {
    const at = `${field}[${index}]`
    const name = volume.name ?? ''
    const own = [
      ...volumeSourceProblems(at, volume as VolumeSource, SOURCES),
      ...ownClaimNameProblems(at, volume, podName),
      ...(name === '' ? [required(`${at}.name`)] : invalidFor(`${at}.name`, name, validateDnsLabel(name))),
      ...(usable.has(name) ? [duplicate(`${at}.name`, name)] : []),
    ]
    if (own.length === 0) usable.set(name, volume)
    problems.push(...own)
    const claimName = volume.persistentVolumeClaim?.claimName
    if (claimName !== undefined && ownClaims.has(claimName)) {
      problems.push(
        invalid(
          `${at}.persistentVolumeClaim.claimName`,
          claimName,
          'must not reference a PVC that gets created for an ephemeral volume',
        ),
      )
    }
  }
  return { problems, usable }
}

function ownClaimNameProblems(field: string, { name = '', ephemeral }: Loose<Volume>, podName: string): FieldProblem[] {
  if (!ephemeral || podName === '' || name === '') return []
  const claimName = `${podName}-${name}`
  return validateName('subdomain', claimName).map((detail) =>
    invalid(`${field}.name`, name, `PVC name ${JSON.stringify(claimName)}: ${detail}`),
  )
}

const modeProblems = (field: string, mode: number | undefined): FieldProblem[] =>
  mode !== undefined && (mode > 0o777 || mode < 0) ? [invalid(field, mode, FILE_MODE)] : []

const itemProblems = (field: string, items: readonly Loose<KeyToPath>[] | undefined): FieldProblem[] =>
  (items ?? []).flatMap(({ key, path = '', mode }, index) => {
    const at = `${field}.items[${index}]`
    return [
      ...(key ? [] : [required(`${at}.key`)]),
      ...(path === '' ? [required(`${at}.path`)] : []),
      ...localPathProblems(`${at}.path`, path),
      ...modeProblems(`${at}.mode`, mode),
    ]
  })

type FilesSource = { items?: Loose<KeyToPath>[]; defaultMode?: number; secretName?: string; name?: string }

const filesFrom = (member: string, nameMember: 'secretName' | 'name'): SourceRule => ({
  member,
  problems(field, source) {
    const files = source as FilesSource
    return [
      ...(files[nameMember] ? [] : [required(`${field}.${nameMember}`)]),
      ...modeProblems(`${field}.defaultMode`, files.defaultMode),
      ...itemProblems(field, files.items),
    ]
  },
})

type FieldFile = NonNullable<NonNullable<Loose<VolumeProjection>['downwardAPI']>['items']>[number]

function fieldFileProblems(field: string, file: FieldFile): FieldProblem[] {
  const { path = '', fieldRef, mode } = file
  const { resourceFieldRef } = file as { resourceFieldRef?: unknown }
  return [
    ...(path === '' ? [required(`${field}.path`)] : []),
    ...localPathProblems(`${field}.path`, path),
    ...(fieldRef && !fieldRef.fieldPath ? [required(`${field}.fieldRef.fieldPath`)] : []),
    ...(fieldRef && resourceFieldRef
      ? [invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously')]
      : []),
    ...(fieldRef || resourceFieldRef ? [] : [required(field, 'one of fieldRef and resourceFieldRef is required')]),
    ...modeProblems(`${field}.mode`, mode),
  ]
}

const DOWNWARD_API: SourceRule = {
  member: 'downwardAPI',
  problems(field, source) {
    const { items, defaultMode } = source as { items?: FieldFile[]; defaultMode?: number }
    return [
      ...modeProblems(`${field}.defaultMode`, defaultMode),
      ...(items ?? []).flatMap((file) => fieldFileProblems(field, file)),
    ]
  },
}

const PROJECTED: SourceRule = {
  member: 'projected',
  problems(field, source) {
    const { sources, defaultMode } = source as Loose<ProjectedVolumeSource>
    const paths = new Set<string>()
    return [
      ...modeProblems(`${field}.defaultMode`, defaultMode),
      ...(sources ?? []).flatMap((projection, index) =>
        projectionProblems(field, `${field}.sources[${index}]`, projection, paths),
      ),
    ]
  },
}

// All projections share one directory, so their paths must differ.
function projectionProblems(
  field: string,
  at: string,
  projection: Loose<VolumeProjection>,
  paths: Set<string>,
): FieldProblem[] {
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection
  const clashes = (path: string | undefined, shown: string): FieldProblem[] => {
    if (!path) return []
    if (paths.has(path)) return [invalid(field, shown, 'conflicting duplicate paths')]
    paths.add(path)
    return []
  }
  const named = (member: 'secret' | 'configMap'): FieldProblem[] => {
    const source = projection[member]
    if (!source) return []
    return [
      ...(source.name ? [] : [required(`${at}.${member}.name`)]),
      ...itemProblems(`${at}.${member}`, source.items),
      ...(source.items ?? []).flatMap(({ path }) => clashes(path, source.name ?? '')),
    ]
  }
  const count = [secret, configMap, downwardAPI, serviceAccountToken].filter(Boolean).length
  return [
    ...named('secret'),
    ...named('configMap'),
    ...(downwardAPI?.items ?? []).flatMap((file) => [
      ...fieldFileProblems(`${at}.downwardAPI`, file),
      ...clashes(file.path, file.path ?? ''),
    ]),
    ...tokenProblems(field, at, serviceAccountToken),
    ...(count > 1 ? [forbidden(at, 'may not specify more than 1 volume type per source')] : []),
  ]
}

function tokenProblems(
  field: string,
  at: string,
  token: Loose<VolumeProjection>['serviceAccountToken'],
): FieldProblem[] {
  if (!token) return []
  const { expirationSeconds: seconds, path = '' } = token
  const expiry = `${at}.serviceAccountToken.expirationSeconds`
  return [
    ...(seconds !== undefined && seconds < SHORTEST_TOKEN_SECONDS
      ? [invalid(expiry, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds !== undefined && seconds > LONGEST_TOKEN_SECONDS
      ? [invalid(expiry, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    ...(path === '' ? [required(`${field}.path`)] : localPathProblems(`${field}.path`, path)),
  ]
}

const EMPTY_DIR: SourceRule = {
  member: 'emptyDir',
  problems(field, { sizeLimit }) {
    const isNegative = typeof sizeLimit === 'string' && compareQuantities(sizeLimit, '0') < 0
    return isNegative ? [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')] : []
  },
}

/** The source of an in-line CSI volume. */
export const CSI_OF_POD: SourceRule = {
  member: 'csi',
  problems(field, source) {
    const { driver, nodePublishSecretRef } = source as Loose<CSIVolumeSource>
    return [
      ...csiDriverNameProblems(`${field}.driver`, driver),
      ...secretNameProblems(`${field}.nodePublishSecretRef`, nodePublishSecretRef, `${field}.name`),
      ...ALPHA_SECRETS.flatMap((member) =>
        secretNameProblems(`${field}.${member}`, source[member], `${field}.${member}.name`),
      ),
    ]
  },
}

// Additional references of in-line volumes with a handle: see `alpha-extensions.ts`.
const ALPHA_SECRETS = ['controllerPublishSecretRef', 'nodeStageSecretRef']

const EPHEMERAL: SourceRule = {
  member: 'ephemeral',
  problems(field, source) {
    const template = (source as Loose<EphemeralVolumeSource>).volumeClaimTemplate
    const at = `${field}.volumeClaimTemplate`
    if (!template) return [required(at)]
    return [
      ...templateMetadataProblems(`${at}.metadata`, template.metadata),
      ...claimSpecProblems(`${at}.spec`, template.spec ?? {}),
    ]
  },
}

function templateMetadataProblems(field: string, metadata: object | undefined): FieldProblem[] {
  const {
    labels,
    annotations: _annotations,
    ...others
  } = (metadata ?? {}) as { labels?: Record<string, string>; annotations?: Record<string, string> }
  const set = Object.entries(others).filter(([, value]) => value !== null && value !== undefined && value !== '')
  return [
    ...labelProblems(`${field}.labels`, labels),
    ...set.map(([member]) => forbidden(`${field}.${member}`, 'cannot be set')),
  ]
}

// In this order: the first one found counts.
const SOURCES: readonly SourceRule[] = [
  EMPTY_DIR,
  HOST_PATH,
  withRequired('gitRepo', ['repository']),
  IN_TREE.gcePersistentDisk,
  IN_TREE.awsElasticBlockStore,
  filesFrom('secret', 'secretName'),
  NFS,
  IN_TREE.iscsi,
  IN_TREE.glusterfs,
  FLOCKER,
  withRequired('persistentVolumeClaim', ['claimName']),
  IN_TREE.rbd,
  IN_TREE.cinder,
  IN_TREE.cephfs,
  IN_TREE.quobyte,
  DOWNWARD_API,
  FC,
  IN_TREE.flexVolume,
  filesFrom('configMap', 'name'),
  IN_TREE.azureFile,
  IN_TREE.vsphereVolume,
  IN_TREE.photonPersistentDisk,
  IN_TREE.portworxVolume,
  IN_TREE.azureDisk,
  IN_TREE.storageos,
  PROJECTED,
  IN_TREE.scaleIO,
  CSI_OF_POD,
  EPHEMERAL,
  withRequired('image', ['pullPolicy']),
]
