import { describeCrashes } from './testing/describe-crashes.ts'
import { describeSeeds } from './testing/describe-seeds.ts'

// All steps are for the simulation; here each is next to one.
describeCrashes(['nothing', 'pod gone', 'reboot', 'reboot, pod gone'], { stride: 5 })
describeSeeds([1, 2, 3])
