import { reason } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

/** Why the registrar is waiting or warns. */
export const REASONS = {
  registered: reason('DriverRegistered', 'the driver is registered'),
  leaving: reason('ObjectBeingDeleted', 'the object is being deleted'),
  changedJustNow: reason('ChangedJustNow', 'the object was changed less than two minutes ago'),
  kindNotServed: reason('RegistryNotInstalled', 'the driver registry (csi.storage.k8s.io/v1alpha1) is not installed'),
  nameNotPossible: (driver: string, problem: string) =>
    reason('DriverNameNotPossible', `no CSIDriver object can be named "${driver}": ${problem}`, {
      cure: 'Give the driver a lowercase name. Only Holdfast reads its object in the registry.',
    }),
  nameTaken: (name: string, driver: string) =>
    reason('ObjectOfAnotherDriver', `the registry object "${name}" belongs to another driver than ${driver}`, {
      cure: 'Rename that object to make room for this driver.',
    }),
  madeByOthers: (differs: string) =>
    reason('ObjectMadeByOthers', `the CSIDriver object was not created by this registrar and differs: ${differs}`, {
      cure: 'Change the object, or the flags of the registrar.',
    }),
  immutable: (differs: string) =>
    reason('ObjectCanNotChange', `field is immutable: ${differs}`, {
      cure: 'Delete the object while no volume of the driver is in use, or run the registrar with --recreate-on-immutable-change.',
    }),
}

export type RegistrarReason = ReasonIn<typeof REASONS>
