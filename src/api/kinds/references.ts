export type {
  LocalObjectReference,
  ObjectReference,
  SecretReference,
  TypedLocalObjectReference,
  TypedObjectReference,
} from './generated/core-v1.ts'
