import type { RegisteredDriver } from '../../compat/alpha-csi-node-info.ts'

export const BY_DRIVER = 'registry/driver'

export const namesOf = (drivers: readonly RegisteredDriver[]): ReadonlySet<string> =>
  new Set(drivers.map(({ name }) => name))

/** Names of drivers that one of the lists has and the other has not. */
export const changedNames = (
  before: readonly RegisteredDriver[],
  after: readonly RegisteredDriver[],
): Iterable<string> => namesOf(before).symmetricDifference(namesOf(after))
