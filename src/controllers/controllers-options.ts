import { featureGates, prefixOptions } from '../base/options/index.ts'
import type { ConfigOf } from '../base/options/index.ts'
import { DRIVER_GATES } from '../api/driver-gates.ts'
import { attachDetachOptions } from './attach-detach/index.ts'
import { binderOptions } from './binder/index.ts'
import { ephemeralOptions } from './ephemeral/index.ts'
import { protectionOptions } from './protection/index.ts'
import { registryOptions } from './registry/index.ts'
import { schedulerOptions } from './scheduler/index.ts'

// Its name is the one that pods use: a prefix would only repeat itself.
const { schedulerName, ...ownSchedulerOptions } = schedulerOptions

/** The flags of all controllers. Those that upstream has have its names; of the others each begins with the name of its controller. */
export const controllersOptions = {
  ...attachDetachOptions,
  schedulerName,
  ...prefixOptions(ownSchedulerOptions, 'scheduler', 'the scheduler'),
  ...prefixOptions(binderOptions, 'binder', 'the binder'),
  ...prefixOptions(ephemeralOptions, 'ephemeral', 'generic ephemeral volumes'),
  ...prefixOptions(protectionOptions, 'protection', 'the protection of claims and volumes'),
  ...prefixOptions(registryOptions, 'registry', 'the driver registry'),
  featureGates: featureGates(DRIVER_GATES, 'Features to enable or disable.'),
}

export const OWN_SCHEDULER_OPTIONS = ownSchedulerOptions
export type ControllersConfig = ConfigOf<typeof controllersOptions>
