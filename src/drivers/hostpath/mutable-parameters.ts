import { CsiError } from '../../csi/csi-error.ts'

// Parameters that ControllerModifyVolume may change. A directory has no performance to tune: the values are validated, stored and reported, so that
// VolumeAttributesClasses can be tried out.
const ALLOWED: ReadonlyMap<string, RegExp> = new Map([
  ['iops', /^[1-9]\d{0,8}$/],
  ['throughput', /^[1-9]\d{0,8}$/],
  ['tier', /^[a-z][a-z0-9-]{0,30}$/],
])

/** INVALID_ARGUMENT for a key or value that cannot be applied; nothing has been changed then. */
export function checkMutableParameters(parameters: Record<string, string>): void {
  const problem = findMutableParameterProblem(parameters)
  if (problem !== undefined) throw new CsiError('INVALID_ARGUMENT', problem)
}

export function findMutableParameterProblem(parameters: Record<string, string>): string | undefined {
  for (const [key, value] of Object.entries(parameters)) {
    const form = ALLOWED.get(key)
    if (!form) return `mutable parameter ${key} is unknown: use ${[...ALLOWED.keys()].join(', ')}`
    if (!form.test(value)) return `mutable parameter ${key} can't be ${JSON.stringify(value)}`
  }
  return undefined
}
