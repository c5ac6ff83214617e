import type { CommandModule } from './command-module.ts'

/** All commands, each loaded only when it is asked for: a sidecar has no use for the API server's code in its memory. */
export const COMMANDS: Readonly<Record<string, () => Promise<CommandModule>>> = {
  up: async () => (await import('./up.ts')).upCommand,
  down: async () => (await import('./down.ts')).downCommand,
  apiserver: async () => (await import('./apiserver.ts')).apiserverCommand,
  controllers: async () => (await import('./controllers.ts')).controllersCommand,
  node: async () => (await import('./node.ts')).nodeCommand,
  driver: async () => (await import('./driver.ts')).driverCommand,
  check: async () => (await import('./check.ts')).checkCommand,
  sidecar: async () => (await import('./sidecar.ts')).sidecarCommand,
  'csi-provisioner': async () => (await import('./csi-provisioner.ts')).csiProvisionerCommand,
  'csi-attacher': async () => (await import('./csi-attacher.ts')).csiAttacherCommand,
  'csi-external-health-monitor-controller': async () =>
    (await import('./csi-external-health-monitor-controller.ts')).csiExternalHealthMonitorControllerCommand,
  'csi-resizer': async () => (await import('./csi-resizer.ts')).csiResizerCommand,
  'csi-snapshotter': async () => (await import('./csi-snapshotter.ts')).csiSnapshotterCommand,
  'snapshot-controller': async () => (await import('./snapshot-controller.ts')).snapshotControllerCommand,
  'node-driver-registrar': async () => (await import('./node-driver-registrar.ts')).nodeDriverRegistrarCommand,
  'cluster-driver-registrar': async () => (await import('./cluster-driver-registrar.ts')).clusterDriverRegistrarCommand,
  livenessprobe: async () => (await import('./livenessprobe.ts')).livenessprobeCommand,
  proxy: async () => (await import('./proxy.ts')).proxyCommand,
  replay: async () => (await import('./replay.ts')).replayCommand,
  demo: async () => (await import('./demo.ts')).demoCommand,
  path: async () => (await import('./path.ts')).pathCommand,
  sweep: async () => (await import('./sweep.ts')).sweepCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  heal: async () => (await import('./heal.ts')).healCommand,
  console: async () => (await import('./console.ts')).consoleCommand,
  why: async () => (await import('./why.ts')).whyCommand,
}

/** For what speaks of all of them. */
export const loadAllCommands = (): Promise<CommandModule[]> =>
  Promise.all(Object.values(COMMANDS).map((load) => load()))
