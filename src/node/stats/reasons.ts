import { reason } from '../../api/reason.ts'

/** Why a driver is not asked about a volume. */
export const REASONS = {
  notMounted: reason('NotMounted', 'the volume is not mounted'),
  notRegistered: reason('DriverNotRegistered', 'the driver is not registered on this node'),
  notReported: reason('StatsNotReported', 'the driver reports neither usage nor health'),
  measured: reason('StatsMeasured', 'the driver was asked recently'),
}
