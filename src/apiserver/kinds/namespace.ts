import { validateQualifiedName } from '../../api/names.ts'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import type { Namespace } from '../../api/kinds/namespace.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { invalid, invalidFor } from './rules/problems.ts'

const NAME_LABEL = 'kubernetes.io/metadata.name'
const CONTENT_FINALIZER = 'kubernetes'
const STANDARD_FINALIZERS = [CONTENT_FINALIZER, 'orphan', 'foregroundDeletion']

export const NAMESPACE_KIND = kindTable<Namespace>({
  type: NAMESPACES,
  shortNames: ['ns'],
  // The namespace cleaner deletes the content, over several turns.
  verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
  name: 'label',
  deleteAnswer: 'object',
  hasStatus: true,
  subresources: { finalize: { verbs: ['update'] } },
  fieldLabels: { 'status.phase': ({ status }) => status?.phase ?? '' },
  columns: [NAME, text('Status', ({ status }) => status?.phase ?? ''), AGE],

  applyDefaults(object) {
    const status = (object.status ??= {})
    status.phase ||= 'Active'
    const metadata = (object.metadata ??= {})
    if (metadata.name) metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name }
  },

  prepareForCreate(object) {
    object.status = { phase: 'Active' }
    const spec = (object.spec ??= {})
    const finalizers = spec.finalizers ?? []
    spec.finalizers = finalizers.includes(CONTENT_FINALIZER) ? finalizers : [...finalizers, CONTENT_FINALIZER]
  },

  // Only the subresource `finalize` changes these.
  prepareForUpdate(object, old) {
    const spec = (object.spec ??= {})
    if (old.spec?.finalizers === undefined) delete spec.finalizers
    else spec.finalizers = old.spec.finalizers
  },

  prepareForDelete(object) {
    object.status = { ...object.status, phase: 'Terminating' }
  },

  isHeld: ({ spec }) => (spec?.finalizers ?? []).length > 0,

  validate: ({ spec }) =>
    (spec?.finalizers ?? []).flatMap((finalizer) => finalizerProblems('spec.finalizers', finalizer)),

  validateStatusUpdate({ metadata, status }) {
    const phase = metadata?.deletionTimestamp ? 'Terminating' : 'Active'
    if (status?.phase === phase) return []
    const when = metadata?.deletionTimestamp ? 'not empty' : 'empty'
    return [invalid('status.Phase', status?.phase ?? '', `may only be '${phase}' if \`deletionTimestamp\` is ${when}`)]
  },
})

function finalizerProblems(field: string, finalizer: string): FieldProblem[] {
  const isKnown = finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
  return [
    ...invalidFor(field, finalizer, validateQualifiedName(finalizer)),
    ...(isKnown
      ? []
      : [invalid(field, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')]),
  ]
}
