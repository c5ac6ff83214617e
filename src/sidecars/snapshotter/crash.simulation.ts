import { seedsOf } from '../../testing/index.ts'
import { describeGroupSeeds } from './testing/group-crashes.ts'
import { describeSeeds } from './testing/snapshot-crashes.ts'

describeSeeds(seedsOf(process.env))
describeGroupSeeds(seedsOf(process.env))
