import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { awaiting, because, defineReasons, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { ALPHA_GROUP } from '../../compat/alpha-crds.ts'

const definition = (name: string) => `CustomResourceDefinition ${quoteGo(name)}`
const definitionOf = (name: string) => awaiting(CUSTOM_RESOURCE_DEFINITIONS, { name })

export const REASONS = defineReasons({
  DefinitionInstalled: (name: string) => `${definition(name)} is installed`,
  DefinitionBeingDeleted: (name: string) => because(`${definition(name)} is being deleted`, definitionOf(name)),
  DefinitionNotServed: (name: string) =>
    because(`${definition(name)} is not established`, {
      ...definitionOf(name),
      cure: 'Check its conditions: another definition may have the same names.',
    }),
  DefinitionChangedAgain: (name: string, lacks: string) =>
    because(`${definition(name)} lacks ${lacks} again`, {
      cure: 'Find out which other client manages this definition and reverts what was added.',
    }),
  ForeignDefinition: (name: string, lacks: string) =>
    because(`${definition(name)} was not created by Holdfast and lacks ${lacks}`, {
      cure: `Delete it to have it created again. Until then, objects of ${ALPHA_GROUP} are not followed.`,
    }),

  DriverNotDescribed: `no object of ${ALPHA_GROUP} describes the driver`,
  MirrorInPlace: 'the mirror is up to date',
  DriverHasOwnObject: 'the CSIDriver of the driver is not a mirror',
  MirrorBeingDeleted: (name: string) => because('the mirror is being deleted', awaiting(CSI_DRIVERS, { name })),
  MirrorRefused: 'the API server refused the mirror',
  MirrorChangedJustNow: 'the mirror was changed a moment ago',
  NodesCountedJustNow: 'the number of nodes was written a moment ago',

  RefusedByServer: (message: string) =>
    reason('MirrorRefused', `the API server refused the mirror: ${message}`, {
      cure: 'Correct this object. Until then, the rest of the cluster does not know it.',
    }),
  DriverDescribedTwice: (driver: string, chosen: string) =>
    because(`driver ${driver} is described by several objects, of which ${chosen} is used`, {
      cure: 'Delete this object or the other one.',
    }),
  DriverNotNamed: (driver: string) =>
    because('spec.driver: Required value', {
      cure: `Set it. Until then, this object describes driver ${driver}, which has the same name as the object.`,
    }),
  UnknownPodInfoVersion: (version: string) =>
    because(`unknown podInfoOnMountVersion ${quoteGo(version)}`, {
      cure: 'Set v1, or remove the field. Until then, no pod information is passed.',
    }),
  UnreadableAudience: because('the audience of a token is not one string', {
    cure: 'Set the audience of each token to one string.',
  }),
  DriverNameNotMirrored: (driver: string, problem: string) =>
    because(`no CSIDriver of storage.k8s.io can be named ${quoteGo(driver)}: ${problem}`, {
      cure: 'Rename the driver. Until then, only Holdfast uses this object.',
    }),
  OwnObjectDecides: (driver: string, differs: string) =>
    because(`csidrivers.storage.k8s.io/${driver} takes precedence and differs: ${differs}`, {
      cure: 'Change it, or delete it to have it created from this object.',
    }),
})

export type RegistryReason = ReasonIn<typeof REASONS>
