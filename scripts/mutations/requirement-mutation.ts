export type RequirementMutation = { readonly id: string; readonly file: string; readonly text: string; readonly replacement: string; readonly test: string }
