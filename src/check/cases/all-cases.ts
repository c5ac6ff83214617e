import type { Case } from '../case.ts'
import { ATTACH_CASES } from './attach-cases.ts'
import { CHANGE_CASES } from './change-cases.ts'
import { CLONE_CASES } from './clone-cases.ts'
import { CREATE_CASES } from './create-cases.ts'
import { DATA_CASES } from './data-cases.ts'
import { DELETE_CASES } from './delete-cases.ts'
import { GROUP_CASES } from './group-cases.ts'
import { HARDSHIP_CASES } from './hardship-cases.ts'
import { HEALTH_CASES } from './health-cases.ts'
import { IDENTITY_CASES, PROMISE_CASES } from './identity-cases.ts'
import { LIST_CASES } from './list-cases.ts'
import { MISSING_FIELD_CASES } from './missing-field-cases.ts'
import { NODE_CASES } from './node-cases.ts'
import { SNAPSHOT_CASES } from './snapshot-cases.ts'
import { WIRE_CASES } from './wire-cases.ts'

/** Every case, by topic. */
export const ALL_CASES: readonly Case[] = [
  ...IDENTITY_CASES,
  ...PROMISE_CASES,
  ...MISSING_FIELD_CASES,
  ...CREATE_CASES,
  ...DELETE_CASES,
  ...ATTACH_CASES,
  ...NODE_CASES,
  ...DATA_CASES,
  ...SNAPSHOT_CASES,
  ...CLONE_CASES,
  ...GROUP_CASES,
  ...CHANGE_CASES,
  ...LIST_CASES,
  ...HEALTH_CASES,
  ...WIRE_CASES,
  ...HARDSHIP_CASES,
]
