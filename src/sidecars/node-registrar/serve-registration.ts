import { removeFileIfPresent } from '../../base/host/index.ts'
import type { HostFiles } from '../../base/host/index.ts'
import { isCsiError } from '../../csi/csi-error.ts'
import { createDispatcher } from '../../csi/kit/index.ts'
import type { Dispatcher, RunningServer } from '../../csi/kit/index.ts'
import { CSI_REGISTRATION_SERVICE, REGISTRATION_SERVICE } from '../../csi/rpc.ts'
import type { RegistrationMethods } from '../../csi/rpc.ts'
import type { Sockets } from '../../csi/sockets.ts'
import type { RoleWorld } from '../../kube/process/role-world.ts'
import { textAnswer } from '../../kube/process/serve-http.ts'
import type { HttpAnswer } from '../../kube/process/serve-http.ts'

type RegistrationServerParts = {
  readonly driverName: string
  /** The driver's socket as the node agent sees it. */
  readonly endpoint: string
  readonly requiresPublishPod: boolean
  readonly log: RoleWorld['log']
  /** With the error of the node agent; undefined if it has registered the driver. */
  onOutcome(error: string | undefined): void
}

// The version of the contract between registrar and node agent, not that of CSI.
const SUPPORTED_VERSIONS = ['1.0.0']

/** The two services of a registration socket. Current node agents call only the first. */
export function createRegistrationServer({
  driverName,
  endpoint,
  requiresPublishPod,
  log,
  onOutcome,
}: RegistrationServerParts): Dispatcher {
  return createDispatcher<RegistrationMethods>({
    services: [REGISTRATION_SERVICE, CSI_REGISTRATION_SERVICE],
    log,
    handlers: {
      getInfo: () =>
        Promise.resolve({ type: 'CSIPlugin', name: driverName, endpoint, supportedVersions: SUPPORTED_VERSIONS }),
      notifyRegistrationStatus: ({ pluginRegistered, error }) => {
        onOutcome(pluginRegistered ? undefined : error)
        return Promise.resolve({})
      },
      getCSIDriverInfo: () => Promise.resolve({ csiEndpoint: endpoint, options: { requiresPublishPod } }),
    },
  })
}

export type NodeRegistrarParts = Pick<RoleWorld, 'clock' | 'random' | 'log'> & { files: HostFiles; sockets: Sockets }

const DIAL_TIMEOUT_MS = 1000

/** Serves the registration socket, accessible to its owner only. Replaces another registrar of this driver, for example during a rolling update. */
export async function serveRegistration(
  path: string,
  server: Dispatcher,
  { files, sockets, log }: NodeRegistrarParts,
): Promise<RunningServer> {
  if ((await files.findStat(path))?.kind === 'socket' && (await isServed(path, sockets))) {
    log.warn('replacing another registrar that serves the socket', { path })
    await removeFileIfPresent(files, path)
  }
  return sockets.serve(path, server)
}

/** Only a refused connection proves that no registrar is there. */
async function isServed(path: string, sockets: Sockets): Promise<boolean> {
  const { registrar, connection } = sockets.connectRegistrar(path, { timeoutMs: DIAL_TIMEOUT_MS })
  try {
    await registrar.getInfo({})
    return true
  } catch (error) {
    return !(isCsiError(error, 'UNAVAILABLE') && connection.state().kind === 'connecting')
  } finally {
    connection.close()
  }
}

/** Checks that our socket exists and that we answer on it. 404 means that it is gone: a restart creates it again. */
export async function checkRegistration(
  path: string,
  driverName: string,
  timeoutMs: number,
  { files, sockets }: NodeRegistrarParts,
): Promise<HttpAnswer> {
  try {
    if (path === '' || !(await files.findStat(path)))
      return textAnswer(404, `registration socket ${path} does not exist`)
    const { registrar, connection } = sockets.connectRegistrar(path, { timeoutMs })
    const { name } = await registrar.getInfo({}).finally(() => connection.close())
    if (name === driverName) return textAnswer(200, 'ok')
    return textAnswer(500, `the registration socket belongs to another driver: ${name}`)
  } catch (error) {
    return textAnswer(500, error instanceof Error ? error.message : String(error))
  }
}
