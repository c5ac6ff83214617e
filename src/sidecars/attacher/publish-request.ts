import type { Reason } from '../../api/reason.ts'
import type { VolumeCapability } from '../../csi/generated/csi/v1/csi.ts'
import { accessModeOf } from './access-mode.ts'
import { REASONS } from './reasons.ts'
import type { Source } from './resolve-source.ts'
import type { Target } from './target.ts'

/** What depends on the driver and on the configuration, not on the volume. */
export type PublishRules = {
  /** The driver honours `readonly`. */
  readonly publishReadonly: boolean
  /** The driver knows the newer access modes of a single node. */
  readonly singleNodeMultiWriter: boolean
  readonly defaultFstype: string
}

/** ControllerPublishVolume without the secrets, which are read when the call is made. */
export type PublishRequest = Target & {
  readonly volumeCapability: VolumeCapability
  readonly readonly: boolean
  readonly volumeContext: Readonly<Record<string, string>>
}

export function createPublishRequest(
  { spec, csi, secretRef }: Source,
  nodeId: string,
  rules: PublishRules,
): { request: PublishRequest } | { problem: Reason } {
  const mode = accessModeOf(spec.accessModes ?? [], rules.singleNodeMultiWriter)
  if (mode === undefined)
    return { problem: REASONS.accessModesUnclear({ modes: (spec.accessModes ?? []).join(', ') || 'none' }) }
  const fsType = csi.fsType || rules.defaultFstype
  const mount = { fsType, mountFlags: [...(spec.mountOptions ?? [])], volumeMountGroup: '' }
  return {
    request: {
      volumeHandle: csi.volumeHandle,
      nodeId,
      ...(secretRef ? { secretRef } : {}),
      volumeCapability: {
        accessType: spec.volumeMode === 'Block' ? { $case: 'block', value: {} } : { $case: 'mount', value: mount },
        accessMode: { mode },
      },
      readonly: rules.publishReadonly && (csi.readOnly ?? false),
      volumeContext: csi.volumeAttributes ?? {},
    },
  }
}
