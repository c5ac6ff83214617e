import { seedsOf } from '../../testing/index.ts'
import { describeSweepSeeds } from './testing/describe-sweep-seeds.ts'

describeSweepSeeds(seedsOf(process.env))
