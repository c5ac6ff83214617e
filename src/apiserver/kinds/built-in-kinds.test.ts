import { deepEqual, equal, ok } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { qualifiedResource } from '../../api/resource-type.ts'
import type { KindDefinition } from '../core/kind-definition.ts'
import { BUILT_IN_KINDS } from '../schema/find-schema.ts'
import { builtInKinds } from './built-in-kinds.ts'

const kinds = builtInKinds()
const byResource = (resource: string): KindDefinition => {
  const found = kinds.find(({ type }) => qualifiedResource(type) === resource)
  if (!found) throw new Error(`there is no ${resource}`)
  return found
}
const names = (select: (kind: KindDefinition) => boolean): string[] =>
  [...new Set(kinds.filter(select).map(({ type }) => qualifiedResource(type)))].sort()

test('every kind with a schema is served, apart from bodies of requests', () => {
  const BODIES = ['DeleteOptions', 'Eviction', 'Scale', 'Status', 'TokenRequest']
  const served = new Set(kinds.map(({ type }) => `${type.group}/${type.version}/${type.kind}`))
  const missing = BUILT_IN_KINDS.filter(
    ({ group, version, kind }) => !served.has(`${group}/${version}/${kind}`) && !BODIES.includes(kind),
  )
  deepEqual(
    missing.map(({ kind }) => kind),
    [],
  )
})

test('no resource stands twice in a version', () => {
  const all = kinds.map(({ type }) => `${qualifiedResource(type)} ${type.version}`)
  equal(new Set(all).size, all.length)
})

test('kinds that share their objects agree in which form they are kept', () => {
  const storages = Map.groupBy(kinds, ({ storage }) => storage)
  const shared = [...storages.values()].filter((sharing) => sharing.length > 1)
  deepEqual(
    shared.map(([first]) => first?.storage),
    ['events', 'storage.k8s.io/volumeattributesclasses', 'autoscaling/horizontalpodautoscalers'],
  )
  for (const [first, ...others] of shared) {
    for (const other of others)
      equal(
        other.storedApiVersion,
        first?.type.group ? `${first.type.group}/${first.type.version}` : first?.type.version,
      )
  }
})

describe('discovery facts', () => {
  const facts: [resource: string, shortNames: string[], categories: string[], subresources: string[]][] = [
    ['configmaps', ['cm'], [], []],
    ['events', ['ev'], [], []],
    ['namespaces', ['ns'], [], ['finalize', 'status']],
    ['nodes', ['no'], [], ['status']],
    ['persistentvolumeclaims', ['pvc'], [], ['status']],
    ['persistentvolumes', ['pv'], [], ['status']],
    [
      'pods',
      ['po'],
      ['all'],
      ['attach', 'binding', 'ephemeralcontainers', 'eviction', 'exec', 'log', 'portforward', 'resize', 'status'],
    ],
    ['secrets', [], [], []],
    ['serviceaccounts', ['sa'], [], ['token']],
    ['services', ['svc'], ['all'], ['status']],
    ['csidrivers.storage.k8s.io', [], [], []],
    ['csinodes.storage.k8s.io', [], [], []],
    ['csistoragecapacities.storage.k8s.io', [], [], []],
    ['storageclasses.storage.k8s.io', ['sc'], [], []],
    ['volumeattachments.storage.k8s.io', [], [], ['status']],
    ['volumeattributesclasses.storage.k8s.io', ['vac'], [], []],
    ['leases.coordination.k8s.io', [], [], []],
    ['events.events.k8s.io', ['ev'], [], []],
    ['customresourcedefinitions.apiextensions.k8s.io', ['crd', 'crds'], ['api-extensions'], ['status']],
    ['statefulsets.apps', ['sts'], ['all'], ['scale', 'status']],
    ['poddisruptionbudgets.policy', ['pdb'], [], ['status']],
    ['resourcequotas', ['quota'], [], ['status']],
    ['limitranges', ['limits'], [], []],
    ['endpoints', ['ep'], [], []],
    ['validatingwebhookconfigurations.admissionregistration.k8s.io', [], ['api-extensions'], []],
    ['validatingadmissionpolicies.admissionregistration.k8s.io', [], ['api-extensions'], ['status']],
  ]
  for (const [resource, shortNames, categories, subresources] of facts) {
    test(resource, () => {
      const kind = byResource(resource)
      deepEqual(
        [kind.shortNames, kind.categories, Object.keys(kind.subresources).sort()],
        [shortNames, categories, subresources],
      )
      equal(kind.singular, kind.type.kind.toLowerCase())
      equal(kind.listKind, `${kind.type.kind}List`)
    })
  }

  test('reviews and bindings can only be created', () => {
    deepEqual(
      names(({ verbs }) => verbs.join() === 'create'),
      [
        'bindings',
        'localsubjectaccessreviews.authorization.k8s.io',
        'selfsubjectaccessreviews.authorization.k8s.io',
        'selfsubjectreviews.authentication.k8s.io',
        'selfsubjectrulesreviews.authorization.k8s.io',
        'subjectaccessreviews.authorization.k8s.io',
        'tokenreviews.authentication.k8s.io',
      ],
    )
  })
})

describe('semantics of writes', () => {
  test('these want a resource version with an update', () => {
    deepEqual(
      names(({ unconditionalUpdate }) => !unconditionalUpdate),
      [
        'apiservices.apiregistration.k8s.io',
        'csidrivers.storage.k8s.io',
        'csinodes.storage.k8s.io',
        'csistoragecapacities.storage.k8s.io',
        'customresourcedefinitions.apiextensions.k8s.io',
        'leases.coordination.k8s.io',
        'mutatingadmissionpolicies.admissionregistration.k8s.io',
        'mutatingadmissionpolicybindings.admissionregistration.k8s.io',
        'mutatingwebhookconfigurations.admissionregistration.k8s.io',
        'poddisruptionbudgets.policy',
        'runtimeclasses.node.k8s.io',
        'validatingadmissionpolicies.admissionregistration.k8s.io',
        'validatingadmissionpolicybindings.admissionregistration.k8s.io',
        'validatingwebhookconfigurations.admissionregistration.k8s.io',
        'volumeattachments.storage.k8s.io',
      ],
    )
  })
  test('these are created by an update of what is not there', () => {
    deepEqual(
      names(({ createOnUpdate }) => createOnUpdate),
      [
        'clusterrolebindings.rbac.authorization.k8s.io',
        'clusterroles.rbac.authorization.k8s.io',
        'endpoints',
        'events',
        'events.events.k8s.io',
        'leases.coordination.k8s.io',
        'limitranges',
        'rolebindings.rbac.authorization.k8s.io',
        'roles.rbac.authorization.k8s.io',
        'runtimeclasses.node.k8s.io',
        'services',
      ],
    )
  })
  test('of these, a deletion answers with the object', () => {
    deepEqual(
      names(({ deleteAnswer }) => deleteAnswer === 'object'),
      [
        'csidrivers.storage.k8s.io',
        'csinodes.storage.k8s.io',
        'deviceclasses.resource.k8s.io',
        'namespaces',
        'persistentvolumeclaims',
        'persistentvolumes',
        'pods',
        'podtemplates',
        'resourceclaims.resource.k8s.io',
        'resourceclaimtemplates.resource.k8s.io',
        'resourcequotas',
        'resourceslices.resource.k8s.io',
        'serviceaccounts',
        'services',
        'storageclasses.storage.k8s.io',
        'volumeattachments.storage.k8s.io',
        'volumeattributesclasses.storage.k8s.io',
      ],
    )
  })
  test('volumes, claims, attachments, classes and nodes have no generation', () => {
    for (const resource of [
      'persistentvolumes',
      'persistentvolumeclaims',
      'volumeattachments.storage.k8s.io',
      'storageclasses.storage.k8s.io',
      'nodes',
    ]) {
      equal(byResource(resource).generation, 'none', resource)
    }
    equal(byResource('csidrivers.storage.k8s.io').generation, 'spec-updates')
    for (const resource of ['pods', 'statefulsets.apps', 'deployments.apps'])
      equal(byResource(resource).generation, 'spec', resource)
  })
  test('a status of these leaves metadata alone', () => {
    deepEqual(
      names(({ statusKeepsMetadata }) => statusKeepsMetadata),
      ['customresourcedefinitions.apiextensions.k8s.io', 'volumeattachments.storage.k8s.io'],
    )
  })
})

describe('columns', () => {
  const headers: [resource: string, shown: string, wide: string][] = [
    [
      'persistentvolumes',
      'Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age',
      'VolumeMode',
    ],
    [
      'persistentvolumeclaims',
      'Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age',
      'VolumeMode',
    ],
    [
      'storageclasses.storage.k8s.io',
      'Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age',
      '',
    ],
    ['volumeattachments.storage.k8s.io', 'Name, Attacher, PV, Node, Attached, Age', ''],
    [
      'csidrivers.storage.k8s.io',
      'Name, AttachRequired, PodInfoOnMount, StorageCapacity, TokenRequests, RequiresRepublish, Modes, Age',
      '',
    ],
    ['csinodes.storage.k8s.io', 'Name, Drivers, Age', ''],
    ['csistoragecapacities.storage.k8s.io', 'Name, StorageClassName, Capacity', ''],
    ['volumeattributesclasses.storage.k8s.io', 'Name, DriverName, Age', ''],
    [
      'nodes',
      'Name, Status, Roles, Age, Version',
      'Internal-IP, External-IP, OS-Image, Kernel-Version, Container-Runtime',
    ],
    ['pods', 'Name, Ready, Status, Restarts, Age', 'IP, Node, Nominated Node, Readiness Gates'],
    ['statefulsets.apps', 'Name, Ready, Age', 'Containers, Images'],
    ['events', 'Last Seen, Type, Reason, Object, Message', 'Subobject, Source, First Seen, Count, Name'],
    ['namespaces', 'Name, Status, Age', ''],
    ['secrets', 'Name, Type, Data, Age', ''],
    ['configmaps', 'Name, Data, Age', ''],
    ['serviceaccounts', 'Name, Age', ''],
    ['leases.coordination.k8s.io', 'Name, Holder, Age', ''],
    ['rolebindings.rbac.authorization.k8s.io', 'Name, Role, Age', 'Users, Groups, ServiceAccounts'],
    ['clusterrolebindings.rbac.authorization.k8s.io', 'Name, Role, Age', 'Users, Groups, ServiceAccounts'],
    ['roles.rbac.authorization.k8s.io', 'Name, Created At', ''],
    ['clusterroles.rbac.authorization.k8s.io', 'Name, Created At', ''],
    ['customresourcedefinitions.apiextensions.k8s.io', 'Name, Created At', ''],
    ['endpoints', 'Name, Endpoints, Age', ''],
    ['endpointslices.discovery.k8s.io', 'Name, AddressType, Ports, Endpoints, Age', ''],
    ['resourcequotas', 'Name, Request, Limit, Age', ''],
    ['limitranges', 'Name, Created At', ''],
    ['podtemplates', 'Name, Containers, Images, Pod Labels', ''],
    ['runtimeclasses.node.k8s.io', 'Name, Handler, Age', ''],
    ['ingresses.networking.k8s.io', 'Name, Class, Hosts, Address, Ports, Age', ''],
    ['validatingwebhookconfigurations.admissionregistration.k8s.io', 'Name, Webhooks, Age', ''],
    ['validatingadmissionpolicies.admissionregistration.k8s.io', 'Name, Validations, ParamKind, Age', ''],
    ['validatingadmissionpolicybindings.admissionregistration.k8s.io', 'Name, PolicyName, ParamRef, Age', ''],
  ]
  for (const [resource, shown, wide] of headers) {
    test(resource, () => {
      const of = (priority: number): string =>
        byResource(resource)
          .columns.filter((column) => (column.priority ?? 0) === priority)
          .map(({ name }) => name)
          .join(', ')
      deepEqual([of(0), of(1)], [shown, wide])
    })
  }

  test('every stored kind has a name to show, even of an object without anything', () => {
    for (const kind of kinds.filter(({ verbs }) => verbs.includes('list'))) {
      ok(
        kind.columns.some(({ name }) => name === 'Name'),
        kind.type.kind,
      )
      for (const column of kind.columns)
        ok(column.cell({ metadata: {} }, 0) !== undefined, `${kind.type.kind} ${column.name}`)
    }
  })
})
