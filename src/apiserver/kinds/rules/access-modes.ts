import type { FieldProblem } from '../../core/kind-definition.ts'
import { forbidden, notSupported } from './problems.ts'

const SHORT_FORMS = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' }
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod']

/** Known modes only; ReadWriteOncePod must be the only mode. */
export function accessModeProblems(field: string, modes: readonly string[] | undefined): FieldProblem[] {
  const given = modes ?? []
  const known = given.filter((mode) => ACCESS_MODES.includes(mode))
  const isMixed = known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod')
  return [
    ...given.filter((mode) => !known.includes(mode)).map((mode) => notSupported(field, mode, ACCESS_MODES)),
    ...(isMixed ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')] : []),
  ]
}

/** `RWO,RWX`: without duplicates, in the order of their introduction. */
export const formatAccessModes = (modes: readonly string[] | undefined): string =>
  Object.entries(SHORT_FORMS)
    .filter(([mode]) => modes?.includes(mode))
    .map(([, short]) => short)
    .join(',')
