/** A small change to the source that breaks one requirement, and the test that has to notice. */
export type RequirementMutation = {
  readonly id: string
  readonly file: string
  readonly text: string
  readonly replacement: string
  readonly test: string
}
