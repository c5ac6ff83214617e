import { DRIVER } from './open-cluster-stage.ts'

/** What e2e.test reads as `--storage.testdriver`: the driver of the stage, and what it can do. */
export const E2E_DRIVER = {
  ShortName: 'shared',
  StorageClass: { FromName: true },
  SnapshotClass: { FromName: true },
  InlineVolumes: [{ Attributes: {}, Shared: false, ReadOnly: false }],
  DriverInfo: {
    Name: DRIVER,
    SupportedSizeRange: { Min: '1Mi', Max: '1Ti' },
    Capabilities: {
      persistence: true,
      block: true,
      fsGroup: true,
      exec: true,
      snapshotDataSource: true,
      pvcDataSource: true,
      multipods: true,
      RWX: true,
      capReadOnlyMany: true,
      controllerExpansion: true,
      nodeExpansion: true,
      multiplePVsSameID: true,
    },
  },
}

/** What the specs assume of a driver with fsGroup; the default is for volumes with a file system type. */
export const E2E_SETTINGS = ['--set=driver.csiDriver.spec.fsGroupPolicy=File']

/** Two or three patterns of volumes for each suite: about ten minutes. */
export const DEFAULT_FOCUS = [
  String.raw`Dynamic PV \(default fs\)\] subPath should support (existing|file as|readOnly dir|non-exist)`,
  String.raw`Dynamic PV \((default fs|block volmode)\)\] volumes should store data`,
  String.raw`Dynamic PV \((default fs|block volmode)\)\] provisioning should provision storage with (snapshot|pvc) data source`,
  String.raw`Dynamic PV \(default fs\)\] fsgroupchangepolicy`,
  String.raw`(CSI|Generic) Ephemeral-volume \(default fs\).*\] ephemeral should (create|support)`,
  String.raw`Dynamic PV \(.*\)\] multiVolume .*(should access to two volumes with the same volume mode|should concurrently access the single volume).*same node`,
  String.raw`Dynamic PV \(.*\)\] volume-expand`,
  String.raw`Dynamic Snapshot .*snapshottable`,
  String.raw`Dynamic PV \(.*\)\] volumeMode`,
].map((focus) => `External.Storage.*${focus}`)
export const EVERY_FOCUS = ['External.Storage']
// Specs that break the node, that run alone, or that need a feature that is off by default.
const SKIPPED = 'Disruptive|Serial|Feature:'

export type SuiteRun = {
  /** The program that runs specs in several processes: ginkgo. */
  readonly suite: string
  readonly focus: readonly string[]
  readonly processes: number
  readonly kubeconfig: string
  readonly driverFile: string
  /** Where the reports are kept. */
  readonly out: string
}

export const JSON_REPORT = 'report.json'

/** The arguments of ginkgo, which runs e2e.test in several processes. */
export const formatSuiteCommand = ({ suite, focus, processes, kubeconfig, driverFile, out }: SuiteRun): string[] => [
  `--procs=${processes}`,
  '--no-color',
  '--silence-skips',
  '--timeout=3h',
  ...focus.map((each) => `--focus=${each}`),
  `--skip=${SKIPPED}`,
  `--output-dir=${out}`,
  '--junit-report=junit.xml',
  `--json-report=${JSON_REPORT}`,
  suite,
  '--',
  '--provider=skeleton',
  '--node-os-distro=custom',
  '--kubectl-path=kubectl',
  `--kubeconfig=${kubeconfig}`,
  `--storage.testdriver=${driverFile}`,
]
