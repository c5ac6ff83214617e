import type { CustomResourceDefinition, JSONSchemaProps } from '../api/kinds/custom-resource-definition.ts'

/** The group of the first design documents. Today's kinds are in `storage.k8s.io`. */
export const ALPHA_GROUP = 'csi.storage.k8s.io'
export const ALPHA_VERSION = 'v1alpha1'

const APPROVAL_ANNOTATION = 'api-approved.kubernetes.io'
// A group of Kubernetes' own needs a word about its approval, or the server refuses it.
const ANNOTATIONS = { [APPROVAL_ANNOTATION]: 'unapproved, kept for the first design documents' }

const text: JSONSchemaProps = { type: 'string' }
// The documents serialise what is unset as null.
const optionalBoolean: JSONSchemaProps = { type: 'boolean', nullable: true }
// A schema can't say "one or the other" of a text and a list; who reads it looks.
const textOrListOfOne: JSONSchemaProps = { 'x-kubernetes-preserve-unknown-fields': true, nullable: true }

/**
 * The registry's `CSIDriver`. Every accepted spelling is listed, since unknown fields are dropped: that of the document,
 * that of the first release, and those of the document about tokens.
 */
export const ALPHA_CSI_DRIVER_CRD: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `csidrivers.${ALPHA_GROUP}`, annotations: ANNOTATIONS },
  spec: {
    group: ALPHA_GROUP,
    scope: 'Cluster',
    names: { plural: 'csidrivers', singular: 'csidriver', kind: 'CSIDriver', listKind: 'CSIDriverList' },
    versions: [
      {
        name: ALPHA_VERSION,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                // Objects that were stored before this was required still count, for the driver of their own name.
                required: ['driver'],
                properties: {
                  driver: { ...text, minLength: 1 },
                  attachRequired: optionalBoolean,
                  skipAttach: optionalBoolean,
                  podInfoRequiredOnMount: optionalBoolean,
                  podInfoOnMountVersion: { ...text, nullable: true },
                  requiresRemount: optionalBoolean,
                  serviceAccountTokens: {
                    type: 'array',
                    nullable: true,
                    items: {
                      type: 'object',
                      properties: {
                        audience: textOrListOfOne,
                        expirationSeconds: { type: 'integer', format: 'int64', nullable: true },
                      },
                    },
                  },
                  volumeLifecycleModes: {
                    type: 'array',
                    nullable: true,
                    items: { type: 'string', enum: ['Persistent', 'Ephemeral'] },
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: '!has(self.skipAttach) || !has(self.attachRequired) || self.skipAttach != self.attachRequired',
                    message: 'skipAttach and attachRequired contradict each other',
                  },
                ],
              },
              status: {
                type: 'object',
                properties: { ready: { type: 'boolean' }, nodes: { type: 'integer', format: 'int32' } },
              },
            },
          },
        },
        additionalPrinterColumns: [
          { name: 'Driver', type: 'string', jsonPath: '.spec.driver' },
          { name: 'Attach', type: 'boolean', jsonPath: '.spec.attachRequired' },
          { name: 'PodInfo', type: 'boolean', jsonPath: '.spec.podInfoRequiredOnMount' },
          { name: 'PodInfoVersion', type: 'string', priority: 1, jsonPath: '.spec.podInfoOnMountVersion' },
          { name: 'Ready', type: 'boolean', jsonPath: '.status.ready' },
          { name: 'Nodes', type: 'integer', jsonPath: '.status.nodes' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
}

const driverInfo: JSONSchemaProps = {
  type: 'object',
  properties: {
    name: text,
    driver: text,
    nodeID: { ...text, maxLength: 256 },
    topologyKeys: { type: 'array', nullable: true, items: text },
    available: { type: 'boolean' },
    volumePluginMechanism: text,
  },
}
const driverList: JSONSchemaProps = { type: 'array', nullable: true, items: driverInfo }

/** What drivers said about themselves on one node. The shapes of both early releases are accepted beside the document's own. */
export const ALPHA_CSI_NODE_INFO_CRD: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `csinodeinfos.${ALPHA_GROUP}`, annotations: ANNOTATIONS },
  spec: {
    group: ALPHA_GROUP,
    scope: 'Cluster',
    names: { plural: 'csinodeinfos', singular: 'csinodeinfo', kind: 'CSINodeInfo', listKind: 'CSINodeInfoList' },
    versions: [
      {
        name: ALPHA_VERSION,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              csiDrivers: driverList,
              spec: { type: 'object', properties: { drivers: driverList } },
              status: { type: 'object', properties: { drivers: driverList } },
            },
          },
        },
        additionalPrinterColumns: [
          { name: 'Drivers', type: 'string', jsonPath: '.csiDrivers[*].name' },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
      },
    ],
  },
}

/** Both, in the order in which they are looked after. */
export const ALPHA_CRDS: readonly CustomResourceDefinition[] = [ALPHA_CSI_DRIVER_CRD, ALPHA_CSI_NODE_INFO_CRD]

/** Made by Holdfast, or handed over to it by the annotation: what such a definition lacks may be added. All others are somebody's own. */
export const isOwnAlphaCrd = ({ metadata }: Pick<CustomResourceDefinition, 'metadata'>): boolean =>
  metadata.annotations?.[APPROVAL_ANNOTATION] === ANNOTATIONS[APPROVAL_ANNOTATION]
