import { seedsOf } from '../../testing/index.ts'
import { describeSeeds } from './testing/resizer-crashes.ts'

describeSeeds(seedsOf(process.env))
