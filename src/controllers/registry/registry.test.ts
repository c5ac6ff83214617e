import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { ApiError, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import type { CustomResourceDefinition } from '../../api/kinds/custom-resource-definition.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../api/kinds/rbac.ts'
import type { ClusterRole } from '../../api/kinds/rbac.ts'
import { grantRules } from '../../apiserver/testing/grant-rules.ts'
import type { TestCore } from '../../apiserver/testing/open-test-core.ts'
import { abandonOnAbort } from '../../base/abort.ts'
import { ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD } from '../../compat/alpha-crds.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import { CSI_NODE_INFOS } from '../../compat/alpha-csi-node-info.ts'
import { MIRROR_ANNOTATION, POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import { createDefaultDriver, DEFAULT_ANNOTATION } from '../../storage/default-csi-driver.ts'
import { findLacking } from './next-crd-step.ts'
import {
  alphaStatus,
  changeAlpha,
  createOwn,
  createSeed,
  registerNode,
  startUnderTest,
} from './testing/describe-registry.ts'
import type { RegistryUnderTest } from './testing/describe-registry.ts'

const [DRIVERS_NAME, INFOS_NAME] = [
  ALPHA_CSI_DRIVER_CRD.metadata.name ?? '',
  ALPHA_CSI_NODE_INFO_CRD.metadata.name ?? '',
]
const removeCrd = (api: Api, name: string) => api.delete(CUSTOM_RESOURCE_DEFINITIONS, { name })
const removeBoth = async ({ api, server }: Pick<RegistryUnderTest, 'api' | 'server'>): Promise<void> => {
  for (const name of [DRIVERS_NAME, INFOS_NAME]) await removeCrd(api, name)
  await server.idle()
}
const schemaOf = (crd: CustomResourceDefinition) =>
  crd.spec.versions[0]?.schema?.openAPIV3Schema?.properties?.['spec']?.properties ?? {}
const without = (
  crd: CustomResourceDefinition,
  field: string,
  annotations: Record<string, string>,
): CustomResourceDefinition => {
  const changed = structuredClone(crd) as unknown as {
    metadata: { annotations: Record<string, string> }
    spec: {
      versions: { schema: { openAPIV3Schema: { properties: { spec: { properties: Record<string, unknown> } } } } }[]
    }
  }
  changed.metadata.annotations = annotations
  delete changed.spec.versions[0]?.schema.openAPIV3Schema.properties.spec.properties[field]
  return changed as unknown as CustomResourceDefinition
}

const withOptionalDriver = (crd: CustomResourceDefinition): CustomResourceDefinition => {
  const changed = structuredClone(crd) as unknown as {
    spec: {
      versions: {
        schema: { openAPIV3Schema: { properties: { spec: { required?: string[]; properties: { driver: object } } } } }
      }[]
    }
  }
  const spec = changed.spec.versions[0]?.schema.openAPIV3Schema.properties.spec
  if (!spec) throw new Error('the definition has no spec')
  delete spec.required
  spec.properties.driver = { type: 'string' }
  return changed as unknown as CustomResourceDefinition
}

describe('the definitions', () => {
  test('S1-19, S1-20, S3-32, H8: are installed where they are missing, with one write each', async (context) => {
    const { api, writes } = await startUnderTest(context, { before: removeBoth })
    deepEqual(writes, [
      `create customresourcedefinitions ${DRIVERS_NAME}`,
      `create customresourcedefinitions ${INFOS_NAME}`,
    ])
    deepEqual((await api.list(ALPHA_CSI_DRIVERS)).items, [])
    deepEqual((await api.list(CSI_NODE_INFOS)).items, [])
  })

  test('cost no write where they are in place', async (context) => {
    const { writes, advance } = await startUnderTest(context)
    await advance(3_600_000)
    deepEqual(writes, [])
  })

  test('S1-21: come back at once and whole when somebody deletes one, with the rights that ship', async (context) => {
    const { api, writes, settled } = await startUnderTest(context, asShippedRegistry())
    for (const [name, crd] of [
      [DRIVERS_NAME, ALPHA_CSI_DRIVER_CRD],
      [INFOS_NAME, ALPHA_CSI_NODE_INFO_CRD],
    ] as const) {
      writes.length = 0
      await removeCrd(api, name)
      await settled()
      deepEqual(writes, [`create customresourcedefinitions ${name}`])
      equal(findLacking((await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name })).spec, crd.spec), undefined)
    }
    await createSeed(api)
  })

  test('S1-21: are looked at in each period, and come back then when the watch tells nothing', async (context) => {
    const shipped = asShippedRegistry()
    const { api, server, writes, settled, advance } = await startUnderTest(context, {
      ...shipped,
      config: { crdCheckMs: 90_000 },
      // A watch that hangs.
      apiOf: (core) => {
        const own = shipped.apiOf(core)
        return {
          ...own,
          watch: (type, options) =>
            type.plural === 'customresourcedefinitions'
              ? silentAfterStart(own.watch(type, options), options?.signal)
              : own.watch(type, options),
        }
      },
    })
    for (const name of [INFOS_NAME, DRIVERS_NAME]) {
      writes.length = 0
      await removeCrd(api, name)
      await server.idle()
      await settled()
      await advance(80_000)
      deepEqual(writes, [])
      await advance(10_000)
      deepEqual(writes, [`create customresourcedefinitions ${name}`])
    }
  })

  test('get back what somebody took out, and nothing else is touched', async (context) => {
    const { api, writes, settled } = await startUnderTest(context)
    const present = await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: DRIVERS_NAME })
    await api.update(CUSTOM_RESOURCE_DEFINITIONS, {
      ...without(present, 'requiresRemount', { ...present.metadata.annotations }),
      metadata: { ...present.metadata, labels: { mine: 'yes' } },
    })
    await settled()
    const healed = await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: DRIVERS_NAME })
    ok(schemaOf(healed)['requiresRemount'])
    deepEqual(healed.metadata.labels, { mine: 'yes' })
    deepEqual(writes, [`update customresourcedefinitions ${DRIVERS_NAME}`])
  })

  test('are not fought over: who keeps taking something out is answered once in each period', async (context) => {
    const { api, writes, settled, advance } = await startUnderTest(context)
    for (let turn = 0; turn < 5; turn++) {
      const present = await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: DRIVERS_NAME })
      await api.update(
        CUSTOM_RESOURCE_DEFINITIONS,
        without(present, 'requiresRemount', { ...present.metadata.annotations }),
      )
      await settled()
    }
    equal(writes.length, 1)
    await advance(600_000)
    equal(writes.length, 2)
  })

  test('that are foreign and lack something are left alone, and somebody is told', async (context) => {
    const foreign = without(ALPHA_CSI_DRIVER_CRD, 'requiresRemount', {
      'api-approved.kubernetes.io': 'unapproved, mine',
    })
    const { api, writes, events, advance } = await startUnderTest(context, {
      before: async (core) => {
        await removeCrd(core.api, DRIVERS_NAME)
        await core.server.idle()
        await core.api.create(CUSTOM_RESOURCE_DEFINITIONS, foreign)
      },
    })
    await createSeed(api, { attachRequired: false })
    await advance(3_600_000)
    deepEqual(writes, [])
    deepEqual(await events(), [`Warning ForeignDefinition CustomResourceDefinition/${DRIVERS_NAME}`])
    const [event] = (await api.list(EVENTS)).items
    match(
      event?.message ?? '',
      /was not created by Holdfast and lacks spec\.versions\[v1alpha1\]\.schema\.openAPIV3Schema\.properties\.spec\.properties\.requiresRemount/,
    )
    equal(schemaOf(await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: DRIVERS_NAME }))['requiresRemount'], undefined)
  })

  test('that are foreign and in the way are taken up once they are gone', async (context) => {
    const { api, settled, findDriver } = await startUnderTest(context, {
      before: async (core) => {
        await removeCrd(core.api, DRIVERS_NAME)
        await core.server.idle()
        await core.api.create(
          CUSTOM_RESOURCE_DEFINITIONS,
          without(ALPHA_CSI_DRIVER_CRD, 'driver', { 'api-approved.kubernetes.io': 'unapproved, mine' }),
        )
      },
    })
    await removeCrd(api, DRIVERS_NAME)
    await settled()
    await createSeed(api, { attachRequired: false })
    await settled()
    equal((await findDriver())?.spec.attachRequired, false)
  })

  test('that were deleted with all their objects take the mirrors along, and new objects have new ones', async (context) => {
    const { api, settled, advance, findDriver } = await startUnderTest(context)
    await createSeed(api, { attachRequired: false })
    await settled()
    await removeCrd(api, DRIVERS_NAME)
    await settled()
    await advance(60_000)
    equal(await findDriver(), undefined)
    await createSeed(api, { attachRequired: false })
    await advance(60_000)
    equal((await findDriver())?.spec.attachRequired, false)
  })
})

describe('the mirror of an object', () => {
  test('S1-2, S1-4, H3: an unmodified cluster learns what the driver wants', async (context) => {
    const { api, writes, settled, findDriver } = await startUnderTest(context)
    await createSeed(
      api,
      {
        attachRequired: false,
        podInfoOnMountVersion: 'v1',
        requiresRemount: true,
        serviceAccountTokens: [{ audience: 'vault' }],
      },
      'one',
    )
    await settled()
    const mirror = await findDriver()
    deepEqual(mirror?.metadata.annotations, { [MIRROR_ANNOTATION]: 'one' })
    deepEqual(
      [
        mirror?.spec.attachRequired,
        mirror?.spec.podInfoOnMount,
        mirror?.spec.requiresRepublish,
        mirror?.spec.tokenRequests,
      ],
      [false, true, true, [{ audience: 'vault' }]],
    )
    deepEqual(writes, ['create csidrivers d', 'patch csidrivers/status one'])
  })

  test('follows changes with one write, and costs none otherwise', async (context) => {
    const { api, writes, settled, advance, findDriver } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    writes.length = 0
    await changeAlpha(api, { requiresRemount: true })
    await settled()
    deepEqual(writes, ['patch csidrivers d'])
    await changeAlpha(api, { requiresRemount: null, podInfoRequiredOnMount: true })
    await advance(3_600_000)
    deepEqual(writes, ['patch csidrivers d', 'patch csidrivers d'])
    deepEqual([(await findDriver())?.spec.requiresRepublish, (await findDriver())?.spec.podInfoOnMount], [false, false])
  })

  test('H3, H40: says whether pods may name handles, as the original does and at once', async (context) => {
    const { api, writes, settled, findDriver } = await startUnderTest(context)
    const allow = (value: string | null) =>
      api.patch(
        ALPHA_CSI_DRIVERS,
        { name: 'd' },
        { type: 'merge', value: { metadata: { annotations: { [POD_HANDLES_ANNOTATION]: value } } } },
      )
    const mirrored = async () => (await findDriver())?.metadata.annotations?.[POD_HANDLES_ANNOTATION]
    await createSeed(api, { volumeLifecycleModes: ['Ephemeral'] })
    await settled()
    equal(await mirrored(), undefined)
    writes.length = 0
    await allow('true')
    await settled()
    equal(await mirrored(), 'true')
    await allow(null)
    await settled()
    deepEqual([await mirrored(), (await findDriver())?.metadata.annotations?.[MIRROR_ANNOTATION]], [undefined, 'd'])
    deepEqual(writes, ['patch csidrivers d', 'patch csidrivers d'])
    // Who may write the mirror alone can't give pods what the original does not.
    await api.patch(
      CSI_DRIVERS,
      { name: 'd' },
      { type: 'merge', value: { metadata: { annotations: { [POD_HANDLES_ANNOTATION]: 'true', theirs: 'stays' } } } },
    )
    await allow('false')
    await settled()
    deepEqual([await mirrored(), (await findDriver())?.metadata.annotations?.['theirs']], ['false', 'stays'])
  })

  test('H3: is made anew where attachRequired changes, which nobody may change in it', async (context) => {
    const { api, writes, settled, findDriver } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    writes.length = 0
    await changeAlpha(api, { attachRequired: false })
    await settled()
    equal((await findDriver())?.spec.attachRequired, false)
    deepEqual(writes, ['delete csidrivers d', 'create csidrivers d'])
  })

  test('goes with its object', async (context) => {
    const { api, settled, findDriver } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    await api.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
    await settled()
    equal(await findDriver(), undefined)
  })

  test('goes even when its object went while nobody looked', async (context) => {
    const { api, settled, findDriver, stop, start } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    await stop()
    await api.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
    await start()
    equal(await findDriver(), undefined)
  })

  test('a restart costs no write', async (context) => {
    const { api, writes, settled, stop, start } = await startUnderTest(context)
    await createSeed(api, { attachRequired: false })
    await registerNode(api, 'node-1')
    await settled()
    writes.length = 0
    await stop()
    await start()
    deepEqual(writes, [])
  })

  test('H4: stays when the objects of the registry can not be read', async (context) => {
    let broken = false
    const { api, settled, findDriver, stop, advance, start } = await startUnderTest(context, {
      apiOf: ({ api: own }) => ({
        ...own,
        watch: (type, options) =>
          broken && type.group === 'csi.storage.k8s.io' ? refused() : own.watch(type, options),
      }),
    })
    await createSeed(api, { attachRequired: false })
    await settled()
    await stop()
    broken = true
    // It can not become idle: the cache stays empty.
    await rejects(start(), /does not settle/)
    await advance(0).catch(() => {})
    equal((await findDriver())?.spec.attachRequired, false)
    broken = false
  })

  test('S1-22, H12: an object that somebody made is never changed, deleted or replaced', async (context) => {
    const { api, writes, settled, findDriver, events } = await startUnderTest(context)
    await createOwn(api, { attachRequired: true, fsGroupPolicy: 'File' })
    await createSeed(api, { attachRequired: false })
    await settled()
    await changeAlpha(api, { requiresRemount: true })
    await settled()
    await api.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
    await settled()
    const { spec } = (await findDriver()) ?? {}
    deepEqual([spec?.attachRequired, spec?.requiresRepublish, spec?.fsGroupPolicy], [true, false, 'File'])
    deepEqual(writes, ['patch csidrivers/status d'])
    deepEqual(new Set(await events()), new Set(['Warning OwnObjectDecides CSIDriver/d']))
  })

  test('H3: what a cluster says of its bundled driver makes way for an object of the registry, and nobody is warned', async (context) => {
    const { api, settled, findDriver, events } = await startUnderTest(context, {
      before: async (core) => void (await core.api.create(CSI_DRIVERS, createDefaultDriver('d'))),
    })
    deepEqual((await findDriver())?.metadata.annotations, { [DEFAULT_ANNOTATION]: 'true' })
    await createSeed(api, { attachRequired: false })
    await settled()
    deepEqual(
      [(await findDriver())?.spec.attachRequired, (await findDriver())?.metadata.annotations],
      [false, { [MIRROR_ANNOTATION]: 'd' }],
    )
    deepEqual(await events(), [])
  })

  test('H3: a mirror whose mark somebody takes off is theirs', async (context) => {
    const { api, settled, findDriver } = await startUnderTest(context)
    await createSeed(api, { attachRequired: false })
    await settled()
    await api.patch(
      CSI_DRIVERS,
      { name: 'd' },
      { type: 'merge', value: { metadata: { annotations: { [MIRROR_ANNOTATION]: null } } } },
    )
    await settled()
    await api.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
    await settled()
    equal((await findDriver())?.spec.attachRequired, false)
  })

  test('what somebody adds to a mirror stays, what they change in it does not', async (context) => {
    const { api, settled, findDriver } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    await api.patch(
      CSI_DRIVERS,
      { name: 'd' },
      { type: 'merge', value: { spec: { storageCapacity: true, podInfoOnMount: true } } },
    )
    await settled()
    deepEqual([(await findDriver())?.spec.storageCapacity, (await findDriver())?.spec.podInfoOnMount], [true, false])
  })

  test('is not fought over: who keeps changing it is answered once in a minute', async (context) => {
    const { api, writes, settled, advance, findDriver } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    writes.length = 0
    for (let turn = 0; turn < 5; turn++) {
      await api.patch(CSI_DRIVERS, { name: 'd' }, { type: 'merge', value: { spec: { podInfoOnMount: true } } })
      await settled()
    }
    deepEqual(writes, ['patch csidrivers d'])
    // A change of the original is no fight.
    await changeAlpha(api, { requiresRemount: true })
    await settled()
    deepEqual([writes.length, (await findDriver())?.spec.podInfoOnMount], [2, false])
    await api.patch(CSI_DRIVERS, { name: 'd' }, { type: 'merge', value: { spec: { podInfoOnMount: true } } })
    await advance(60_000)
    deepEqual([writes.length, (await findDriver())?.spec.podInfoOnMount], [3, false])
  })

  test('H5: of two objects about one driver one counts, and the other is told', async (context) => {
    const { api, settled, findDriver, events } = await startUnderTest(context)
    await createSeed(api, { attachRequired: true }, 'first')
    await settled()
    await createSeed(api, { attachRequired: false }, 'd')
    await settled()
    equal((await findDriver())?.spec.attachRequired, false)
    deepEqual(await events(), ['Warning DriverDescribedTwice CSIDriver/first'])
    await api.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
    await settled()
    equal((await findDriver())?.spec.attachRequired, true)
  })

  test('S1-8, H5: an object that was stored before spec.driver was required goes on under its own name, and its author is told', async (context) => {
    const { api, settled, findDriver, events } = await startUnderTest(context, {
      before: async (core) => {
        await removeCrd(core.api, DRIVERS_NAME)
        await core.server.idle()
        await core.api.create(CUSTOM_RESOURCE_DEFINITIONS, withOptionalDriver(ALPHA_CSI_DRIVER_CRD))
        await core.server.idle()
        await core.api.create(ALPHA_CSI_DRIVERS, {
          apiVersion: 'csi.storage.k8s.io/v1alpha1',
          kind: 'CSIDriver',
          metadata: { name: 'old.example.com' },
          spec: { attachRequired: false },
        })
      },
    })
    deepEqual(
      [(await findDriver('old.example.com'))?.spec.attachRequired, await alphaStatus(api, 'old.example.com')],
      [false, { nodes: 0 }],
    )
    deepEqual(await events(), ['Warning DriverNotNamed CSIDriver/old.example.com'])
    // The definition is complete again: what is new, or changed, has to name its driver.
    await rejects(
      api.create(ALPHA_CSI_DRIVERS, {
        apiVersion: 'csi.storage.k8s.io/v1alpha1',
        kind: 'CSIDriver',
        metadata: { name: 'new' },
        spec: {},
      }),
      /spec\.driver: Required value/,
    )
    await rejects(changeAlpha(api, { attachRequired: true }, 'old.example.com'), /spec\.driver: Required value/)
    await changeAlpha(api, { driver: 'other.example.com' }, 'old.example.com')
    await settled()
    deepEqual(
      [await findDriver('old.example.com'), (await findDriver('other.example.com'))?.spec.attachRequired],
      [undefined, false],
    )
  })

  test('H2, H5: a name with capitals has no mirror, an unknown version no meaning, and both are told once', async (context) => {
    const { api, writes, settled, advance, events } = await startUnderTest(context)
    await createSeed(api, { driver: 'CSI.example.com', podInfoOnMountVersion: 'v9' }, 'one')
    await settled()
    await registerNode(api, 'node-1', 'CSI.example.com')
    await advance(60_000)
    deepEqual(writes, ['patch csidrivers/status one', 'patch csidrivers/status one'])
    deepEqual((await events()).toSorted(), [
      'Warning DriverNameNotMirrored CSIDriver/one',
      'Warning UnknownPodInfoVersion CSIDriver/one',
    ])
  })

  test('one that the server refuses is told, and tried again only when the object changes', async (context) => {
    const { api, writes, settled, advance, events, findDriver } = await startUnderTest(context)
    await createSeed(api, { serviceAccountTokens: [{ audience: 'vault', expirationSeconds: 1 }] })
    for (const node of ['node-1', 'node-2']) {
      await registerNode(api, node)
      await advance(60_000)
    }
    equal(writes.filter((write) => write === 'create csidrivers d').length, 1)
    deepEqual(await events(), ['Warning MirrorRefused CSIDriver/d'])
    deepEqual(await alphaStatus(api), { nodes: 2 })
    await changeAlpha(api, { serviceAccountTokens: [{ audience: 'vault', expirationSeconds: 600 }] })
    await settled()
    equal((await findDriver())?.spec.tokenRequests?.length, 1)
  })

  test('H67: says nothing of tokens where that feature is off', async (context) => {
    const { api, settled, findDriver } = await startUnderTest(context, {
      config: { gates: { CSIServiceAccountToken: false } },
    })
    await createSeed(api, { serviceAccountTokens: [{ audience: 'vault' }], requiresRemount: true })
    await settled()
    deepEqual(
      [(await findDriver())?.spec.tokenRequests, (await findDriver())?.spec.requiresRepublish],
      [undefined, false],
    )
  })
})

describe('the status of an object', () => {
  test('S1-3: tells on how many nodes the driver is registered, in either kind', async (context) => {
    const { api, settled, advance } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    deepEqual(await alphaStatus(api), { nodes: 0 })
    await registerNode(api, 'node-1')
    await registerNode(api, 'node-2', 'other')
    await api.create(CSI_NODE_INFOS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'node-3' },
      csiDrivers: [{ driver: 'd', nodeID: 'x' }],
    })
    await api.create(CSI_NODE_INFOS, {
      apiVersion: 'csi.storage.k8s.io/v1alpha1',
      kind: 'CSINodeInfo',
      metadata: { name: 'node-1' },
      csiDrivers: [{ name: 'd', nodeID: 'x' }],
    })
    await advance(5000)
    deepEqual(await alphaStatus(api), { nodes: 2 })
  })

  test('is written seldom, however many nodes come at once', async (context) => {
    const { api, writes, settled, advance } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    writes.length = 0
    for (let node = 0; node < 100; node++) {
      await registerNode(api, `node-${node}`)
      await advance(40)
    }
    await advance(10_000)
    deepEqual(await alphaStatus(api), { nodes: 100 })
    deepEqual(writes, ['patch csidrivers/status d'])
  })

  test('H9: what the driver’s own registrar said of readiness stays', async (context) => {
    const { api, settled, advance } = await startUnderTest(context)
    await createSeed(api)
    await settled()
    await api.patch(
      ALPHA_CSI_DRIVERS,
      { name: 'd' },
      { type: 'merge', value: { status: { ready: true } } },
      { subresource: 'status' },
    )
    await registerNode(api, 'node-1')
    await advance(5000)
    deepEqual(await alphaStatus(api), { nodes: 1, ready: true })
  })

  test('S1-28: drivers that are not described cost nothing', async (context) => {
    const { api, writes, advance } = await startUnderTest(context)
    await createOwn(api, { attachRequired: false })
    await registerNode(api, 'node-1')
    await advance(600_000)
    deepEqual(writes, [])
  })
})

describe('the access of nodes', () => {
  test('H25: no right is given on a server that can not limit it', async (context) => {
    const { api, writes } = await startUnderTest(context, {
      config: { nodeAccess: true },
      // A server without policies.
      apiOf: ({ api: own }) => ({
        ...own,
        create: async (type, object, options) => {
          if (type.group === 'admissionregistration.k8s.io')
            throw new ApiError('NotFound', 'the server could not find the requested resource')
          return own.create(type, object, options)
        },
      }),
    })
    deepEqual(writes, ['create validatingadmissionpolicies csi-node-info.holdfast.dev'])
    await rejects(api.get(CLUSTER_ROLES, { name: 'holdfast:csi-node-info' }), isNotFound)
  })

  test('H25: the limit is set before the right is given, and what is missing comes back', async (context) => {
    const { api, writes, advance } = await startUnderTest(context, { config: { nodeAccess: true } })
    const NAME = 'holdfast:csi-node-info'
    const all = [
      'create validatingadmissionpolicies csi-node-info.holdfast.dev',
      'create validatingadmissionpolicybindings csi-node-info.holdfast.dev',
      `create clusterroles ${NAME}`,
      `create clusterrolebindings ${NAME}`,
    ]
    deepEqual(writes.splice(0), all)
    const node = { resource: 'csinodeinfos', group: 'csi.storage.k8s.io' }
    ok(
      (await api.get(CLUSTER_ROLES, { name: NAME })).rules?.some(
        ({ apiGroups, resources }) => apiGroups?.includes(node.group) && resources?.includes(node.resource),
      ),
    )
    await api.delete(CLUSTER_ROLE_BINDINGS, { name: NAME })
    await advance(600_000)
    deepEqual(writes, all.slice(3))
  })
})

test('needs no more rights than examples/driver-registry/rbac.yaml gives', async (context) => {
  const { api, settled, findDriver } = await startUnderTest(context, asShippedRegistry())
  await createSeed(api, { attachRequired: false })
  await settled()
  await changeAlpha(api, { requiresRemount: true })
  await settled()
  await changeAlpha(api, { attachRequired: true })
  await settled()
  deepEqual([(await findDriver())?.spec.attachRequired, (await findDriver())?.spec.requiresRepublish], [true, true])
  deepEqual(await alphaStatus(api), { nodes: 0 })
  await api.delete(ALPHA_CSI_DRIVERS, { name: 'd' })
  await removeCrd(api, INFOS_NAME)
  await settled()
  equal(await findDriver(), undefined)
  await api.get(CUSTOM_RESOURCE_DEFINITIONS, { name: INFOS_NAME })
})

function asShippedRegistry() {
  return {
    apiOf: ({ server }: TestCore): Api => server.core.as({ name: 'registry', groups: ['system:authenticated'] }),
    before: ({ api }: TestCore): Promise<void> => grantRules(api, 'registry', readRules('holdfast-registry')),
  }
}

function readRules(role: string): ClusterRole['rules'] {
  const documents = parseAllDocuments(
    readFileSync(join(import.meta.dirname, '../../../examples/driver-registry/rbac.yaml'), 'utf8'),
  ).map((document) => document.toJS() as ClusterRole)
  return documents.find(({ metadata }) => metadata.name === role)?.rules ?? null
}

async function* silentAfterStart<T>(
  events: AsyncIterable<T>,
  signal: AbortSignal | undefined,
): AsyncGenerator<T, void> {
  for await (const event of events) {
    yield event
    if ((event as { initialEventsEnd?: boolean }).initialEventsEnd) await abandonOnAbort(new Promise(() => {}), signal)
  }
}

// oxlint-disable-next-line require-yield
async function* refused(): AsyncGenerator<never, void> {
  throw new Error('the server is not there')
}
