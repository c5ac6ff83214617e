import { deepEqual, equal, partialDeepStrictEqual, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { defineCommand, parseArguments } from '../../base/options/index.ts'
import { standardOptions } from '../standard-options.ts'
import { DEFAULT_PROVISION_SETTINGS } from './provisioner-options.ts'
import { checkProvisionerConfig, provisionerOptions } from './provisioner-options.ts'

const command = defineCommand({
  name: 'csi-provisioner',
  summary: 'Provisions.',
  options: { ...standardOptions, ...provisionerOptions },
  check: (config) => checkProvisionerConfig(config),
})
function parse(...words: string[]) {
  const parsed = parseArguments(command, words)
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  return parsed
}

test('no flag of ours is also a standard one', () => {
  deepEqual(
    Object.keys(provisionerOptions).filter((key) => Object.hasOwn(standardOptions, key)),
    [],
  )
})
test('without flags the decisions have their defaults', () =>
  partialDeepStrictEqual({ ...parse().config, identity: '', useAttributesClasses: true }, DEFAULT_PROVISION_SETTINGS))
test('without flags work is done as the upstream provisioner does it, but requests are not limited', () => {
  const { config } = parse()
  deepEqual(
    [
      config.timeoutMs,
      config.workerThreads,
      config.retryIntervalStartMs,
      config.retryIntervalMaxMs,
      config.snapshotOrphanSweepIntervalMs,
      config.capacityPollIntervalMs,
    ],
    [10_000, undefined, 1000, 300_000, 300_000, 60_000],
  )
  deepEqual(
    [config.nodeDeploymentBaseDelayMs, config.nodeDeploymentMaxDelayMs, config.capacityOwnerrefLevel],
    [20_000, 60_000, 1],
  )
  deepEqual([config.kubeApiQps, config.kubeApiCapacityQps], [0, 0])
  deepEqual(config.featureGates, {
    Topology: true,
    VolumeAttributesClass: true,
    CrossNamespaceVolumeDataSource: false,
    ReleaseLeaderElectionOnExit: false,
  })
})
test('S3-41 S3-48 S3-58: flags change the decisions', () => {
  const words = [
    '--volume-name-prefix=kube',
    '--volume-name-uuid-length=10',
    '--default-fstype=ext4',
    '--extra-create-metadata',
    '--controller-publish-readonly',
    '--prevent-volume-mode-conversion=false',
    '--strict-topology',
    '--immediate-topology=false',
    '--preferred-topology=ordinal',
    '--attacher-finalizer',
    '--node-deployment',
    '--node-deployment-immediate-binding=false',
    '--feature-gates=Topology=false,VolumeAttributesClass=false,CrossNamespaceVolumeDataSource=true',
  ]
  partialDeepStrictEqual(parse(...words).config, {
    volumeNamePrefix: 'kube',
    volumeNameUuidLength: 10,
    defaultFstype: 'ext4',
    extraCreateMetadata: true,
    controllerPublishReadonly: true,
    preventVolumeModeConversion: false,
    strictTopology: true,
    immediateTopology: false,
    preferredTopology: 'ordinal',
    attacherFinalizer: true,
    nodeDeployment: true,
    nodeDeploymentImmediateBinding: false,
    featureGates: { Topology: false, VolumeAttributesClass: false, CrossNamespaceVolumeDataSource: true },
  })
})
test('the arguments of a manifest for the upstream provisioner are taken as they are', () => {
  const { config } = parse(
    '-v=5',
    '--csi-address=/csi/csi.sock',
    '--timeout=60s',
    '--worker-threads',
    '50',
    '--leader-election=true',
    '--leader-election-namespace=storage',
    '--http-endpoint=:8080',
    '--retry-interval-start=500ms',
    '--kube-api-qps=100',
    '--enable-capacity',
    '--capacity-ownerref-level=2',
    '--kube-api-capacity-qps=1',
    '--kube-api-capacity-burst=5',
    '--snapshot-orphan-sweep-interval=0s',
    '--cloning-protection-threads=2',
    '--feature-gates=Topology=true',
    '--automaxprocs',
    '--enable-pprof=false',
    '--logging-format=json',
    '--log-json-info-buffer-size=1Ki',
    '--master=',
  )
  deepEqual(
    [config.v, config.timeoutMs, config.workerThreads, config.retryIntervalStartMs, config.capacityOwnerrefLevel],
    [5, 60_000, 50, 500, 2],
  )
  equal(parse('-v5').config.v, 5)
})
test('flags of older versions are taken with a warning', () => {
  equal(parse('--logtostderr', '--log_file=x').warnings.length, 2)
})

const refused: [behaviour: string, words: string[], problem: RegExp][] = [
  ['an unknown gate', ['--feature-gates=Nonsense=true'], /unrecognized feature gate: "Nonsense"/],
  ['a duration without unit', ['--timeout=10'], /--timeout/],
  ['more characters than a uid has', ['--volume-name-uuid-length=33'], /volume-name-uuid-length/],
  ['none of the uid', ['--volume-name-uuid-length=0'], /has to leave something/],
  ['names without prefix', ['--volume-name-prefix='], /must not be empty/],
  ['a first wait above the longest', ['--retry-interval-start=10m'], /must not be longer/],
  ['delays the wrong way round', ['--node-deployment-base-delay=2m'], /must not be longer/],
]
for (const [behaviour, words, problem] of refused)
  test(`refuses ${behaviour}`, () => throws(() => parse(...words), problem))
