import { addFinalizerPatch, dropFinalizerPatch } from '../../api/finalizers.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { defineController, keyIfPresent, on, patchAsSeen } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import { PV_PROTECTION } from '../../storage/names.ts'
import { nextVolumeProtectionStep } from './next-volume-protection-step.ts'
import type { ProtectionConfig } from './protection-options.ts'

/** Keeps volumes that claims use from being deleted. */
export function defineVolumeProtection(config: ProtectionConfig, { api, follow, createQueue }: ControllerRole) {
  const volumes = follow(PERSISTENT_VOLUMES)
  return defineController({
    name: 'volume-protection',
    queue: createQueue({ name: 'protection-volumes', lanes: { default: config.workers } }),
    watch: [on(volumes, keyIfPresent)],
    view: (name) => {
      const volume = volumes.get(name)
      return volume && { seen: { volume } }
    },
    decide: nextVolumeProtectionStep,
    perform: {
      'add-finalizer': (_step, { view: { seen } }) =>
        patchAsSeen(
          api,
          PERSISTENT_VOLUMES,
          seen.volume,
          addFinalizerPatch(seen.volume, PV_PROTECTION, { form: 'json' }),
        ),
      'remove-finalizer': (_step, { view: { seen } }) =>
        patchAsSeen(api, PERSISTENT_VOLUMES, seen.volume, dropFinalizerPatch(seen.volume, PV_PROTECTION)),
    },
  })
}
