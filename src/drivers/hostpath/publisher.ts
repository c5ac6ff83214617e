import type { VolumeMode } from './records.ts'

/** The source of a volume's content. */
export type Content = { path: string; mode: VolumeMode }

/** Makes content appear at another path. Every step may be repeated, and detects what an earlier attempt has done. */
export interface Publisher {
  /** For the log. */
  readonly kind: 'bind' | 'link'
  /** Makes the content appear at the staging path, an existing directory. */
  stage(content: Content, stagingPath: string): Promise<void>
  isStaged(content: Content, stagingPath: string): Promise<boolean>
  /** `last`: no other node of this machine uses the content, so shared devices can be detached. */
  unstage(content: Content, stagingPath: string, options: { last: boolean }): Promise<void>
  /** Makes the content appear at the target, whose parent exists. */
  publish(content: Content, target: string, options: { readonly: boolean }): Promise<void>
  /** Removes what `publish` created, including the target itself. */
  unpublish(content: Content, target: string): Promise<void>
  /** Called after a device has grown. */
  refresh(content: Content): Promise<void>
}
