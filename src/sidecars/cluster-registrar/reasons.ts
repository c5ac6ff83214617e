import type { Reason } from '../../api/reason.ts'

/** Why the registrar does nothing, or warns. */
export const REASONS = {
  registered: { code: 'DriverRegistered' },
  leaving: { code: 'ObjectBeingDeleted' },
  changedJustNow: { code: 'ChangedJustNow' },
  kindNotServed: { code: 'RegistryNotInstalled' },
  nameNotPossible: (driver: string, problem: string): Reason => ({
    code: 'DriverNameNotPossible',
    detail: { driver, problem },
    cure: 'Give the driver a name in small letters; only Holdfast reads the object of its registry.',
  }),
  nameTaken: (name: string, driver: string): Reason => ({
    code: 'ObjectOfAnotherDriver',
    detail: { object: name, driver },
    cure: 'Rename that object: the registry has no place for this driver until then.',
  }),
  madeByOthers: (differs: string): Reason => ({
    code: 'ObjectMadeByOthers',
    detail: { differs },
    cure: 'This object counts as it is. Change it, or the flags of the registrar.',
  }),
  immutable: (differs: string): Reason => ({
    code: 'ObjectCanNotChange',
    detail: { differs },
    cure: 'Delete the object while no volume of the driver is in use, or run the registrar with --recreate-on-immutable-change.',
  }),
} satisfies Record<string, Reason | ((...facts: string[]) => Reason)>
