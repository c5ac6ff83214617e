import { deepEqual } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseControllers, CONTROLLER_NAMES } from './controller-definitions.ts'

describe('which controllers run', () => {
  const cases: [behaviour: string, words: string[], chosen: readonly string[], unknown?: string[]][] = [
    ['all when nothing is said', [], CONTROLLER_NAMES],
    ['all', ['*'], CONTROLLER_NAMES],
    ['all but one', ['*', '-scheduler'], CONTROLLER_NAMES.filter((name) => name !== 'scheduler')],
    ['all but one, shorter', ['-scheduler'], CONTROLLER_NAMES.filter((name) => name !== 'scheduler')],
    ['two of them, in their order', ['scheduler', 'binder'], ['binder', 'scheduler']],
    ['a name that nobody has is told', ['binder', 'blinder'], ['binder'], ['blinder']],
  ]
  for (const [behaviour, words, chosen, unknown = []] of cases)
    test(behaviour, () => deepEqual(chooseControllers(words), { chosen, unknown }))
})
