/** Dependencies of a run that are kept outside its workspace, as its commands see them. */

import type { SandboxPlace } from '../../sandbox/index.ts'

export type RunDependencies = Pick<SandboxPlace, 'readOnly' | 'programs' | 'env'>
