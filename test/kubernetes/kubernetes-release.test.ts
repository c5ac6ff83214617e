import { equal, throws } from 'node:assert/strict'
import { test } from 'node:test'
import { formatReleaseModule, parseMinor, releaseVariables, skipBefore } from './kubernetes-release.ts'

test('the module of a release takes the staging modules in the same version', () => {
  const goMod = [
    'module k8s.io/kubernetes',
    '',
    'go 1.24.0',
    '',
    'godebug default=go1.24',
    '',
    'require (',
    '\tk8s.io/api v0.0.0',
    ')',
    '',
    'replace (',
    '\tk8s.io/api => ./staging/src/k8s.io/api',
    '\tk8s.io/kubelet => ./staging/src/k8s.io/kubelet',
    ')',
    '',
  ].join('\n')
  equal(
    formatReleaseModule(goMod, '1.34.4'),
    [
      'module holdfast.invalid/peers/kubernetes',
      '',
      'go 1.24.0',
      '',
      'godebug default=go1.24',
      '',
      'replace (',
      '\tk8s.io/api => k8s.io/api v0.34.4',
      '\tk8s.io/kubelet => k8s.io/kubelet v0.34.4',
      ')',
      '',
      'require k8s.io/kubernetes v1.34.4',
      '',
    ].join('\n'),
  )
  throws(() => formatReleaseModule('module other\n', '1.34.4'), /another form/)
})

test('a release is chosen by its minor version, and its programs know which they are', () => {
  equal(parseMinor('1.33'), '1.33')
  throws(() => parseMinor('1.2'), /none of 1\.33, 1\.34, 1\.35, 1\.36/)
  equal(releaseVariables('1.35')['k8s.io/component-base/version.gitMinor'], '35')
})

test('what began with a later release is skipped on an earlier one', () => {
  equal(
    skipBefore('1.34', 'storage.k8s.io/v1 VolumeAttributesClass', '1.33'),
    'storage.k8s.io/v1 VolumeAttributesClass: from Kubernetes 1.34 on',
  )
  for (const minor of ['1.34', '1.36'] as const) equal(skipBefore('1.34', 'it', minor), false)
})
