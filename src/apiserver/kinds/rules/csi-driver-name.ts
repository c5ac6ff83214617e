import { validateName } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalidFor, required, tooLong } from './problems.ts'

const MOST_BYTES = 63

/** The name of a CSI driver wherever one is given: a domain name in any case, of at most 63 bytes. */
export function csiDriverNameProblems(field: string, name: string | undefined): FieldProblem[] {
  if (!name) return [required(field)]
  const long = Buffer.byteLength(name) > MOST_BYTES ? [tooLong(field, MOST_BYTES)] : []
  return [...long, ...invalidFor(field, name, validateName('subdomain', name.toLowerCase()))]
}
