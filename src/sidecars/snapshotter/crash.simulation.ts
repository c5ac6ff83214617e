import { seedsOf } from '../../testing/index.ts'
import { describeSeeds } from './testing/snapshot-crashes.ts'

describeSeeds(seedsOf(process.env))
