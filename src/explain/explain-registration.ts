import { CSI_DRIVERS } from '../api/kinds/csi-driver.ts'
import { CSI_NODES } from '../api/kinds/csi-node.ts'
import type { ClusterReader } from './cluster-reader.ts'
import type { Link } from './explanation.ts'
import { byAge } from './last-error.ts'
import { readyLink, waitingLink } from './links.ts'
import { readNodeId } from './read-node-id.ts'
import { REASONS } from './reasons.ts'
import { SCOPE_REASONS } from './scope-reasons.ts'

/** Whether a driver is registered on a node. */
export async function explainRegistration(driver: string, nodeName: string, reader: ClusterReader): Promise<Link> {
  const object = { kind: 'CSINode', name: nodeName }
  const title = `driver ${driver} on node ${nodeName}`
  const read = await readNodeId(reader, nodeName, driver)
  // An object that may not be read is not reported as the cause.
  if (read.kind === 'unseen') return readyLink(object, 'not visible', { title })
  if (read.id !== undefined) return readyLink(object, 'registered', { title })
  const csiDriver = await reader.get(CSI_DRIVERS, { name: driver })
  const isKnown =
    csiDriver.kind !== 'absent' ||
    ((await reader.list(CSI_NODES)) ?? []).some(({ spec }) => spec.drivers?.some(({ name }) => name === driver))
  const refused = await findRefusal(driver, nodeName, reader)
  if (refused !== undefined)
    return waitingLink(object, 'not registered', SCOPE_REASONS.registrationRefused(driver, nodeName, refused), {
      title,
    })
  const reason = (isKnown ? REASONS.driverNotRegistered : REASONS.driverUnknown)(driver, nodeName)
  return waitingLink(object, 'not registered', reason, { title })
}

/** What a Holdfast node says about a driver that it cannot register. */
async function findRefusal(driver: string, nodeName: string, reader: ClusterReader): Promise<string | undefined> {
  const [newest] = (await reader.eventsOf({ kind: 'Node', name: nodeName }))
    .filter(({ reason, message = '' }) => reason === 'DriverRegistrationFailed' && message.includes(driver))
    .sort(byAge)
  return newest?.message
}
