import type { VolumeMode } from './records.ts'

/** What a volume's content is made to appear from. */
export type Content = { path: string; mode: VolumeMode }

/** How content is made to appear elsewhere. Every step may be repeated, and finds by itself what an earlier try has done. */
export interface Publisher {
  /** For the log, and for a person. */
  readonly kind: 'bind' | 'link'
  /** Makes the content appear at the staging path, a directory that exists. */
  stage(content: Content, stagingPath: string): Promise<void>
  isStaged(content: Content, stagingPath: string): Promise<boolean>
  /** `last`: no other node of this machine uses the content, so that what they share can go. */
  unstage(content: Content, stagingPath: string, options: { last: boolean }): Promise<void>
  /** Makes the content appear at the target, whose parent exists. */
  publish(content: Content, target: string, options: { readonly: boolean }): Promise<void>
  /** Removes what `publish` has made, the target itself too. */
  unpublish(content: Content, target: string): Promise<void>
  /** A device has grown. */
  refresh(content: Content): Promise<void>
}
