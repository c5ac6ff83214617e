import { BUNDLED_ATTRIBUTES_CLASS, BUNDLED_DRIVER, BUNDLED_TOPOLOGY_KEY } from './driver-values.ts'
import { DRIVER } from './open-cluster-stage.ts'

type DriverParts = {
  readonly name: string
  readonly shortName: string
  /** In addition to what both drivers can do. */
  readonly capabilities: Readonly<Record<string, boolean>>
  readonly info?: object
  readonly more?: object
}

// What e2e.test reads as `--storage.testdriver`: a driver, and what it can do.
const describeDriver = ({ name, shortName, capabilities, info = {}, more = {} }: DriverParts): object => ({
  ShortName: shortName,
  StorageClass: { FromName: true },
  SnapshotClass: { FromName: true },
  InlineVolumes: [{ Attributes: {}, Shared: false, ReadOnly: false }],
  ...more,
  DriverInfo: {
    Name: name,
    ...info,
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
      readWriteOncePod: true,
      capReadOnlyMany: true,
      controllerExpansion: true,
      nodeExpansion: true,
      // A volume is a directory, which has no file system of its own.
      FSResizeFromSourceNotSupported: true,
      ...capabilities,
    },
  },
})

/** The driver files: of the driver of the stories, whose volumes all nodes share, and of the bundled driver, whose volumes are on one node. */
export const E2E_DRIVERS = {
  shared: describeDriver({ name: DRIVER, shortName: 'shared', capabilities: { multiplePVsSameID: true } }),
  bundled: describeDriver({
    name: BUNDLED_DRIVER,
    shortName: 'bundled',
    capabilities: { singleNodeVolume: true, capacity: true, topology: true, groupSnapshot: true },
    info: { TopologyKeys: [BUNDLED_TOPOLOGY_KEY] },
    more: {
      GroupSnapshotClass: { FromName: true },
      VolumeAttributesClass: { FromExistingClassName: BUNDLED_ATTRIBUTES_CLASS.metadata.name },
    },
  }),
}
export type E2eDriver = keyof typeof E2E_DRIVERS

/** What the specs assume of a driver with fsGroup; the default is for volumes with a file system type. */
export const E2E_SETTINGS = ['--set=driver.csiDriver.spec.fsGroupPolicy=File']

/** The usual specs of each suite: about fifty for each driver, in about ten minutes for both. */
export const DEFAULT_FOCUS = [
  String.raw`Dynamic PV \(default fs\)\] subPath should (support (existing|file as|non-existent|readOnly)|be able)`,
  String.raw`Dynamic PV \((default fs|block volmode)\)\] volumes should`,
  String.raw`Dynamic PV \((default fs|block volmode)\)\] provisioning should provision storage with (snapshot|pvc) data source`,
  String.raw`Dynamic PV \(default fs\)\] fsgroupchangepolicy`,
  String.raw`(CSI Ephemeral-volume \(default fs\)|Generic Ephemeral-volume \(default fs\) \(late-binding\))\] ephemeral should`,
  String.raw`Dynamic PV \((filesystem|block) volmode\)\] multiVolume .*(the same volume mode|single volume) .*on the same node`,
  String.raw`Dynamic PV \((default fs|block volmode)\).*\] volume-expand`,
  String.raw`Dynamic Snapshot \(.*\)\] snapshottable`,
  String.raw`\] (capacity|topology|volume-modify|volumegroupsnapshottable)`,
].map((focus) => `External.Storage.*${focus}`)
export const EVERY_FOCUS = ['External.Storage']
// Specs that break the node, that run alone, or that need what this cluster or this driver does not have. The bundled driver takes every attribute of a
// VolumeAttributesClass, so none is invalid.
const SKIPPED =
  'Disruptive|Serial|Feature:(OffByDefault|SELinux|Windows|snapshotmetadata)|should recover from invalid target VAC'

export type SuiteRun = {
  /** The program that runs specs in several processes: ginkgo. */
  readonly suite: string
  readonly focus: readonly string[]
  readonly processes: number
  readonly kubeconfig: string
  readonly driverFiles: readonly string[]
  /** Where the reports are kept. */
  readonly out: string
}

export const JSON_REPORT = 'report.json'

/** The arguments of ginkgo, which runs e2e.test in several processes. */
export const formatSuiteCommand = ({ suite, focus, processes, kubeconfig, driverFiles, out }: SuiteRun): string[] => [
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
  ...driverFiles.map((path) => `--storage.testdriver=${path}`),
]
