import { join } from 'node:path'
import type { Pod } from '../../api/kinds/pod.ts'
import { ZONE_KEY } from '../start-drivers.ts'
import type { CallHappening, DemoView } from './happening.ts'
import type { Evidence } from './demo-step.ts'

/** The questions that steps ask, by name. */
export const findPod = ({ pods }: DemoView, name: string): Pod | undefined =>
  pods.find(({ metadata }) => metadata.name === name)
export const isRunning = (view: DemoView, name: string): boolean => findPod(view, name)?.status?.phase === 'Running'

/** The last call of the name that ended well. */
const findCall = ({ calls }: Pick<Evidence, 'calls'>, rpc: string): CallHappening | undefined =>
  calls.findLast((call) => call.rpc === rpc && call.code === 'OK')

/** A map of the last such call's request. */
export function mapOf(
  evidence: Pick<Evidence, 'calls'>,
  rpc: string,
  field: string,
): Readonly<Record<string, unknown>> {
  const map = findCall(evidence, rpc)?.request[field]
  return typeof map === 'object' && map !== null ? { ...map } : {}
}

/** A text of the last such call's request. */
export function textOf(evidence: Pick<Evidence, 'calls'>, rpc: string, field: string): string {
  const text = findCall(evidence, rpc)?.request[field]
  return typeof text === 'string' ? text : ''
}

/** The zones of a requirement of the last CreateVolume, in order. */
export function zonesIn(evidence: Pick<Evidence, 'calls'>, member: 'requisite' | 'preferred'): string[] {
  const places = mapOf(evidence, 'CreateVolume', 'accessibility_requirements')[member]
  return Array.isArray(places)
    ? places.map((place: { segments?: Readonly<Record<string, string>> }) => place.segments?.[ZONE_KEY] ?? '')
    : []
}

/** Ids of the volumes that the driver has on its disk. */
export async function volumesOnDisk({ host, directory }: Evidence): Promise<string[]> {
  return (await host.files.list(join(directory, 'volumes', 'volumes'))).map(({ name }) => name)
}

/** Ids of the snapshots that the driver has on its disk. */
export async function snapshotsOnDisk({ host, directory }: Evidence): Promise<string[]> {
  return (await host.files.list(join(directory, 'volumes', 'snapshots'))).map(({ name }) => name)
}

/** Of the driver's volumes and of pods. */
export async function mountsBelow({ host, directory }: Evidence): Promise<string[]> {
  return (await host.mounts.list()).map(({ target }) => target).filter((target) => target.startsWith(`${directory}/`))
}

/** Of all nodes. */
export async function podDirectories({ host, directory }: Evidence): Promise<string[]> {
  const nodes = (await host.files.list(directory)).filter(({ name }) => name.startsWith('node-'))
  return (await Promise.all(nodes.map(({ name }) => host.files.list(join(directory, name, 'pods')))))
    .flat()
    .map(({ name }) => name)
}

/** What is written through the path of a pod is in the volume. */
export async function isSameFile({ host, directory }: Evidence, target: string, volumeId: string): Promise<boolean> {
  const note = `written to ${volumeId}`
  await host.files.writeFile(join(target, 'note'), Buffer.from(note))
  return (await noteOf({ host }, join(directory, 'volumes', 'volumes', volumeId, 'data'))) === note
}

/** What was written into a volume, as it is found in a directory. */
export async function noteOf({ host }: Pick<Evidence, 'host'>, directory: string): Promise<string> {
  return Buffer.from(await host.files.readFile(join(directory, 'note'))).toString()
}
