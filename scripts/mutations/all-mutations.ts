import { H_MUTATIONS } from './h.ts'
import type { RequirementMutation } from './requirement-mutation.ts'
import { S0_MUTATIONS } from './s0.ts'
import { S1_MUTATIONS } from './s1.ts'
import { S2_MUTATIONS } from './s2.ts'
import { S3_MUTATIONS } from './s3.ts'
import { S4_MUTATIONS } from './s4.ts'

export const ALL_MUTATIONS: readonly RequirementMutation[] = [
  ...S0_MUTATIONS,
  ...S1_MUTATIONS,
  ...S2_MUTATIONS,
  ...S3_MUTATIONS,
  ...S4_MUTATIONS,
  ...H_MUTATIONS,
]
