import { isEqualJson } from '../../api/equal-json.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver, CSIDriverTokenRequest } from '../../api/kinds/csi-driver.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, boolean, NAME, text } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { duplicate, immutable, invalid, oneOf, required } from './rules/problems.ts'

const FS_GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType']
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral']
const SHORTEST_TOKEN_SECONDS = 600
const LONGEST_TOKEN_SECONDS = 2 ** 32
const SHORTEST_UPDATE_PERIOD_SECONDS = 10

const TOKENS_IN_ATTRIBUTES =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes'

export const CSI_DRIVER_KIND = kindTable<CSIDriver>({
  type: CSI_DRIVERS,
  unconditionalUpdate: false,
  generation: 'spec-updates',
  deleteAnswer: 'object',
  columns: [
    NAME,
    boolean('AttachRequired', ({ spec }) => spec?.attachRequired ?? true),
    boolean('PodInfoOnMount', ({ spec }) => spec?.podInfoOnMount ?? false),
    boolean('StorageCapacity', ({ spec }) => spec?.storageCapacity ?? false),
    text(
      'TokenRequests',
      ({ spec }) => spec?.tokenRequests?.map(({ audience }) => audience ?? '').join(',') ?? '<unset>',
    ),
    boolean('RequiresRepublish', ({ spec }) => spec?.requiresRepublish ?? false),
    text('Modes', ({ spec }) => (spec?.volumeLifecycleModes ?? []).join(',') || '<none>'),
    AGE,
  ],

  applyDefaults(object) {
    const spec = (object.spec ??= {})
    spec.attachRequired ??= true
    spec.podInfoOnMount ??= false
    spec.storageCapacity ??= false
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType'
    if ((spec.volumeLifecycleModes ?? []).length === 0) spec.volumeLifecycleModes = ['Persistent']
    spec.requiresRepublish ??= false
    spec.seLinuxMount ??= false
  },

  prepareForCreate: dropAlphaFields,
  prepareForUpdate: dropAlphaFields,

  validate({ spec = {} }) {
    return [
      ...whenUnset('spec.attachedRequired', spec.attachRequired),
      ...whenUnset('spec.podInfoOnMount', spec.podInfoOnMount),
      ...whenUnset('spec.storageCapacity', spec.storageCapacity),
      ...oneOf('spec.fsGroupPolicy', spec.fsGroupPolicy, FS_GROUP_POLICIES),
      ...tokenRequestProblems(spec.tokenRequests),
      ...(spec.volumeLifecycleModes ?? []).flatMap((mode) => oneOf('spec.volumeLifecycleModes', mode, LIFECYCLE_MODES)),
      ...whenUnset('spec.seLinuxMount', spec.seLinuxMount),
      ...updatePeriodProblems(spec.nodeAllocatableUpdatePeriodSeconds),
      ...(spec.serviceAccountTokenInSecrets !== undefined && (spec.tokenRequests ?? []).length === 0
        ? [
            invalid(
              'spec.serviceAccountTokenInSecrets',
              spec.serviceAccountTokenInSecrets,
              'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
            ),
          ]
        : []),
    ]
  },

  validateUpdate({ spec = {} }, { spec: before = {} }) {
    return [
      // Upstream's message has a field name that does not exist; people search for that text.
      ...immutable('spec.attachedRequired', spec.attachRequired, before.attachRequired),
      ...immutable('spec.volumeLifecycleModes', spec.volumeLifecycleModes, before.volumeLifecycleModes),
    ]
  },

  warnings({ spec = {} }, old) {
    const isNews = !isEqualJson(old?.spec?.tokenRequests ?? [], spec.tokenRequests ?? [])
    return isNews && (spec.tokenRequests ?? []).length > 0 && spec.serviceAccountTokenInSecrets === undefined
      ? [TOKENS_IN_ATTRIBUTES]
      : []
  },
})

// A field that upstream has only behind a gate that is disabled by default.
function dropAlphaFields({ spec }: Loose<CSIDriver>): void {
  if (spec) delete (spec as { preventPodSchedulingIfMissing?: boolean }).preventPodSchedulingIfMissing
}

const whenUnset = (field: string, value: boolean | undefined): FieldProblem[] =>
  value === undefined ? [required(field)] : []

function tokenRequestProblems(requests: readonly Loose<CSIDriverTokenRequest>[] | undefined): FieldProblem[] {
  const audiences = new Set<string>()
  return (requests ?? []).flatMap(({ audience = '', expirationSeconds }, index) => {
    const field = `spec.tokenRequests[${index}]`
    if (audiences.has(audience)) return [duplicate(`${field}.audience`, audience)]
    audiences.add(audience)
    if (expirationSeconds === undefined) return []
    if (expirationSeconds < SHORTEST_TOKEN_SECONDS) {
      return [
        invalid(`${field}.expirationSeconds`, expirationSeconds, 'may not specify a duration less than 10 minutes'),
      ]
    }
    if (expirationSeconds > LONGEST_TOKEN_SECONDS) {
      return [
        invalid(`${field}.expirationSeconds`, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'),
      ]
    }
    return []
  })
}

const updatePeriodProblems = (seconds: number | undefined): FieldProblem[] =>
  seconds !== undefined && seconds < SHORTEST_UPDATE_PERIOD_SECONDS
    ? [invalid('spec.nodeAllocatableUpdatePeriodSeconds', seconds, 'must be greater than or equal to 10 seconds')]
    : []
