import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defineCommand, parseArguments } from '../base/options/index.ts'
import { attacherOptions } from '../sidecars/attacher/index.ts'
import { provisionerOptions } from '../sidecars/provisioner/index.ts'
import { roleConfigsOf, sidecarOptions } from './sidecar-options.ts'

function configsOf(...words: string[]) {
  const parsed = parseArguments(defineCommand({ name: 'x', summary: 'X.', options: sidecarOptions }), words)
  if (parsed.kind !== 'run') throw new Error(parsed.kind)
  return roleConfigsOf(parsed.config, parsed.given)
}
const defaultsOf = (options: Readonly<Record<string, { fallback: unknown }>>) =>
  Object.fromEntries(Object.entries(options).map(([key, { fallback }]) => [key, fallback]))

describe('the options of holdfast sidecar', () => {
  test('without flags each role has the defaults that it has alone', () => {
    const { provisioner, attacher } = configsOf()
    deepEqual(attacher, defaultsOf(attacherOptions))
    const { featureGates, ...rest } = provisioner
    const { featureGates: alone, ...others } = defaultsOf(provisionerOptions) as typeof provisioner
    // Both run here: volumes may be born with the attacher's finalizer.
    deepEqual(rest, { ...others, attacherFinalizer: true })
    for (const gate of ['Topology', 'VolumeAttributesClass', 'CrossNamespaceVolumeDataSource'] as const)
      equal(featureGates[gate], alone[gate])
  })
  test("volumes are born with the attacher's finalizer only where the attacher runs, and never when that was refused", () => {
    equal(configsOf('--controllers=provisioner').provisioner.attacherFinalizer, false)
    equal(configsOf('--provisioner-attacher-finalizer=false').provisioner.attacherFinalizer, false)
  })
  test('a shared flag counts for all roles', () => {
    const { provisioner, attacher } = configsOf('--timeout=7s', '--worker-threads=3', '--default-fstype=xfs')
    deepEqual(
      [provisioner.timeoutMs, attacher.timeoutMs, provisioner.workerThreads, attacher.workerThreads],
      [7000, 7000, 3, 3],
    )
    deepEqual([provisioner.defaultFstype, attacher.defaultFstype], ['xfs', 'xfs'])
  })
  test('the flag of a role counts before the shared one', () => {
    const { provisioner, attacher } = configsOf(
      '--timeout=7s',
      '--attacher-timeout=15s',
      '--provisioner-worker-threads=5',
    )
    deepEqual(
      [provisioner.timeoutMs, attacher.timeoutMs, provisioner.workerThreads, attacher.workerThreads],
      [7000, 15_000, 5, undefined],
    )
  })
  test('gates and the address of the server are those of the process', () => {
    const { provisioner } = configsOf('--feature-gates=Topology=false', '--master=https://10.0.0.1')
    deepEqual([provisioner.featureGates.Topology, provisioner.master], [false, 'https://10.0.0.1'])
  })
})
