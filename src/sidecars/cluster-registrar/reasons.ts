import { because, defineReasons } from '../../api/reason.ts'
import type { ReasonIn } from '../../api/reason.ts'

/** Why the registrar is waiting or warns. */
export const REASONS = defineReasons({
  DriverRegistered: 'the driver is registered',
  ObjectBeingDeleted: 'the object is being deleted',
  ChangedJustNow: 'the object was changed less than two minutes ago',
  RegistryNotInstalled: 'the driver registry (csi.storage.k8s.io/v1alpha1) is not installed',
  DriverNameNotPossible: (driver: string, problem: string) =>
    because(`no CSIDriver object can be named "${driver}": ${problem}`, {
      cure: 'Give the driver a lowercase name. Only Holdfast reads its object in the registry.',
    }),
  ObjectOfAnotherDriver: (name: string, driver: string) =>
    because(`the registry object "${name}" belongs to another driver than ${driver}`, {
      cure: 'Rename that object to make room for this driver.',
    }),
  ObjectMadeByOthers: (differs: string) =>
    because(`the CSIDriver object was not created by this registrar and differs: ${differs}`, {
      cure: 'Change the object, or the flags of the registrar.',
    }),
  ObjectCanNotChange: (differs: string) =>
    because(`field is immutable: ${differs}`, {
      cure: 'Delete the object while no volume of the driver is in use, or run the registrar with --recreate-on-immutable-change.',
    }),
})

export type RegistrarReason = ReasonIn<typeof REASONS>
