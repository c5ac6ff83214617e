import { seedsOf } from '../../simulation/index.ts'
import { describeCrashes } from './describe-crashes.ts'
import { describeSeeds } from './describe-seeds.ts'

describeCrashes(['nothing', 'pod gone', 'reboot', 'reboot, pod gone'], { stride: 1 })
describeSeeds(seedsOf(process.env))
