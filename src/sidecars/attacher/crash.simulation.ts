import { seedsOf } from '../../testing/index.ts'
import { describeSeeds } from './testing/describe-seeds.ts'

describeSeeds(seedsOf(process.env))
