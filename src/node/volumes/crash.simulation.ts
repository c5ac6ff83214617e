import { seedsOf } from '../../testing/index.ts'
import { describeCrashes } from './testing/describe-crashes.ts'
import { describeSeeds } from './testing/describe-seeds.ts'

describeCrashes(['nothing', 'pod gone', 'reboot', 'reboot, pod gone'], { stride: 1 })
describeSeeds(seedsOf(process.env))
