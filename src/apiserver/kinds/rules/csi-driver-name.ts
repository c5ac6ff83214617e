import { LONGEST_CSI_DRIVER_NAME } from '../../../api/csi-driver-name.ts'
import { validateDnsSubdomain } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalidFor, required, tooLong } from './problems.ts'

/** The name of a CSI driver wherever one is given. */
export function csiDriverNameProblems(field: string, name: string | undefined): FieldProblem[] {
  if (!name) return [required(field)]
  if (Buffer.byteLength(name) > LONGEST_CSI_DRIVER_NAME)
    return [tooLong(field, LONGEST_CSI_DRIVER_NAME), ...invalidFor(field, name, caselessProblems(name))]
  return invalidFor(field, name, caselessProblems(name))
}

// Some letters outside of ASCII have a lowercase form in it.
const caselessProblems = (name: string): string[] =>
  validateDnsSubdomain(/^[\0-\x7f]*$/.test(name) ? name.toLowerCase() : name)
