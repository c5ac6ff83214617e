import type { Case } from '../case.ts'
import { CREATE_CASES } from './create-cases.ts'
import { DELETE_CASES } from './delete-cases.ts'
import { IDENTITY_CASES, PROMISE_CASES } from './identity-cases.ts'

/** Every case, by topic. */
export const ALL_CASES: readonly Case[] = [...IDENTITY_CASES, ...PROMISE_CASES, ...CREATE_CASES, ...DELETE_CASES]
