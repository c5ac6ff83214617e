import { describeSeeds } from './testing/describe-seeds.ts'

describeSeeds(Array.from({ length: 6 }, (_, index) => index + 1))
