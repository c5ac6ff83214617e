import { because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import type { Denial } from './doctor-facts.ts'

const registryOf = (rootDir: string): string => `${rootDir}/plugins_registry`

export const REASONS = defineReasons({
  KubeletDirectoryMissing: (rootDir: string) =>
    because(`${registryOf(rootDir)} does not exist`, {
      cure: 'Start the kubelet, which creates it. If the kubelet has another directory, name it with --kubelet-dir.',
    }),
  RegisteredElsewhere: (driver: string, path: string, rootDir: string) =>
    because(`driver ${driver} is registered with ${path}, but the kubelet uses ${rootDir}`, {
      detail: { driver },
      cure: `Install the driver with ${rootDir} as the directory of the kubelet: most Helm charts have a value for it, and its pods mount ${registryOf(rootDir)} and ${rootDir}/plugins.`,
    }),
  NothingRegistered: (rootDir: string) =>
    because(`${registryOf(rootDir)} has no registration socket of a CSI driver`, {
      cure: 'Check that the pod of the driver is running on this node, and that it mounts this directory as /registration.',
    }),
  DriverNotOnNode: (driver: string, rootDir: string) =>
    because(`no socket below ${rootDir} is of driver ${driver}`, {
      detail: { driver },
      cure: 'Check that the pod of the driver is running on this node, and that it mounts this directory.',
    }),
  RegistrarNotRunning: (path: string) =>
    because(`connection refused: no process serves the registration socket ${path}`, {
      cure: 'Restart the pod of the driver: its registrar creates the socket again. If no driver uses the socket any more, remove it.',
    }),
  RegistrarNotAnswering: (path: string, error: string) =>
    because(`failed to get plugin info from the registration socket ${path}: ${error}`, {
      cure: 'Check the logs of the registrar.',
    }),
  DriverNotRunning: (driver: string, path: string) =>
    because(`connection refused: driver ${driver} is registered, but no process serves its socket ${path}`, {
      detail: { driver },
      cure: 'Check the logs of the driver on this node: it has ended, or listens on another path.',
    }),
  DriverNotAnswering: (driver: string, path: string, error: string) =>
    because(`driver ${driver} does not answer GetPluginInfo at ${path}: ${error}`, {
      detail: { driver },
      cure: 'Check the logs of the driver on this node.',
    }),
  DriverNotOffered: (driver: string, path: string, rootDir: string) =>
    because(`driver ${driver} answers at ${path}, but no socket in ${registryOf(rootDir)} is of it`, {
      detail: { driver },
      cure: `Check that its node-driver-registrar is running with --kubelet-registration-path=${path}, and that it mounts ${registryOf(rootDir)} as /registration.`,
    }),
  SELinuxDenied: ({ permission, command, target, source, label }: Denial) =>
    because(`SELinux denied ${command} (${source}) { ${permission} } on ${target} (${label})`, {
      cure: 'Run the registrar with the same SELinux type as the driver, usually by securityContext.privileged or seLinuxOptions.type: spc_t. If the label of the directory is wrong, run: restorecon -Rv DIRECTORY.',
    }),
  SELinuxLabelUnusual: (path: string, label: string, rootDir: string) =>
    because(`SELinux is enforcing, and ${path} has the label ${label}, which is not one for containers`, {
      cure: `The kubelet or the registrar may not be allowed to open it. Run: restorecon -Rv ${rootDir}. If the label stays, the policy has no rule for this directory: semanage fcontext -a -e /var/lib/kubelet ${rootDir}.`,
    }),
})

export type DoctorReason = ReasonIn<typeof REASONS>
