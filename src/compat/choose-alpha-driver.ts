import type { AlphaCSIDriver } from './alpha-csi-driver.ts'
import { driverNamedBy } from './alpha-csi-driver.ts'

export type AlphaChoice = {
  /** The object that counts. */
  readonly chosen: AlphaCSIDriver | undefined
  /** Objects about the same driver that don't. */
  readonly ignored: readonly AlphaCSIDriver[]
}

/** Which object speaks for a driver: the one that bears its name, else the oldest. `claims` may hold objects of other drivers. */
export function chooseAlphaDriver(driver: string, claims: Iterable<AlphaCSIDriver>): AlphaChoice {
  const [chosen, ...ignored] = [...claims]
    .filter((claim) => driverNamedBy(claim) === driver)
    .sort((one, other) => compareClaims(driver, one, other))
  return { chosen, ignored }
}

function compareClaims(driver: string, { metadata: one }: AlphaCSIDriver, { metadata: other }: AlphaCSIDriver): number {
  const bearsName = Number(other.name === driver) - Number(one.name === driver)
  // Times have whole seconds: of two from the same one the name decides, so that everybody chooses alike.
  return (
    bearsName ||
    compareText(one.creationTimestamp ?? '', other.creationTimestamp ?? '') ||
    compareText(one.name ?? '', other.name ?? '')
  )
}

const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
