import { pickPrefixed } from '../base/options/index.ts'
import { startAttachDetach } from './attach-detach/index.ts'
import { binderOptions, startBinder } from './binder/index.ts'
import type { ControllerWorld, WorkingController } from './cluster-controller.ts'
import { OWN_SCHEDULER_OPTIONS } from './controllers-options.ts'
import type { ControllersConfig } from './controllers-options.ts'
import { ephemeralOptions, startEphemeral } from './ephemeral/index.ts'
import { startExpansion } from './expansion/index.ts'
import { protectionOptions, startProtection } from './protection/index.ts'
import { registryOptions, startRegistry } from './registry/index.ts'
import { startScheduler } from './scheduler/index.ts'

/** A controller as the process sees it; its options are bound already. */
export type ControllerDefinition = {
  readonly name: ControllerName
  /** Of the events that it makes: those of upstream, so that people find them where they look. */
  readonly component: string
  start(world: ControllerWorld, signal: AbortSignal): Promise<WorkingController>
}

export const CONTROLLER_NAMES = [
  'binder',
  'scheduler',
  'attach-detach',
  'protection',
  'ephemeral',
  'expansion',
  'registry',
] as const
export type ControllerName = (typeof CONTROLLER_NAMES)[number]

/** All controllers, by what was given on the command line. */
export function controllerDefinitions(
  config: ControllersConfig,
  given: ReadonlySet<string> = new Set(),
): readonly ControllerDefinition[] {
  const parsed = { config, given }
  const scheduler = { ...pickPrefixed(parsed, OWN_SCHEDULER_OPTIONS, 'scheduler'), schedulerName: config.schedulerName }
  const binder = pickPrefixed(parsed, binderOptions, 'binder')
  const attachDetach = { ...config, skipAttach: config.featureGates.CSISkipAttach }
  const registry = { ...pickPrefixed(parsed, registryOptions, 'registry'), gates: config.featureGates }
  return [
    {
      name: 'binder',
      component: 'persistentvolume-controller',
      start: (world, signal) => startBinder(binder, world, signal),
    },
    {
      name: 'scheduler',
      component: config.schedulerName,
      start: (world, signal) => startScheduler(scheduler, world, signal),
    },
    {
      name: 'attach-detach',
      component: 'attachdetach-controller',
      start: (world, signal) => startAttachDetach(attachDetach, world, signal),
    },
    {
      name: 'protection',
      component: 'pvc-protection-controller',
      start: (world, signal) => startProtection(pickPrefixed(parsed, protectionOptions, 'protection'), world, signal),
    },
    {
      name: 'ephemeral',
      component: 'ephemeral_volume',
      start: (world, signal) => startEphemeral(pickPrefixed(parsed, ephemeralOptions, 'ephemeral'), world, signal),
    },
    { name: 'expansion', component: 'volume_expand', start: (world, signal) => startExpansion({}, world, signal) },
    {
      name: 'registry',
      component: 'csi-driver-registry',
      start: (world, signal) => startRegistry(registry, world, signal),
    },
  ]
}

/**
 * Which controllers a list of words means: names, `*` for all, `-name` for all but that one; as of the controller manager of Kubernetes. The
 * words that mean nothing are given back too.
 */
export function chooseControllers(words: readonly string[]): {
  chosen: readonly ControllerName[]
  unknown: readonly string[]
} {
  const isKnown = (name: string): boolean => (CONTROLLER_NAMES as readonly string[]).includes(name)
  const unknown = words.filter((word) => word !== '*' && !isKnown(word.replace(/^-/, '')))
  const isOn = (name: ControllerName): boolean =>
    !words.includes(`-${name}`) &&
    (words.includes(name) || words.includes('*') || words.every((word) => word.startsWith('-')))
  return { chosen: CONTROLLER_NAMES.filter(isOn), unknown }
}
