import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { CUSTOM_RESOURCE_DEFINITIONS } from '../../api/kinds/custom-resource-definition.ts'
import { quoteGo } from '../../api/quote-go.ts'
import { objectAwaited, reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'
import { ALPHA_GROUP } from '../../compat/alpha-crds.ts'

const definition = (name: string) => `CustomResourceDefinition ${quoteGo(name)}`
const definitionOf = (name: string) => ({ waitsFor: objectAwaited(CUSTOM_RESOURCE_DEFINITIONS, { name }) })

/** Why the registry does nothing, or records an event. */
export const REASONS = {
  installed: (name: string) => reason('DefinitionInstalled', `${definition(name)} is installed`),
  leaving: (name: string) =>
    reason('DefinitionBeingDeleted', `${definition(name)} is being deleted`, definitionOf(name)),
  namesTaken: (name: string) =>
    reason('DefinitionNotServed', `${definition(name)} is not established`, {
      ...definitionOf(name),
      cure: 'Check its conditions: another definition may have the same names.',
    }),
  healedJustNow: (name: string, lacks: string) =>
    reason('DefinitionChangedAgain', `${definition(name)} lacks ${lacks} again`, {
      cure: 'Find out which other client manages this definition and reverts what was added.',
    }),
  incompatible: (name: string, lacks: string) =>
    reason('ForeignDefinition', `${definition(name)} was not created by Holdfast and lacks ${lacks}`, {
      cure: `Delete it to have it created again. Until then, objects of ${ALPHA_GROUP} are not followed.`,
    }),

  notDescribed: reason('DriverNotDescribed', `no object of ${ALPHA_GROUP} describes the driver`),
  inPlace: reason('MirrorInPlace', 'the mirror is up to date'),
  ownObject: reason('DriverHasOwnObject', 'the CSIDriver of the driver is not a mirror'),
  mirrorLeaving: (name: string) =>
    reason('MirrorBeingDeleted', 'the mirror is being deleted', { waitsFor: objectAwaited(CSI_DRIVERS, { name }) }),
  mirrorRefused: reason('MirrorRefused', 'the API server refused the mirror'),
  changedJustNow: reason('MirrorChangedJustNow', 'the mirror was changed a moment ago'),
  countedJustNow: reason('NodesCountedJustNow', 'the number of nodes was written a moment ago'),

  refusedByServer: (message: string) =>
    reason('MirrorRefused', `the API server refused the mirror: ${message}`, {
      cure: 'Correct this object. Until then, the rest of the cluster does not know it.',
    }),
  describedTwice: (driver: string, chosen: string) =>
    reason('DriverDescribedTwice', `driver ${driver} is described by several objects, of which ${chosen} is used`, {
      cure: 'Delete this object or the other one.',
    }),
  driverNotNamed: (driver: string) =>
    reason('DriverNotNamed', 'spec.driver: Required value', {
      cure: `Set it. Until then, this object describes driver ${driver}, which has the same name as the object.`,
    }),
  unknownVersion: (version: string) =>
    reason('UnknownPodInfoVersion', `unknown podInfoOnMountVersion ${quoteGo(version)}`, {
      cure: 'Set v1, or remove the field. Until then, no pod information is passed.',
    }),
  unreadableAudience: reason('UnreadableAudience', 'the audience of a token is not one string', {
    cure: 'Set the audience of each token to one string.',
  }),
  nameNotPossible: (driver: string, problem: string) =>
    reason('DriverNameNotMirrored', `no CSIDriver of storage.k8s.io can be named ${quoteGo(driver)}: ${problem}`, {
      cure: 'Rename the driver. Until then, only Holdfast uses this object.',
    }),
  ownObjectDecides: (driver: string, differs: string) =>
    reason('OwnObjectDecides', `csidrivers.storage.k8s.io/${driver} takes precedence and differs: ${differs}`, {
      cure: 'Change it, or delete it to have it created from this object.',
    }),
}

export type RegistryReason = ReasonIn<typeof REASONS>
