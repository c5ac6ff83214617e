import { describeCrashes } from './describe-crashes.ts'

describeCrashes(['nothing', 'pod gone', 'reboot', 'reboot, pod gone'], { stride: 1 })
