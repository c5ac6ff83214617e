import type { KubeObject } from './object.ts'

/**
 * Whether the first object is newer than the second. Versions are decimal numbers that increase across all objects of a kind, so the longer one is
 * larger.
 */
export function isNewerVersion(
  { metadata: { resourceVersion: version = '' } }: KubeObject,
  { metadata: { resourceVersion: than = '' } }: KubeObject,
): boolean {
  return version.length === than.length ? version > than : version.length > than.length
}
