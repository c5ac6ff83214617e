/** The numbers of a version, the most important first. */
export type DriverVersion = readonly number[]

/** `1.0.0` and `v1.2` as numbers; undefined for what is none, such as a single number. What follows the numbers is of no interest. */
export function parseDriverVersion(text: string): DriverVersion | undefined {
  const match = /^v?(\d{1,9}(?:\.\d{1,9})+)/.exec(text.trim())
  return match?.[1]?.split('.').map(Number)
}

/** Below zero when the first is the lower one. */
export function compareDriverVersions(a: DriverVersion, b: DriverVersion): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

/** The highest that is understood here: major 1. Others, and what is no version, are passed over. */
export function findSupportedVersion(versions: readonly string[]): DriverVersion | undefined {
  return versions
    .map(parseDriverVersion)
    .filter((version) => version?.[0] === 1)
    .reduce(
      (highest, version) => (!highest || (version && compareDriverVersions(version, highest) > 0) ? version : highest),
      undefined,
    )
}
