import type { FieldProblem } from '../../core/kind-definition.ts'
import { invalid } from './problems.ts'

/** Refuses `..` as a part of a path. */
export const backstepProblems = (field: string, path: string): FieldProblem[] =>
  path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : []

/** A path that stays below where it begins: relative, without `..`. */
export const descendingPathProblems = (field: string, path: string): FieldProblem[] => [
  ...(path.startsWith('/') ? [invalid(field, path, 'must be a relative path')] : []),
  ...backstepProblems(field, path),
]

/** The path of a file that a volume is filled with: names that begin with `..` are the volume's own. */
export const localPathProblems = (field: string, path: string): FieldProblem[] => [
  ...descendingPathProblems(field, path),
  ...(path.startsWith('..') && !path.startsWith('../') ? [invalid(field, path, "must not start with '..'")] : []),
]
