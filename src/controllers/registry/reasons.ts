import type { ObjectAwaited, Reason } from '../../api/reason.ts'
import { ALPHA_GROUP } from '../../compat/alpha-crds.ts'

const definition = (name: string): ObjectAwaited => ({ kind: 'object', kindName: 'CustomResourceDefinition', name })

/** Why the registry does nothing, or tells somebody something. */
export const REASONS = {
  installed: (name: string): Reason => ({ code: 'DefinitionInstalled', detail: { definition: name } }),
  leaving: (name: string): Reason => ({
    code: 'DefinitionBeingDeleted',
    waitsFor: definition(name),
    detail: { definition: name },
  }),
  namesTaken: (name: string): Reason => ({
    code: 'DefinitionNotServed',
    waitsFor: definition(name),
    detail: { definition: name },
    cure: 'See the conditions of the definition: another one has taken its names.',
  }),
  healedJustNow: (name: string, lacks: string): Reason => ({
    code: 'DefinitionChangedAgain',
    detail: { definition: name, lacks },
    cure: 'Somebody undoes what was added; find out who else looks after this definition.',
  }),
  incompatible: (name: string, lacks: string): Reason => ({
    code: 'ForeignDefinition',
    detail: { definition: name, lacks },
    cure: `It was not made by Holdfast and is left alone. Delete it to have it made anew; objects of ${ALPHA_GROUP} are not followed until then.`,
  }),

  notDescribed: { code: 'DriverNotDescribed' },
  inPlace: { code: 'MirrorInPlace' },
  ownObject: { code: 'DriverHasOwnObject' },
  mirrorLeaving: (driver: string): Reason => ({
    code: 'MirrorBeingDeleted',
    waitsFor: { kind: 'object', apiVersion: 'storage.k8s.io/v1', kindName: 'CSIDriver', name: driver },
  }),
  mirrorRefused: { code: 'MirrorRefused' },
  changedJustNow: { code: 'MirrorChangedJustNow' },
  countedJustNow: { code: 'NodesCountedJustNow' },

  refusedByServer: (message: string): Reason => ({
    code: 'MirrorRefused',
    detail: { message },
    cure: 'Correct this object: until then the cluster deals with the driver as if it were not there.',
  }),
  describedTwice: (driver: string, chosen: string): Reason => ({
    code: 'DriverDescribedTwice',
    detail: { driver, counts: chosen },
    cure: 'Delete this object or the other one.',
  }),
  driverNotNamed: (name: string): Reason => ({
    code: 'DriverNotNamed',
    detail: { driver: name },
    cure: 'Set spec.driver, which is required. Until then, this object describes the driver that has the same name as the object.',
  }),
  unknownVersion: (version: string): Reason => ({
    code: 'UnknownPodInfoVersion',
    detail: { podInfoOnMountVersion: version },
    cure: 'Write v1, or leave it out; no pod data are passed.',
  }),
  unreadableAudience: { code: 'UnreadableAudience', cure: 'Write the audience of each token as one text.' },
  nameNotPossible: (driver: string, problem: string): Reason => ({
    code: 'DriverNameNotMirrored',
    detail: { driver, problem },
    cure: 'Only Holdfast reads this object; to the rest of the cluster the driver has none.',
  }),
  ownObjectDecides: (driver: string, differs: string): Reason => ({
    code: 'OwnObjectDecides',
    detail: { driver, differs },
    cure: `Change csidrivers.storage.k8s.io/${driver}, or delete it to have it made from this object.`,
  }),
}
