/** A field that our server has and Kubernetes does not, in the notation of the generated schema table. */
export type SchemaExtension = {
  /** The OpenAPI name of the struct with this field. */
  readonly definition: string
  readonly field: string
  /** In the notation of the table: `*LocalObjectReference`. */
  readonly type: string
}

const IN_LINE_VOLUME = 'io.k8s.api.core.v1.CSIVolumeSource'
const ATTACHMENT_SOURCE = 'io.k8s.api.storage.v1.VolumeAttachmentSource'

/**
 * Fields of in-line CSI volumes for drivers whose volumes exist before the pod: the volume's handle, and the secrets for the calls that such a volume
 * needs besides publishing. Also the complete source of such a volume in a VolumeAttachment, which is stored as `inlineVolumeSpec`. They have no
 * protobuf form.
 */
export const ALPHA_EXTENSIONS: readonly SchemaExtension[] = [
  { definition: IN_LINE_VOLUME, field: 'volumeHandle', type: 'string' },
  { definition: IN_LINE_VOLUME, field: 'controllerPublishSecretRef', type: '*LocalObjectReference' },
  { definition: IN_LINE_VOLUME, field: 'nodeStageSecretRef', type: '*LocalObjectReference' },
  { definition: ATTACHMENT_SOURCE, field: 'volumeSource', type: '*io.k8s.api.core.v1.VolumeSource' },
]

/** The schema table with the extensions as further fields of their structs. */
export function extendSchemaTable(table: string, extensions: readonly SchemaExtension[]): string {
  const lines = new Map<string, string[]>()
  for (const { definition, field, type } of extensions)
    lines.set(definition, [...(lines.get(definition) ?? []), `${field} 0 ${type}`])
  const blocks = table.trimEnd().split('\n\n')
  const extended = blocks.map((block) => {
    const name = /^\S+/.exec(block)?.[0] ?? ''
    const added = lines.get(name)
    lines.delete(name)
    return added ? [block, ...added].join('\n') : block
  })
  if (lines.size > 0) throw new Error(`the schema table has no ${[...lines.keys()].join(', ')}`)
  return extended.join('\n\n')
}
