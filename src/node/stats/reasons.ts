import { defineReasons } from '../../api/reason.ts'

/** Why a driver is not asked about a volume. */
export const REASONS = defineReasons({
  NotMounted: 'the volume is not mounted',
  DriverNotRegistered: 'the driver is not registered on this node',
  StatsNotReported: 'the driver reports neither usage nor health',
  StatsMeasured: 'the driver was asked recently',
})
