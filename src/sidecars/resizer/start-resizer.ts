import { PERSISTENT_VOLUME_CLAIMS } from '../../api/kinds/persistent-volume-claim.ts'
import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import { VOLUME_ATTRIBUTES_CLASSES } from '../../api/kinds/volume-attributes-class.ts'
import { keyOf } from '../../api/object-key.ts'
import { backoffOf } from '../../base/backoff.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import { on, startControllers, topicOf } from '../../kube/controller/index.ts'
import { limitDriver, workersOf } from '../limit-driver.ts'
import type { SidecarRole, StartRole } from '../role.ts'
import { defineExpandController } from './expand-controller.ts'
import { defineModifyController } from './modify-controller.ts'
import type { ResizerConfig } from './resizer-options.ts'
import type { ResizerParts } from './resizer-parts.ts'

const BY_VOLUME = 'resizer/volume'

/** The external resizer: volumes get the size and the VolumeAttributesClass that their claims request. */
export const startResizer: StartRole<ResizerConfig> = (config, parts, signal) =>
  startControllers(parts, signal, (role) => assemble(config, role))

async function assemble(config: ResizerConfig, role: SidecarRole) {
  const { facts } = role
  const workers = workersOf(config.workers, 10)
  const driver = limitDriver(role.driver, role.clock, workers)
  const canExpand = facts.controller.has(Capability.EXPAND_VOLUME)
  const isNodeOnly = facts.expandsOnNodeOnly
  const canModify = facts.controller.has(Capability.MODIFY_VOLUME) && config.featureGates.VolumeAttributesClass
  role.log.info('resizer is working', { expands: canExpand, expandsOnNodeOnly: isNodeOnly, modifies: canModify })

  const backoff = backoffOf(config)
  const claims = role.follow(PERSISTENT_VOLUME_CLAIMS, {
    indexes: { [BY_VOLUME]: ({ spec }) => (spec.volumeName ? [spec.volumeName] : []) },
  })
  const volumes = role.follow(PERSISTENT_VOLUMES)
  const claimsOf = (volumeName: string): string[] => claims.byIndex(BY_VOLUME, volumeName).map(keyOf)
  const createParts = (name: string, mayConcern: (claim: PersistentVolumeClaim) => boolean): ResizerParts => ({
    driver,
    driverName: facts.name,
    config,
    capabilityRules: {
      singleNodeMultiWriter: facts.controller.has(Capability.SINGLE_NODE_MULTI_WRITER),
      defaultFstype: '',
    },
    queue: role.createQueue({ name, lanes: { default: workers.passes }, backoff }),
    // Most claims never change again: they cost one comparison here, and no pass.
    watch: [
      on(claims, ({ key, before, after }) => ((after ? mayConcern(after) : before) ? key : undefined)),
      on(volumes, ({ key, after }) => (after?.spec.csi?.driver === facts.name ? claimsOf(key) : undefined)),
    ],
    claims,
    volumes,
  })
  const definitions = []
  if (canExpand || isNodeOnly) {
    const rules = {
      isNodeOnly,
      avoidsUsedVolumes: config.handleVolumeInuseError,
      annotatesFsResize: config.featureGates.AnnotateFsResize,
    }
    definitions.push(defineExpandController(role, createParts('csi-resizer-pvc', isBound), rules))
  }
  if (canModify) {
    const classes = await role.followOptional(VOLUME_ATTRIBUTES_CLASSES, ({ key }) =>
      role.report(topicOf(VOLUME_ATTRIBUTES_CLASSES.kind, key)),
    )
    definitions.push(defineModifyController(role, createParts('csi-modifier-pvc', mayModify), classes))
  }
  return definitions
}

const isBound = ({ status }: PersistentVolumeClaim): boolean => status?.phase === 'Bound'

const mayModify = ({ spec, status }: PersistentVolumeClaim): boolean =>
  status?.phase === 'Bound' &&
  ((status.modifyVolumeStatus ?? undefined) !== undefined ||
    (spec.volumeAttributesClassName ?? '') !== (status.currentVolumeAttributesClassName ?? ''))
