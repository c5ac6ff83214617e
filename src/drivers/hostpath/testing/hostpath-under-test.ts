import assert from 'node:assert/strict'
import { createSimulatedHost, makeDirectories } from '../../../base/host/index.ts'
import type { Host, SimulatedHost, SimulatedHostOptions } from '../../../base/host/index.ts'
import { createSilentLogger } from '../../../base/logger.ts'
import { createSeededRandom } from '../../../base/random.ts'
import { createSimulatedClock } from '../../../base/simulated-clock.ts'
import type { SimulatedClock } from '../../../base/simulated-clock.ts'
import { VolumeCapability_AccessMode_Mode as AccessMode } from '../../../csi/generated/csi/v1/csi.ts'
import type { DeepPartial, VolumeCapability } from '../../../csi/generated/csi/v1/csi.ts'
import { isCsiError, joinDriver } from '../../../csi/index.ts'
import type { Code, Driver } from '../../../csi/index.ts'
import { createLockTable } from '../../../csi/kit/index.ts'
import { createHostpathDriver } from '../driver.ts'
import { openHostpath } from '../hostpath.ts'
import type { Hostpath, HostpathNode } from '../hostpath.ts'

export const ROOT = '/data/driver'
export const MIB = 1024n * 1024n
export const GIB = 1024n * MIB

export type DriverUnderTest = {
  readonly machine: SimulatedHost
  readonly clock: SimulatedClock
  readonly hostpath: Hostpath
  /** The driver of the first node. */
  readonly driver: Driver
  /** The driver of a node. */
  on(nodeId: string): Driver
}

export type DriverOptions = {
  machine?: SimulatedHost
  /** The part of the machine that the driver sees. Default: all of it. */
  host?: Host
  /** Default: node-1, without topology and limit. */
  nodes?: (Partial<HostpathNode> & { id: string })[]
  attach?: boolean
  publish?: 'auto' | 'bind' | 'link'
  capacityBytes?: bigint
  seed?: number
}

/** A machine with the durable directories of a node agent. */
export async function startMachine(
  options: Partial<SimulatedHostOptions> & { seed?: number } = {},
): Promise<SimulatedHost> {
  const machine = createSimulatedHost({ random: createSeededRandom(options.seed ?? 1), ...options })
  for (const directory of ['/pods', '/staging']) await makeDirectories(machine.files, directory)
  return machine
}

/** The whole driver with the kit's checks, joined in memory. It can be opened repeatedly on the same machine. */
export async function openDriver(options: DriverOptions = {}): Promise<DriverUnderTest> {
  const machine = options.machine ?? (await startMachine())
  const clock = createSimulatedClock()
  const hostpath = await openHostpath({
    root: ROOT,
    host: options.host ?? machine,
    clock,
    random: createSeededRandom(options.seed ?? 7),
    log: createSilentLogger(),
    ...(options.capacityBytes === undefined ? {} : { capacityBytes: options.capacityBytes }),
  })
  const locks = createLockTable()
  const drivers = new Map<string, Driver>()
  for (const node of options.nodes ?? [{ id: 'node-1' }]) {
    const { server } = await createHostpathDriver({
      hostpath,
      node: { topology: {}, attachLimit: 0, ...node },
      name: 'hostpath.example.org',
      version: '1.0.0',
      attach: options.attach ?? false,
      publish: options.publish ?? 'auto',
      locks,
    })
    drivers.set(node.id, joinDriver(server, { clock }))
  }
  const on = (nodeId: string): Driver => drivers.get(nodeId) ?? assert.fail(`there is no driver on ${nodeId}`)
  return { machine, clock, hostpath, driver: on([...drivers.keys()][0] ?? ''), on }
}

type Mode = keyof typeof AccessMode
export const asMount = (mode: Mode = 'SINGLE_NODE_WRITER', fsType = ''): DeepPartial<VolumeCapability> => ({
  accessType: { $case: 'mount', value: { fsType } },
  accessMode: { mode: AccessMode[mode] },
})
export const asBlock = (mode: Mode = 'SINGLE_NODE_WRITER'): DeepPartial<VolumeCapability> => ({
  accessType: { $case: 'block', value: {} },
  accessMode: { mode: AccessMode[mode] },
})

export const fromVolume = (volumeId: string) => ({ type: { $case: 'volume' as const, value: { volumeId } } })
export const fromSnapshot = (snapshotId: string) => ({ type: { $case: 'snapshot' as const, value: { snapshotId } } })

export type Made = { volumeId: string; volumeCapability: DeepPartial<VolumeCapability> }

/** Creates a volume of 1 MiB. */
export async function makeVolume(
  driver: Driver,
  name: string,
  use = asMount(),
  more: Parameters<Driver['createVolume']>[0] = {},
): Promise<Made> {
  const { volume } = await driver.createVolume({
    name,
    volumeCapabilities: [use],
    capacityRange: { requiredBytes: MIB },
    ...more,
  })
  return { volumeId: volume?.volumeId ?? '', volumeCapability: use }
}

/** The arguments of NodeStageVolume and similar calls; creates the directory, as the node agent does. */
export async function stagingOf(machine: Host, { volumeId, volumeCapability }: Made) {
  const stagingTargetPath = `/staging/${volumeId}`
  await makeDirectories(machine.files, stagingTargetPath)
  return { volumeId, volumeCapability, stagingTargetPath }
}

/** Stages a volume on its first node and publishes it at the target, which is returned. */
export async function useVolume(driver: Driver, machine: Host, made: Made, target: string): Promise<string> {
  const staging = await stagingOf(machine, made)
  await driver.nodeStageVolume(staging)
  await driver.nodePublishVolume({ ...staging, targetPath: target })
  return target
}

/** Undoes `useVolume`. */
export async function releaseVolume(driver: Driver, { volumeId }: Made, target: string): Promise<void> {
  await driver.nodeUnpublishVolume({ volumeId, targetPath: target })
  await driver.nodeUnstageVolume({ volumeId, stagingTargetPath: `/staging/${volumeId}` })
}

/** Asserts that the call fails with this code and detail. */
export async function fails(call: Promise<unknown>, code: Code, detail?: RegExp): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(isCsiError(error, code), `expected ${code}, got ${String(error)}`)
    if (detail) assert.match((error as Error).message, detail)
    return true
  })
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const readText = async (host: Host, path: string): Promise<string> =>
  new TextDecoder().decode(await host.files.readFile(path))
