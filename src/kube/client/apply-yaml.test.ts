import { deepEqual, equal, rejects } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { CONFIG_MAPS } from '../../api/kinds/config-map.ts'
import { PODS } from '../../api/kinds/pod.ts'
import { openTestCore } from '../../apiserver/testing/open-test-core.ts'
import { applyYaml, ManifestError } from './apply-yaml.ts'
import type { AppliedObject } from './apply-yaml.ts'

const outcomes = (applied: readonly AppliedObject[]): string[] =>
  applied.map(({ outcome, object: { kind, metadata } }) => `${kind}/${metadata.name} ${outcome}`)
const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { a: "${value}" }\n`
const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: widgets, singular: widget, kind: Widget }
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } } }]
`
const WIDGET = 'apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: one }\nspec: { size: 1 }\n'

describe('applying a manifest', () => {
  test('creates what is missing, patches what is different and leaves the rest', async (context) => {
    const { api } = await openTestCore(context)
    deepEqual(outcomes(await applyYaml(api, `${configMap('one', '1')}---\n${configMap('two', '1')}`)), [
      'ConfigMap/one created',
      'ConfigMap/two created',
    ])
    deepEqual(outcomes(await applyYaml(api, `${configMap('one', '1')}---\n${configMap('two', '2')}`)), [
      'ConfigMap/one unchanged',
      'ConfigMap/two configured',
    ])
    equal((await api.get(CONFIG_MAPS, { namespace: 'default', name: 'two' })).data?.['a'], '2')
  })

  test('takes a namespace for objects without one', async (context) => {
    const { api } = await openTestCore(context)
    await applyYaml(api, 'apiVersion: v1\nkind: Namespace\nmetadata: { name: team }\n')
    await applyYaml(api, configMap('one', '1'), { namespace: 'team' })
    equal((await api.get(CONFIG_MAPS, { namespace: 'team', name: 'one' })).data?.['a'], '1')
  })

  test('refuses or drops unknown fields as it is told, in what it creates and in what it patches', async (context) => {
    const { api } = await openTestCore(context)
    const unknown = `${configMap('one', '1')}colour: red\n`
    const strict = { fieldValidation: 'Strict' } as const
    await rejects(applyYaml(api, unknown, strict), /unknown field "colour"/)
    deepEqual(outcomes(await applyYaml(api, unknown, { fieldValidation: 'Ignore' })), ['ConfigMap/one created'])
    await rejects(applyYaml(api, unknown, strict), /unknown field "colour"/)
    deepEqual(outcomes(await applyYaml(api, unknown, { fieldValidation: 'Ignore' })), ['ConfigMap/one unchanged'])
  })

  test('of an example twice changes nothing the second time, also where the server has added to it', async (context) => {
    const { api } = await openTestCore(context)
    const example = readFileSync(new URL('../../../examples/claim.yaml', import.meta.url), 'utf8')
    deepEqual(outcomes(await applyYaml(api, example)), [
      'StorageClass/fast created',
      'PersistentVolumeClaim/data created',
      'Pod/web created',
    ])
    deepEqual(outcomes(await applyYaml(api, example)), [
      'StorageClass/fast unchanged',
      'PersistentVolumeClaim/data unchanged',
      'Pod/web unchanged',
    ])
    equal((await api.list(PODS)).items.length, 1)
  })

  test('knows a custom resource by its definition, in the same manifest or on the server', async (context) => {
    const { api } = await openTestCore(context)
    deepEqual(outcomes(await applyYaml(api, `${DEFINITION}---\n${WIDGET}`)), [
      'CustomResourceDefinition/widgets.example.com created',
      'Widget/one created',
    ])
    deepEqual(outcomes(await applyYaml(api, WIDGET.replace('size: 1', 'size: 2'))), ['Widget/one configured'])
  })

  test('takes a List, JSON and empty documents', async (context) => {
    const { api } = await openTestCore(context)
    const items = ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }))
    deepEqual(
      outcomes(
        await applyYaml(api, `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items })}\n---\n---\n# nothing\n`),
      ),
      ['ConfigMap/a created', 'ConfigMap/b created'],
    )
  })

  const refused: [behaviour: string, manifest: string, message: RegExp][] = [
    ['YAML that cannot be read', 'a: [', /^ManifestError: document 2 of the manifest is not valid YAML: /],
    [
      'what is no object',
      '- 1',
      /^ManifestError: document 2 of the manifest is not a Kubernetes object: apiVersion, kind, metadata.name not set$/,
    ],
    [
      'an object without a name',
      'apiVersion: v1\nkind: ConfigMap\n',
      /^ManifestError: document 2 of the manifest is not a Kubernetes object: metadata.name not set$/,
    ],
    [
      'a kind that the server does not know',
      WIDGET,
      /^ManifestError: no matches for kind "Widget" in version "example.com\/v1" \(Widget one\): install its CustomResourceDefinition first$/,
    ],
  ]
  for (const [behaviour, manifest, message] of refused) {
    test(`refuses ${behaviour} before it changes anything`, async (context) => {
      const { api } = await openTestCore(context)
      await rejects(
        applyYaml(api, `${configMap('one', '1')}---\n${manifest}`),
        (error) => error instanceof ManifestError && message.test(String(error)),
      )
      deepEqual(
        (await api.list(CONFIG_MAPS, { namespace: 'default' })).items.filter(({ metadata }) => metadata.name === 'one'),
        [],
      )
    })
  }

  test("passes on the server's refusal", async (context) => {
    const { api } = await openTestCore(context)
    await rejects(
      applyYaml(api, 'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: { name: data }\nspec: {}\n'),
      /PersistentVolumeClaim "data" is invalid/,
    )
  })
})
