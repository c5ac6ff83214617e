import type { CallOptions } from '../../csi/call-options.ts'
import { ControllerServiceCapability_RPC_Type as Capability } from '../../csi/generated/csi/v1/csi.ts'
import type { Driver } from '../../csi/rpc.ts'
import { readPages } from '../read-pages.ts'
import { reportOfCondition, reportOfHealth } from './health-report.ts'
import type { HealthReport } from './health-report.ts'

/** `unlisted`: a list of only abnormal volumes is complete and does not contain this one. */
export type Finding = HealthReport | { readonly kind: 'unlisted' }

/** The calls of a driver that report the health of its volumes. */
export type HealthCalls = {
  /** The name of the call, for messages. */
  readonly name: string
  /** The driver's reports about the wanted handles. The condition of a volume that is left out is unknown. */
  readonly list?: ListCall
  /** What the driver says about one volume. */
  readonly get?: GetCall
}

type ListCall = (
  driver: Driver,
  wanted: ReadonlySet<string>,
  options: CallOptions,
) => Promise<ReadonlyMap<string, Finding>>
type GetCall = (driver: Driver, volumeId: string, options: CallOptions) => Promise<HealthReport | undefined>

/** The best calls that the driver has: those of CSI 1.13 first, and lists first. Undefined if it has none. */
export function findHealthCalls(controller: ReadonlySet<Capability>): HealthCalls | undefined {
  const has = (...all: readonly Capability[]): boolean => all.every((capability) => controller.has(capability))
  if (has(Capability.LIST_VOLUME_HEALTH))
    return { name: 'ControllerListVolumeHealth', list: listHealth, get: getHealth }
  if (has(Capability.GET_VOLUME_HEALTH)) return { name: 'ControllerGetVolumeHealth', get: getHealth }
  if (has(Capability.VOLUME_CONDITION, Capability.LIST_VOLUMES)) return { name: 'ListVolumes', list: listConditions }
  if (has(Capability.VOLUME_CONDITION, Capability.GET_VOLUME)) return { name: 'ControllerGetVolume', get: getCondition }
  return undefined
}

const listHealth: ListCall = async (driver, wanted, options) => {
  const found = new Map<string, Finding>(Array.from(wanted, (handle) => [handle, { kind: 'unlisted' }]))
  const readPage = (startingToken: string) => driver.controllerListVolumeHealth({ startingToken }, options)
  await readPages('ControllerListVolumeHealth', readPage, ({ entries }) => {
    for (const health of entries) if (wanted.has(health.volumeId)) found.set(health.volumeId, reportOfHealth(health))
  })
  return found
}

const getHealth: GetCall = async (driver, volumeId, options) => {
  const { volumeHealth } = await driver.controllerGetVolumeHealth({ volumeId }, options)
  // A response about another volume, or about none, says nothing about this one.
  return volumeHealth?.volumeId === volumeId ? reportOfHealth(volumeHealth) : undefined
}

const listConditions: ListCall = async (driver, wanted, options) => {
  const found = new Map<string, Finding>()
  const readPage = (startingToken: string) => driver.listVolumes({ startingToken }, options)
  await readPages('ListVolumes', readPage, ({ entries }) => {
    for (const { volume, status } of entries) {
      const report = reportOfCondition(status?.volumeCondition)
      if (volume && report && wanted.has(volume.volumeId)) found.set(volume.volumeId, report)
    }
  })
  return found
}

const getCondition: GetCall = async (driver, volumeId, options) =>
  reportOfCondition((await driver.controllerGetVolume({ volumeId }, options)).status?.volumeCondition)
