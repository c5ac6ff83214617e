import { validateName } from '../../api/names.ts'
import { VOLUME_ATTACHMENTS } from '../../api/kinds/volume-attachment.ts'
import type { VolumeAttachment, VolumeError } from '../../api/kinds/volume-attachment.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, boolean, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { csiDriverNameProblems } from './rules/csi-driver-name.ts'
import { bytesOf } from './rules/parameters.ts'
import { podSourceProblems, translatePodSource } from './rules/pod-source.ts'
import { inlineVolumeSpecProblems } from './rules/volume-spec.ts'
import { forbidden, immutable, inclusiveRange, invalid, invalidFor, required, tooLong } from './rules/problems.ts'

const MOST_METADATA_BYTES = 256 * 1024
const MOST_MESSAGE_BYTES = 1024
const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName'

export const VOLUME_ATTACHMENT_KIND = kindTable<VolumeAttachment>({
  type: VOLUME_ATTACHMENTS,
  unconditionalUpdate: false,
  deleteAnswer: 'object',
  hasStatus: true,
  statusKeepsMetadata: true,
  columns: [
    NAME,
    { ...text('Attacher', ({ spec }) => spec?.attacher ?? ''), format: 'name' },
    text('PV', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
    text('Node', ({ spec }) => spec?.nodeName ?? ''),
    boolean('Attached', ({ status }) => status?.attached ?? false),
    AGE,
  ],

  prepareForCreate: (object) => {
    // Two sources are rejected, even if they are equal.
    if (!object.spec?.source?.inlineVolumeSpec) translatePodSource(object)
  },
  prepareForUpdate: translatePodSource,

  validate(object) {
    const { spec = {}, status = {} } = object
    const nodeName = spec.nodeName ?? ''
    const volumeName = spec.source?.persistentVolumeName
    return [
      ...csiDriverNameProblems('spec.attacher', spec.attacher),
      ...sourceProblems(object),
      ...invalidFor('spec.nodeName', nodeName, validateName('subdomain', nodeName)),
      ...statusProblems(status),
      ...(volumeName === undefined
        ? []
        : invalidFor('spec.source.persistentVolumeName', volumeName, validateName('subdomain', volumeName))),
    ]
  },

  validateUpdate: (object, old) => immutable('spec', object.spec, old.spec),

  validateStatusUpdate: ({ status = {} }) => statusProblems(status),
})

function sourceProblems(object: Loose<VolumeAttachment>): FieldProblem[] {
  const { persistentVolumeName, inlineVolumeSpec, volumeSource } = object.spec?.source ?? {}
  const field = 'spec.source'
  const given = [persistentVolumeName, inlineVolumeSpec, volumeSource].filter((source) => source !== undefined)
  if (given.length === 0) return [required(field, ONE_SOURCE)]
  if (given.length > 1) return [forbidden(field, ONE_SOURCE)]
  if (volumeSource !== undefined) return podSourceProblems(object)
  if (inlineVolumeSpec !== undefined) return inlineVolumeSpecProblems(`${field}.inlineVolumeSpec`, inlineVolumeSpec)
  return persistentVolumeName === ''
    ? [required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')]
    : []
}

function statusProblems({
  attachmentMetadata,
  attachError,
  detachError,
}: NonNullable<Loose<VolumeAttachment>['status']>): FieldProblem[] {
  const bytes = bytesOf(Object.entries(attachmentMetadata ?? {}))
  return [
    ...(bytes > MOST_METADATA_BYTES ? [tooLong('status.attachmentMetadata', MOST_METADATA_BYTES)] : []),
    ...volumeErrorProblems('status.attachError', attachError),
    ...volumeErrorProblems('status.detachError', detachError),
  ]
}

function volumeErrorProblems(field: string, error: Loose<VolumeError> | undefined): FieldProblem[] {
  if (!error) return []
  const problems: FieldProblem[] = []
  // Upstream's message does not have the limit that it applies.
  if (Buffer.byteLength(error.message ?? '') > MOST_MESSAGE_BYTES)
    problems.push(tooLong(`${field}.message`, MOST_METADATA_BYTES))
  if (error.errorCode !== undefined && error.errorCode < 0)
    problems.push(invalid(`${field}.errorCode`, error.errorCode, inclusiveRange(0, 2_147_483_647)))
  return problems
}
