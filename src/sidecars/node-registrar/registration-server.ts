import type { Logger } from '../../base/logger.ts'
import { createDispatcher } from '../../csi/kit/index.ts'
import type { Dispatcher } from '../../csi/kit/index.ts'
import { CSI_REGISTRATION_SERVICE, REGISTRATION_SERVICE } from '../../csi/rpc.ts'
import type { RegistrationMethods } from '../../csi/rpc.ts'

/** What the node agent has made of the driver. */
export type RegistrationOutcome = { readonly registered: true } | { readonly registered: false; readonly error: string }

export type RegistrationServerParts = {
  readonly driverName: string
  /** The driver's socket as the node agent sees it. */
  readonly endpoint: string
  readonly requiresPublishPod: boolean
  readonly log: Logger
  onOutcome(outcome: RegistrationOutcome): void
}

// The version of the contract between registrar and node agent, not that of CSI.
const SUPPORTED_VERSIONS = ['1.0.0']

/** The two services of a registration socket. Today's node agents call the first alone. */
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
        onOutcome(pluginRegistered ? { registered: true } : { registered: false, error })
        return Promise.resolve({})
      },
      getCSIDriverInfo: () => Promise.resolve({ csiEndpoint: endpoint, options: { requiresPublishPod } }),
    },
  })
}
