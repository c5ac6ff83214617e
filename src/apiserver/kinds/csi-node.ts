import { validateQualifiedName } from '../../api/names.ts'
import { CSI_NODES } from '../../api/kinds/csi-node.ts'
import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, integer, NAME } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { csiDriverNameProblems } from './rules/csi-driver-name.ts'
import { duplicate, immutable, invalid, invalidFor, nonNegative, required } from './rules/problems.ts'

type Driver = NonNullable<NonNullable<Loose<CSINode>['spec']>['drivers']>[number]

const MOST_NODE_ID_BYTES = 256

export const CSI_NODE_KIND = kindTable<CSINode>({
  type: CSI_NODES,
  unconditionalUpdate: false,
  deleteAnswer: 'object',
  columns: [NAME, integer('Drivers', (object) => driversOf(object).length), AGE],

  validate(object) {
    const names = new Set<string>()
    return driversOf(object).flatMap((driver, index) => {
      const field = `spec.drivers[${index}]`
      const name = driver.name ?? ''
      const isKnown = names.has(name)
      names.add(name)
      return [
        ...csiDriverNameProblems(`${field}.name`, name),
        ...nodeIdProblems(`${field}.nodeID`, driver.nodeID ?? ''),
        ...nonNegative(`${field}.allocatable.count`, driver.allocatable?.count),
        ...(isKnown ? [duplicate(`${field}.name`, name)] : []),
        ...topologyKeyProblems(field, driver.topologyKeys ?? []),
      ]
    })
  },

  // Entries are added and removed; an entry is immutable, except for the number of volumes the node can attach.
  validateUpdate(object, old) {
    const before = new Map(driversOf(old).map((driver) => [driver.name, driver]))
    return driversOf(object).flatMap((driver) => {
      const known = before.get(driver.name)
      return known === undefined ? [] : immutable('spec.drivers', withoutAllocatable(driver), withoutAllocatable(known))
    })
  },
})

const driversOf = ({ spec }: Loose<CSINode>): readonly Driver[] => spec?.drivers ?? []

const withoutAllocatable = ({ allocatable: _allocatable, ...rest }: Driver): Driver => rest

function nodeIdProblems(field: string, id: string): FieldProblem[] {
  if (id === '') return [required(field)]
  return Buffer.byteLength(id) > MOST_NODE_ID_BYTES
    ? [invalid(field, id, `must be ${MOST_NODE_ID_BYTES} characters or less`)]
    : []
}

function topologyKeyProblems(field: string, keys: readonly (string | undefined)[]): FieldProblem[] {
  const seen = new Set<string>()
  return keys.flatMap((key = '') => {
    const isKnown = seen.has(key)
    seen.add(key)
    return [
      ...(key === '' ? [required(field)] : []),
      ...(isKnown ? [duplicate(field, key)] : []),
      ...invalidFor(field, key, validateQualifiedName(key)),
    ]
  })
}
