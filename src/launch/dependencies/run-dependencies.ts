/** How the commands of a run see dependencies that are outside its workspace. */

import type { SandboxPlace } from '../../sandbox/index.ts'

export type RunDependencies = Pick<SandboxPlace, 'readOnly' | 'programs' | 'env'>
