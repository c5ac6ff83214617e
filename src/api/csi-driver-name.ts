import { validateDnsSubdomain } from './names.ts'

export const LONGEST_CSI_DRIVER_NAME = 63

/**
 * Problems with the name of a CSI driver: it must be a domain name in any case, of at most 63 characters. A valid name can be used unchanged in a
 * path, a label or an annotation.
 */
export function validateCsiDriverName(name: string): string[] {
  if (name === '') return ['must not be empty']
  // Checked before the case is changed: some non-ASCII letters have an ASCII lowercase form.
  if (!/^[\x21-\x7e]+$/.test(name)) return ['must consist of letters, digits, dashes and dots']
  if (name.length > LONGEST_CSI_DRIVER_NAME) return [`must be no more than ${LONGEST_CSI_DRIVER_NAME} characters`]
  return validateDnsSubdomain(name.toLowerCase())
}

const LONGEST_QUOTE = 100

/** The name that the driver at a socket reports, if it is valid; otherwise throws an error with the driver, the socket and the rule. */
export function requireCsiDriverName(name: string, socket: string): string {
  const [problem] = validateCsiDriverName(name)
  if (problem === undefined) return name
  const quoted = JSON.stringify(
    (name.length > LONGEST_QUOTE ? `${name.slice(0, LONGEST_QUOTE)}…` : name).toWellFormed(),
  )
  throw new Error(
    `the CSI driver at ${socket} has an invalid name: GetPluginInfo returned ${quoted}: ${problem}. Fix the name in the driver.`,
  )
}
