import { LONGEST_CSI_DRIVER_NAME, validateCsiDriverName } from '../../../api/csi-driver-name.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalidFor, required, tooLong } from './problems.ts'

/** The name of a CSI driver wherever one is given. */
export function csiDriverNameProblems(field: string, name: string | undefined): FieldProblem[] {
  if (!name) return [required(field)]
  if (Buffer.byteLength(name) > LONGEST_CSI_DRIVER_NAME) return [tooLong(field, LONGEST_CSI_DRIVER_NAME)]
  return invalidFor(field, name, validateCsiDriverName(name))
}
