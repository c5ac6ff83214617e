import { flag } from '../../base/options/index.ts'
import type { OptionTable } from '../../base/options/index.ts'

/** The flags that `node` and `up` share. Their keys are those of `RegistrationConfig`. */
export const registrationOptions = {
  createCsiDrivers: flag(
    false,
    'Create the CSIDriver object of a driver that registers and has none. An existing object is never changed. Nodes need permission to create CSIDrivers.',
    {
      flag: 'create-csidrivers',
    },
  ),
  assumeDriverSockets: flag(
    false,
    'Also use ROOT/plugins/NAME/csi.sock as the socket of driver NAME while no registrar has registered that driver.',
    { flag: 'probe-driver-sockets' },
  ),
  overwriteOwnLabels: flag(
    false,
    'Let a driver change the value of a topology label that it wrote last. By default, a label with another value fails the registration.',
    {
      flag: 'overwrite-topology-labels',
    },
  ),
} satisfies OptionTable

/** What these flags say of the registration. */
export const pickRegistration = ({
  createCsiDrivers,
  assumeDriverSockets,
  overwriteOwnLabels,
}: { readonly [Key in keyof typeof registrationOptions]: boolean }) => ({
  createCsiDrivers,
  assumeDriverSockets,
  overwriteOwnLabels,
})
