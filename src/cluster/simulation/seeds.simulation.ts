import { seedsOf } from '../../simulation/index.ts'
import { describeSeeds } from './describe-seeds.ts'

describeSeeds(seedsOf(process.env))
