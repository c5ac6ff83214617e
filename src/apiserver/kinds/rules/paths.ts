import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalid } from './problems.ts'

/** Rejects `..` as a part of a path. */
export const backstepProblems = (field: string, path: string): FieldProblem[] =>
  path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : []

/** A path that stays below its start: relative, without `..`. */
export const descendingPathProblems = (field: string, path: string): FieldProblem[] => [
  ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
  ...backstepProblems(field, path),
]

/** The path of a file in a volume: names that begin with `..` are reserved for the volume itself. */
export const localPathProblems = (field: string, path: string): FieldProblem[] => [
  ...descendingPathProblems(field, path),
  ...(path.startsWith('..') && !path.startsWith('../') ? [invalid(field, path, "must not start with '..'")] : []),
]
